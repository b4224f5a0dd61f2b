"""Owns the comparison of an entry with the answer to the same question on another day, version or host.

    same      the answer and the lines it rests on read as they did, and stand where they stood
    moved     they read as they did, and stand elsewhere
    changed   the answer, or a line it rests on, reads otherwise
    gone      what was asked about, or all that had been found, is no longer there

Compared is what the entry kept: the first 20 rows of an answer and of its evidence, against all of the new ones. Where
rows had been left out, one that is new cannot be told from one that was not kept, and is not called new.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from sondage.core.late import late_pattern
from sondage.core.transcripts.transcript import Entry

State: TypeAlias = Literal["same", "moved", "changed", "gone"]

_PLACES = frozenset({"path", "line", "column", "first_line", "last_line", "assigned_path", "assigned_line"})
_NO_MATTER = frozenset(
    {"score", "searched", "unsearched", "files", "total_lines", "digest", "lines_digest", "mro", "evidence", "contract"}
)
"""Counts of what was looked at, what follows from other fields, the lines (compared apart), and the question itself."""
_LINE_NUMBER = late_pattern(r":\d+(?::\d+)?\b")
_PROSE = frozenset({"why", "how", "why_incomplete", "unresolved", "what"})
"""Fields that are sentences: a line number in one is a place."""
_HAVE_THEIR_TEXT = frozenset({"search", "callers", "show"})
"""Verbs whose rows quote the lines themselves."""
_MOST_LINES = 40
_CONTEXT = 1


class Move(NamedTuple):
    """A line that reads as it did and stands elsewhere. Lines count from 1."""

    path: str
    line: int
    new_path: str
    new_line: int


class Replayed(msgspec.Struct, frozen=True):
    """An entry and how it stands now. `differences` are sentences and lines of a diff, the text in them untrusted."""

    entry: Entry
    state: State
    differences: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()


def compare(old: Entry, new: Entry) -> Replayed:
    """`new` answers the question of `old`, with all rows and all evidence."""
    if _is_candidates(new.answer) or _is_candidates(old.answer):
        return _compare_candidates(old, new)
    if old.verb == "show":
        differences = [*_excerpt_differences(old.answer, new.answer)]
    else:
        differences = [*_answer_differences(old, new), *_line_differences(old, new)]
    differences += [f"no longer taken for given: {claim}" for claim in old.assumptions if claim not in new.assumptions]
    moves = tuple(dict.fromkeys([*_moves(old.answer, new.answer), *_evidence_moves(old, new)]))
    if differences:
        return Replayed(old, "gone" if _is_empty(new) and not _is_empty(old) else "changed", tuple(differences), moves)
    return Replayed(old, "moved" if moves else "same", (), moves)


def _is_candidates(answer: Any) -> bool:
    return isinstance(answer, Mapping) and "asked" in answer and "reason" in answer


def _compare_candidates(old: Entry, new: Entry) -> Replayed:
    before, after = (one.answer if _is_candidates(one.answer) else None for one in (old, new))
    if after is None:
        return Replayed(old, "changed", ("what could not be asked about is there now",))
    names = f": {', '.join(map(str, after.get('names') or ()))}" if after.get("names") else ""
    said = f"{after['asked']} {'is not there' if after['reason'] == 'absent' else 'means several things'}{names}"
    if before is None:
        return Replayed(old, "gone" if after["reason"] == "absent" else "changed", (said,))
    ambiguous = after["reason"] == "ambiguous"
    is_same = before["reason"] == after["reason"] and not (ambiguous and before.get("names") != after.get("names"))
    return Replayed(old, "same") if is_same else Replayed(old, "changed", (said,))


def _is_empty(entry: Entry) -> bool:
    """Whether the answer is a list, or holds one, that has no rows."""
    rows = {"search": "hits", "callers": "rows", "subclasses": "rows", "jump": "answers"}.get(entry.verb, "")
    answer = entry.answer.get(rows) if isinstance(entry.answer, Mapping) else entry.answer
    return isinstance(answer, Sequence) and not answer


def _normal(entry: Entry) -> Any:
    """Targets are compared by their place in the question: a replay may put another one in the place of the first."""
    answer = entry.answer
    if entry.verb != "drift" or not isinstance(answer, Mapping):
        return answer
    number = {target: f"target {place}" for place, target in enumerate(answer.get("targets") or (), start=1)}

    def renamed(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: renamed(item) for name, item in value.items()}
        if isinstance(value, list):
            return [renamed(item) for item in value]
        return number.get(value, value) if isinstance(value, str) else value

    return renamed(answer)


# ------------------------------------------------------------------ what an answer says


def _answer_differences(old: Entry, new: Entry) -> Iterator[str]:
    before, after = _normal(old), _normal(new)
    if isinstance(before, list) and isinstance(after, list):
        return _row_differences(before, after, "", "", max(len(before), old.evidence_total))
    return _differences(before, after, "")


def _differences(old: Any, new: Any, label: str) -> Iterator[str]:
    """What reads otherwise, a sentence each, places apart. `label` names the rows that it is a part of."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        if old.get("verdict") != new.get("verdict"):
            yield f"{label}: {_verdict(old)} → {_verdict(new)}"  # all else about it follows from that
            return
        for name in old:
            if name in new and name not in _PLACES | _NO_MATTER and not name.endswith("_total"):
                yield from _field_differences(old, new, name, label)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _row_differences(old, new, label, "", len(old))
    elif old != new:
        yield f"{label}: {_shown(old)} → {_shown(new)}"


