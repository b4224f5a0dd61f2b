"""Owns the contract with its verdicts as a Markdown document: a table to hand on, each line with the place that shows it."""

from __future__ import annotations

from sondage.core.answers.contracts import Verdict
from sondage.core.transcripts.markdown import code
from sondage.tui.models.classes import short
from sondage.tui.models.contract import ContractView, sign, word


def as_markdown(view: ContractView, target: str) -> str:
    """Names, paths and signatures stand in code spans, so that nothing in them is read as Markdown or as a column."""
    asked = view.demand.text or ", ".join(view.names)
    said, _ = view.summary
    head = [
        f"# Contract of {code(view.class_name)}",
        "",
        f"- target: {code(target)}",
        f"- asked: {code(asked)}",
        f"- {said}; {view.counted}",
        "",
        "| | member | verdict | certainty | defined by | place | why |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *map(_line, view.verdicts), ""])


def _line(verdict: Verdict) -> str:
    place = f"{verdict.path}:{verdict.line}" if verdict.path else ""
    why = "; ".join((*([f"via {verdict.via}"] if verdict.via else []), *verdict.why))
    cells = [verdict.member + verdict.signature, word(verdict), verdict.certainty, short(verdict.owner), place, why]
    return f"| {sign(verdict)} | " + " | ".join(_cell(text) for text in cells) + " |"


def _cell(text: str) -> str:
    """A pipe ends a cell even inside a code span (GitHub's tables), unless it is escaped."""
    return code(text).replace("|", "\\|") if text else ""
