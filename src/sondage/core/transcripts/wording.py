"""Owns a transcript's sentences: each entry's question and its finding in plain words.

Names, paths and patterns in a sentence come from a host. They are made safe here and kept apart from the words around
them, so that a face can print the sentence plainly, and Markdown and HTML can set them as code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from sondage.core.answers.certainty import mark
from sondage.core.safe import one_line
from sondage.core.transcripts.story import STATES, Claim
from sondage.core.transcripts.transcript import OF_THE_STORY, Entry

_NAME = "\x00"
"""Stands on both sides of a name while a sentence is made; `one_line` leaves none inside it."""
_MOST_NAMES = 6
_MOST_REASONS = 4
"""In the ledger; the step has them all."""


class Part(NamedTuple):
    """Safe text on one line; `is_name` for what came from a host or was typed, and is no word of ours."""

    text: str
    is_name: bool


Sentence: TypeAlias = tuple[Part, ...]


def question(entry: Entry) -> str:
    """The question of an entry in words, as plain text."""
    return plain(question_parts(entry))


def finding(entry: Entry) -> str:
    """What was found, in one or two sentences, as plain text."""
    return plain(finding_parts(entry))


def details(entry: Entry) -> list[str]:
    """One sentence for each part of an answer of several parts, as plain text."""
    return [plain(sentence) for sentence in details_parts(entry)]


def plain(sentence: Sentence) -> str:
    return "".join(part.text for part in sentence)


def question_parts(entry: Entry) -> Sentence:
    return _parts(_question(entry))


def finding_parts(entry: Entry) -> Sentence:
    return _parts(_finding(entry))


def details_parts(entry: Entry) -> list[Sentence]:
    return [_parts(text) for text in _details(entry)]


def claim_parts(claim: Claim) -> Sentence:
    """A line of the ledger behind its state: the claim, why, and the step that said so."""
    left = len(claim.why) - _MOST_REASONS
    reasons = [*map(_name, claim.why[:_MOST_REASONS]), *([f"and {left} more"] if left > 0 else [])]
    why = f": {'; '.join(reasons)}" if reasons else ""
    by = "judged in step" if claim.judged else "step"
    return _parts(f"{_name(claim.claim)}{why} ({by} {claim.step})")


def foot_parts(entry: Entry) -> Sentence:
    """When and where it was asked or written, and on what the answer rests beside its lines."""
    if entry.verb in OF_THE_STORY:
        return _parts(f"Written {_name(entry.time)}.")
    where = f" on {_name(entry.target)}" if entry.target else ""
    seen = entry.coverage
    files = f", {seen.files_seen} of {seen.files_listed} files read" if seen else ""
    commit = f", at the commit {_name(entry.commit)}" if entry.commit else ""
    given = f", given that {' and '.join(map(_name, entry.assumptions))}" if entry.assumptions else ""
    return _parts(f"Asked {_name(entry.time)}{where}{files}{commit}{given}.")


def _parts(text: str) -> Sentence:
    """Whatever an entry that somebody else wrote has put between the names is made safe as well."""
    pieces = enumerate(text.split(_NAME))
    return tuple(Part(one_line(piece), number % 2 == 1) for number, piece in pieces if piece)


def _name(text: object) -> str:
    return f"{_NAME}{one_line(str(text))}{_NAME}"


def _names(names: Sequence[Any], *, number: int | None = None) -> str:
    """The first of some names; `number` is how many there are where the list itself was cut."""
    shown = names[:_MOST_NAMES]
    more = (len(names) if number is None else number) - len(shown)
    return ", ".join(_name(name) for name in shown) + (f", and {more} more" if more else "")


def _full_length(answer: Mapping[str, Any], rows: str) -> int:
    """How many rows there were before an entry kept the first ones: `rows_total` beside a list that was cut."""
    return int(answer.get(f"{rows}_total", len(answer[rows])))


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _place(row: Mapping[str, Any]) -> str:
    return _name(f"{row['path']}:{row['line']}") if row.get("path") else "outside of what was read"


# ------------------------------------------------------------------ questions


def _question(entry: Entry) -> str:
    ask = _QUESTIONS.get(entry.verb)
    try:
        return ask(entry.arguments) if ask else _name(entry.verb)
    except (KeyError, TypeError, AttributeError):
        return f"{entry.verb} {_name(entry.arguments)}"


def _ask_search(arguments: Mapping[str, Any]) -> str:
    how = [word for key, word in (("ignore_case", "in any case"), ("word", "as a whole word")) if arguments.get(key)]
    globs = arguments.get("globs") or ()
    text = f"Which lines {'hold the text' if arguments.get('fixed') else 'match'} {_name(arguments['pattern'])}"
    where = f" in files like {_names(globs)}" if globs else ""
    return f"{text}{where}{', ' if how else ''}{' and '.join(how)}?"


_QUESTIONS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "search": _ask_search,
    "symbols": lambda a: f"Which names are like {_name(a['query'])}?",
    "show": lambda a: f"What stands at {_name(a['spec'])}?",
    "mro": lambda a: f"In which order is {_name(a['class'])} looked up?",
    "subclasses": lambda a: f"Which classes derive from {_name(a['class'])}?",
    "jump": lambda a: f"What does the name at {_name('{path}:{line}:{column}'.format(**a))} reach?",
    "callers": lambda a: f"Who calls {_name(a['member'])}?",
    "overrides": lambda a: f"Who overrides {_name(a['member'])}?",
    "locate": lambda a: f"Which class provides {_names(a['members'])} for {_name(a['class'])}?",
    "check": lambda a: f"Is the contract {_name(_contract(a['contract']))} kept by {_names(a['classes'])}?",
    "derive": lambda a: (
        f"What does {_name(a['base'])} ask of a class that fills it in?"
        if a.get("base")
        else f"What do {_names(a['consumers'])} need of {_name(a['receiver'])}?"
    ),
    "drift": lambda a: (
        f"Did {_name(_contract(a['contract']))} change for {_names(a['classes'])} over {_names(a['targets'])}?"
    ),
    "lint": lambda a: f"What do {_names(a['classes'])} ask of themselves that is not there?",
    "assume": lambda a: f"Does this hold: {_name(a['claim'])}?",
    "note": lambda a: "A note",
    "hypothesis": lambda a: "A hypothesis",
    "verdict": lambda a: f"A verdict on {_name(a['claim'])}",
    "drop": lambda a: "An entry left out of the story",
}


def _contract(contract: Mapping[str, Any]) -> str:
    return str(contract.get("name") or ", ".join(item["member"] for item in contract["items"]))


# ------------------------------------------------------------------ findings


def _finding(entry: Entry) -> str:
    answer = entry.answer
    if entry.verb == "hypothesis":
        return f"{_name(entry.arguments.get('claim', ''))}."
    if entry.verb == "verdict":
        state = entry.arguments.get("state")
        return f"{str(state).capitalize() if state in STATES else 'Open'}."
    if isinstance(answer, Mapping) and "asked" in answer and "reason" in answer:
        return _find_candidates(answer)
    find = _FINDINGS.get(entry.verb)
    try:
        return find(answer) if find else ""
    except (KeyError, TypeError, AttributeError):
        return ""


def _find_candidates(answer: Mapping[str, Any]) -> str:
    names = answer.get("names") or ()
    if answer["reason"] == "ambiguous":
        return f"{_name(answer['asked'])} stands for several: {_names(names)}."
    near = f" Near to it: {_names(names)}." if names else ""
    return f"Nothing known is called {_name(answer['asked'])}.{near}"


def _find_search(answer: Mapping[str, Any]) -> str:
    seen = f"{_count(answer['searched'], 'file')} looked at"
    missed = len(answer.get("unsearched") or ())
    seen += f", {missed} more could not be" if missed else ""
    if not answer["searched"]:
        return f"No file was looked at{f', {missed} could not be' if missed else ''}."
    if not answer["total"]:
        return f"No line ({seen})."
    return f"{_count(answer['total'], 'line')} in {_count(answer['files'], 'file')} ({seen})."


def _find_symbols(rows: Sequence[Mapping[str, Any]]) -> str:
    return f"{_names([row['qualname'] for row in rows])}." if rows else "No name."


def _find_show(answer: Mapping[str, Any]) -> str:
    symbol = f", in {_name(answer['symbol'])}" if answer.get("symbol") else ""
    first, last, total = answer["first_line"], answer["last_line"], answer["total_lines"]
    lines = f"Line {first}" if first == last else f"Lines {first} to {last}"
    return f"{lines} of {total} of {_name(answer['path'])}{symbol}."


def _find_mro(answer: Mapping[str, Any]) -> str:
    if answer.get("error"):
        return f"There is no order: {_name(answer['error'])}."
    order = " → ".join(_name(step["class"]) + (" (not read)" if step.get("open") else "") for step in answer["order"])
    if answer["complete"]:
        return f"{order}. The order is complete."
    return f"{order}. The order is not complete: {'; '.join(map(_name, answer['why_incomplete']))}."


def _find_subclasses(answer: Mapping[str, Any]) -> str:
    names = [row["class"] for row in answer["rows"]]
    number = _full_length(answer, "rows")
    found = f"{_count(number, 'class', 'classes')}: {_names(names, number=number)}." if names else "No class."
    why = "; ".join(map(_name, answer.get("why_incomplete", ())))
    return f"{found} There can be more: {why}." if why else found


def _find_jump(answer: Mapping[str, Any]) -> str:
    open_end = f" Open: {_name(answer['unresolved'])}." if answer.get("unresolved") else ""
    answers = answer["answers"]
    if not answers:
        return f"Nothing that is known.{open_end}"
    first = answers[0]
    text = f"{_name(first['owner'] + '.' + first['name'])} at {_place(first)}, {first['certainty']}"
    left = _full_length(answer, "answers") - 1
    more = f", and {left} more" if left else ""
    return f"{text}{more}.{open_end}"


def _find_callers(answer: Mapping[str, Any]) -> str:
    number = _full_length(answer, "rows")
    left = answer.get("unresolved") or 0
    open_end = f" {_count(left, 'call')} of that name on receivers that are not known." if left else ""
    return f"{_count(number, 'call') if number else 'No call'}.{open_end}"


def _find_overrides(answer: Mapping[str, Any]) -> str:
    rows = answer["rows"]
    return f"{_names([row['class'] for row in rows])}." if rows else "Nobody."


def _find_locate(answer: Mapping[str, Any]) -> str:
    verdicts = answer["verdicts"]
    if len(verdicts) == 1:
        return _verdict(verdicts[0])
    return _tally(verdicts)


def _find_check(answer: Mapping[str, Any]) -> str:
    said = {True: "kept", False: "not kept", None: "open"}
    results = answer["results"]
    if len(results) == 1:
        return f"{said[results[0]['met']].capitalize()} by {_name(results[0]['class'])}. {_tally(results[0]['items'])}"
    groups = {state: [r["class"] for r in results if r["met"] is state] for state in (False, None, True)}
    return " ".join(f"{said[state].capitalize()} by {_names(names)}." for state, names in groups.items() if names)


def _find_derive(answer: Mapping[str, Any]) -> str:
    groups = {
        need: [i["member"] for i in answer["items"] if i["required"] == need] for need in ("required", "optional")
    }
    said = [f"{need.capitalize()}: {_names(names)}." for need, names in groups.items() if names]
    return " ".join(said) or "Nothing is asked of it."


def _find_drift(answer: Mapping[str, Any]) -> str:
    changed = [
        f"{_name(item['member'])} of {_name(result['class'])} changes first at {_name(item['first_change'])}"
        for result in answer["results"]
        for item in result["items"]
        if item["changed"]
    ]
    return f"{'; '.join(changed)}." if changed else "Nothing changed."


def _tally(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """What is missing is said first; it is what somebody has to do something about."""
    by_mark: dict[str, list[str]] = {"✗": [], "?": [], "✓": []}
    for verdict in verdicts:
        by_mark[mark(verdict["verdict"])].append(verdict["member"])
    words = {"✗": "Not provided", "?": "Undecided", "✓": "Provided"}
    return " ".join(f"{words[sign]}: {_names(names)}." for sign, names in by_mark.items() if names)


def _verdict(verdict: Mapping[str, Any]) -> str:
    text = f"{mark(verdict['verdict'])} {_name(verdict['member'])}: {verdict['verdict']}, {verdict['certainty']}"
    if verdict.get("owner"):
        text += f", by {_name(verdict['owner'])} at {_place(verdict)}"
    if verdict.get("via"):
        text += f", via {_name(verdict['via'])}"
    if verdict.get("call_fits") is False:
        text += ", the call does not fit"
    return f"{text}." if not verdict.get("why") else f"{text}: {'; '.join(map(_name, verdict['why']))}."


_FINDINGS: Mapping[str, Callable[[Any], str]] = {
    "search": _find_search,
    "symbols": _find_symbols,
    "show": _find_show,
    "mro": _find_mro,
    "subclasses": _find_subclasses,
    "jump": _find_jump,
    "callers": _find_callers,
    "overrides": _find_overrides,
    "locate": _find_locate,
    "check": _find_check,
    "derive": _find_derive,
    "drift": _find_drift,
    "lint": lambda answer: (
        f"{_count(_full_length(answer, 'rows'), 'place')} in {_count(answer['classes'], 'class', 'classes')}."
    ),
    "assume": lambda answer: f"{answer['state'].capitalize()}. {'; '.join(map(_name, answer['why']))}",
}


# ------------------------------------------------------------------ details


def _details(entry: Entry) -> list[str]:
    answer = entry.answer
    if not isinstance(answer, Mapping):
        return []
    try:
        if entry.verb == "locate" and len(answer["verdicts"]) > 1:
            return [_verdict(verdict) for verdict in answer["verdicts"]]
        if entry.verb == "check":
            several = len(answer["results"]) > 1
            return [
                (f"{_name(result['class'])} " if several else "") + _verdict(item)
                for result in answer["results"]
                for item in result["items"]
            ]
        if entry.verb == "jump":
            return [_reached(one) for one in answer["answers"]]
    except (KeyError, TypeError, AttributeError):
        pass
    return []


def _reached(one: Mapping[str, Any]) -> str:
    why = "; ".join(map(_name, one.get("why") or ()))
    text = f"{_name(one['owner'] + '.' + one['name'])} at {_place(one)}, {one['certainty']}"
    return f"{text}: {why}." if why else f"{text}."