def _field_differences(old: Mapping[str, Any], new: Mapping[str, Any], name: str, label: str) -> Iterator[str]:
    before, after = old.get(name), new.get(name)
    inner = f"{label}, {name}" if label else name
    if name in _PROSE:
        before, after = _without_lines(before), _without_lines(after)
    if name == "order" and isinstance(before, list) and isinstance(after, list):
        chains = [" → ".join(str(step.get("class")) for step in steps) for steps in (before, after)]
        if chains[0] != chains[1] and f"{name}_total" not in old:
            yield f"{inner}: {chains[0]} became {chains[1]}"
            return
    if isinstance(before, list) and isinstance(after, list):
        total = old.get(f"{name}_total", old.get("total", len(before)) if name == "hits" else len(before))
        yield from _row_differences(before, after, label, name, total)
    else:
        yield from _differences(before, after, inner)


def _row_differences(old: list[Any], new: list[Any], label: str, field: str, total: int) -> Iterator[str]:
    """`total` is how many rows there were before the entry kept the first ones."""
    pairs, gone, fresh = _paired(old, new)
    inner = ", ".join(part for part in (label, field) if part)
    for before, after in pairs:
        named = _row_name(before).rpartition(".")[2] if isinstance(before, Mapping) else ""
        yield from _differences(before, after, ", ".join(part for part in (label, named) if part) or inner)
    said = f"{inner}: " if inner else ""
    yield from (f"{said}no longer {_shown(row)}" for row in gone)
    if total <= len(old):
        yield from (f"{said}new {_shown(row)}" for row in fresh)
    elif len(new) != total and field != "hits":  # of a search the total itself is compared
        yield f"{said}{total} rows → {len(new)}"


def _paired(old: Sequence[Any], new: Sequence[Any]) -> tuple[list[tuple[Any, Any]], list[Any], list[Any]]:
    """Rows of the same name, or of the same content; then those of either side that are alone."""
    known = {name for row in old if isinstance(row, Mapping) for name in row}
    waiting: dict[str, list[Any]] = defaultdict(list)
    for row in new:
        waiting[_key(row, known)].append(row)
    pairs, gone = [], []
    for row in old:
        same = waiting.get(_key(row, known))
        if same:
            pairs.append((row, same.pop(0)))
        else:
            gone.append(row)
    return pairs, gone, [row for rows in waiting.values() for row in rows]


def _key(row: Any, known: Collection[str]) -> str:
    """`known` are the fields that the entry has: a later sondage may have added others."""
    if isinstance(row, Mapping):
        name = _row_name(row)
        return name or json.dumps(_what({field: row[field] for field in row if field in known}), sort_keys=True)
    return json.dumps(row, sort_keys=True)


def _row_name(row: Mapping[str, Any]) -> str:
    if "owner" in row and "name" in row:
        return f"{row['owner']}.{row['name']}"
    return next((str(row[name]) for name in ("member", "class") if name in row), "")


