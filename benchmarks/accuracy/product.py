"""Owns the questions to sondage, put through its documented command line as `ask_sondage.py` puts them.

Unlike that script it keeps the whole rows of `jump`, so that certainty and reasons can be told afterwards.
"""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ask_sondage

Row = dict[str, Any]


def version(command: Sequence[str]) -> str:
    return _output([*command, "--version"]).decode().strip()


def found_classes(command: Sequence[str], root: Path, known: Iterable[tuple[str, int]]) -> dict[str, int]:
    """How many of the classes at these places (path, line of the `class` statement) sondage lists."""
    lines = _output([*command, "classes", str(root), "--jsonl"]).splitlines()
    listed = {(row["path"], row["line"]) for row in map(json.loads, lines)}
    places = set(known)
    return {"asked": len(places), "found": len(places & listed)}


def ask(
    command: Sequence[str], roots: Mapping[str, Path | None], questions: Sequence[Row]
) -> tuple[list[Row], dict[str, Row]]:
    """Answers in the format of `score.py`, and the rows of `jump` by the question's id.

    `roots` maps how the files of a root are marked in the questions (`stdlib:`, or not at all) to its folder.
    """
    answers: list[Row] = []
    calls: dict[str, Row] = {}
    for mark, root in roots.items():
        asked = [one for one in questions if ("stdlib:" if one["file"].startswith("stdlib:") else "") == mark]
        if root and asked:
            answers += _about_classes(command, root, [one for one in asked if one["q"] != "call"])
            rows = _about_calls(command, root, [one for one in asked if one["q"] == "call"])
            calls |= rows
            answers += [{"id": name, "answer": _places(root, row)} for name, row in rows.items()]
    return answers, calls


def is_proved(row: Row) -> bool:
    """The rule of `ask_sondage.py --only-proved`: there is an answer, and no part of it is merely possible."""
    return bool(row["answers"]) and all(answer["certainty"] == "proved" for answer in row["answers"])


def _about_classes(command: Sequence[str], root: Path, questions: Sequence[Row]) -> list[Row]:
    out = io.StringIO()
    ask_sondage.run(command, root, questions, out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    for answer in answers:
        if isinstance(answer["answer"], dict):
            answer["answer"]["file"] = _absolute(root, answer["answer"]["file"])
    return answers


def _about_calls(command: Sequence[str], root: Path, questions: Sequence[Row]) -> dict[str, Row]:
    if not questions:
        return {}
    asked = "".join(json.dumps(_position(root, question)) + "\n" for question in questions)
    rows = map(
        json.loads, _output([*command, "jump", str(root), "--batch", "-", "--jsonl"], asked.encode()).splitlines()
    )
    return {row["id"]: row for row in rows}


def _position(root: Path, question: Row) -> Row:
    path = question["file"].removeprefix("stdlib:")
    line, byte_column = question["pos"]
    column = ask_sondage.code_point_column(root, path, line, byte_column)
    return {"id": question["id"], "path": path, "line": line, "column": column}


def _places(root: Path, row: Row) -> list[Row]:
    return [{"file": _absolute(root, answer["path"]), "line": answer["line"]} for answer in row["answers"]]


def _absolute(root: Path, path: str) -> str:
    """Absolute, so that the judge can tell the folders apart; what is built in has no path."""
    return str(root / path) if path else ""


def _output(command: Sequence[str], given: bytes = b"") -> bytes:
    return subprocess.run(command, input=given, check=True, stdout=subprocess.PIPE).stdout