def _what(value: Any) -> Any:
    """A value without its places."""
    if isinstance(value, Mapping):
        kept = {name: item for name, item in value.items() if name not in _NO_MATTER | (_PLACES - {"path"})}
        return {name: _what(_without_lines(item) if name in _PROSE else item) for name, item in kept.items()}
    return [_what(item) for item in value] if isinstance(value, list) else value


def _without_lines(value: Any) -> Any:
    if isinstance(value, str):
        return _LINE_NUMBER.sub("", value)
    return [_without_lines(item) for item in value] if isinstance(value, list) else value


def _verdict(value: Mapping[str, Any]) -> str:
    owner = f", by {value['owner']}" if value.get("owner") else ""
    return f"{value.get('verdict')}, {value.get('certainty')}{owner}"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        place = f"{value['path']}:{value['line']}" if value.get("path") and value.get("line") else ""
        said = [
            str(value[name]) for name in ("text", "class", "member", "qualname", "owner", "name") if value.get(name)
        ]
        return f"{place} {' '.join(said[:2]).strip()}".strip() or json.dumps(_what(value), default=str)
    return "nothing" if value in (None, "", []) else str(value)


# ------------------------------------------------------------------ the lines


def _excerpt_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Of two excerpts; an entry keeps the first lines of a long one, and the digest of all."""
    digests = old.get("lines_digest"), new.get("lines_digest")
    if digests[0] and digests[0] == digests[1]:
        return
    kept = list(old.get("lines") or ())
    count = old["last_line"] - old["first_line"] + 1
    lines = list(new.get("lines") or ())
    if kept != lines[: len(kept)] or (count == len(kept) and len(lines) != count):
        shown = lines if len(kept) == count else lines[: len(kept)]
        diff = unified_diff(kept, shown, "then", "now", lineterm="", n=_CONTEXT)
        yield from [line for line in diff if not line.startswith(("---", "+++", "@@"))][:_MOST_LINES]
    elif digests[0]:
        yield f"behind the first {len(kept)} lines, which were kept, a line reads otherwise"
    elif len(lines) != count:
        yield f"{count} lines → {len(lines)}"


def _line_differences(old: Entry, new: Entry) -> Iterator[str]:
    """Lines of evidence that read otherwise."""
    if old.verb in _HAVE_THEIR_TEXT:
        return
    before = Counter((one.path, one.quote) for one in old.evidence)
    after = Counter((one.path, one.quote) for one in new.evidence)
    for path, quote in (before - after).elements():
        yield f"{path}: no longer {quote.strip() or 'an empty line'}"
    if old.evidence_total <= len(old.evidence):
        for path, quote in (after - before).elements():
            yield f"{path}: now {quote.strip() or 'an empty line'}"


# ------------------------------------------------------------------ where it stands


def _moves(old: Any, new: Any) -> Iterator[Move]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _own_move(old, new)
        for name in old.keys() & new.keys() - _NO_MATTER:
            yield from _moves(old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list):
        for before, after in _paired(old, new)[0]:
            yield from _moves(before, after)


def _own_move(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Move]:
    if any(old.get(name) != new.get(name) for name in ("verdict", "owner")):
        return  # another definition, which did not get there by moving
    for path, line in (("path", "line"), ("path", "first_line"), ("assigned_path", "assigned_line")):
        places = [(one.get(path), one.get(line)) for one in (old, new)]
        if all(isinstance(place[0], str) and place[0] and isinstance(place[1], int) for place in places):
            (first, at), (second, now) = places
            if (first, at) != (second, now):
                yield Move(str(first), int(at or 0), str(second), int(now or 0))


def _evidence_moves(old: Entry, new: Entry) -> Iterator[Move]:
    if old.verb in _HAVE_THEIR_TEXT:
        return
    lines: dict[tuple[str, str], list[int]] = defaultdict(list)
    for one in new.evidence:
        lines[one.path, one.quote].append(one.line)
    for one in old.evidence:
        found = lines.get((one.path, one.quote))
        if found:
            line = one.line if one.line in found else found[0]
            found.remove(line)
            if line != one.line:
                yield Move(one.path, one.line, one.path, line)
