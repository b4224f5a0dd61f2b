"""Owns asking an entry of a transcript again: its question through Dig, and how the answer stands beside the old one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from sondage.core.answers.contracts import Contract
from sondage.core.transcripts.relocate import place_asked, relocated
from sondage.core.transcripts.replay import Replayed, compare
from sondage.core.transcripts.transcript import OF_THE_STORY, Entry
from sondage.dig.settings import SearchQuery
from sondage.errors import UsageError
from sondage.hosts.aside import aside

if TYPE_CHECKING:
    from sondage.dig.service import Dig

_NO_QUESTION = "not a question that can be asked again"
_OTHER_SHAPE = (KeyError, TypeError, AttributeError, ValueError)
"""What an entry raises that somebody else wrote, with arguments or an answer unlike ours."""


def other_targets(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Targets beside their own that entries compare with, as they were named; `ask` wants them opened."""
    found: dict[str, None] = {}
    for entry in entries:
        if entry.verb == "drift":
            found.update(dict.fromkeys(map(str, (entry.arguments.get("targets") or ())[1:])))
        elif entry.verb == "assume":
            _, since, target = str(entry.arguments.get("claim", "")).partition(" unchanged since ")
            found.update({target.strip(): None} if since else {})
    return tuple(found)


async def replay(
    dig: Dig, entry: Entry, others: Mapping[str, Dig], as_entry: Callable[[Entry, Any], Entry]
) -> Replayed:
    """The entry beside the answer to its question as of now. `as_entry` makes one of a question and a new answer, whole.

    Raises `UsageError` for words of the user, and where a target that the entry compares with is not open.
    """
    if entry.verb in OF_THE_STORY:
        raise UsageError(_NO_QUESTION, f"{entry.verb} {entry.id}")
    missing = [target for target in other_targets([entry]) if target not in others]
    if missing:
        raise UsageError("a target that the question compares with is not open", missing[0])
    try:
        asked = _at_its_place(dig, entry)
        if asked is None:
            return Replayed(entry, "gone", ("the line it was about is no longer there",))
        answer = await _ask(dig, asked, others, False)
        return await aside(lambda: compare(entry, as_entry(asked, answer)))
    except UsageError as error:
        return Replayed(entry, "gone", (str(error),))
    except _OTHER_SHAPE as error:
        return Replayed(
            entry, "changed", (f"the entry is of a shape that is not known, and was not compared: {error!r}",)
        )


def _at_its_place(dig: Dig, entry: Entry) -> Entry | None:
    """The entry with its question put to the lines it was about, wherever they are now; None where they are nowhere."""
    path = place_asked(entry)
    text = dig.source(path) if path else None
    if text is None:
        return entry
    arguments = relocated(entry, text.lines)
    return None if arguments is None else structs.replace(entry, arguments=arguments)


async def ask(dig: Dig, entry: Entry, others: Mapping[str, Dig], *, commit: bool) -> Any:
    """The answer to the question of an entry. Raises `UsageError` where it cannot be put any more, and what Dig raises."""
    try:
        return await _ask(dig, entry, others, commit)
    except _OTHER_SHAPE as error:
        raise UsageError(_NO_QUESTION, f"{entry.verb} {entry.id}", str(error)) from None


async def _ask(dig: Dig, entry: Entry, others: Mapping[str, Dig], commit: bool) -> Any:
    asked = entry.arguments
    match entry.verb:
        case "search":
            fields = {name: asked[name] for name in ("ignore_case", "word", "fixed") if name in asked}
            query = SearchQuery(asked["pattern"], tuple(asked.get("globs", ())), **fields)
            return await dig.search(query, commit=commit)
        case "symbols":
            return await dig.symbols(asked["query"], limit=asked.get("limit", 50), commit=commit)
        case "show":
            return await dig.show(asked["spec"], commit=commit)
        case "mro":
            return await dig.mro(asked["class"], commit=commit)
        case "subclasses":
            return await dig.subclasses(asked["class"], commit=commit)
        case "jump":
            return await dig.jump(asked["path"], asked["line"], asked["column"], commit=commit)
        case "callers":
            return await dig.callers(asked["member"], commit=commit)
        case "overrides":
            return await dig.overrides(asked["member"], commit=commit)
        case "locate":
            return await dig.locate(asked["class"], asked["members"], commit=commit)
        case _:
            return await _ask_contract(dig, entry, others, commit)


async def _ask_contract(dig: Dig, entry: Entry, others: Mapping[str, Dig], commit: bool) -> Any:
    asked = entry.arguments
    match entry.verb:
        case "check" if "selector" in asked:
            return await dig.matrix(asked["selector"], _contract(asked), commit=commit)
        case "check":
            return await dig.check(asked["classes"], _contract(asked), commit=commit)
        case "derive" if "least" in asked:
            return await dig.derive_siblings(asked["base"], least=asked["least"], commit=commit)
        case "derive" if asked.get("base"):
            return await dig.derive_base(asked["base"], commit=commit)
        case "derive":
            return await dig.derive(asked["consumers"], asked["receiver"], commit=commit)
        case "lint":
            selector = asked.get("selector")
            return await dig.lint(() if selector else asked["classes"], selector=selector, commit=commit)
        case "drift":
            beside = [others[target] for target in asked["targets"][1:]]
            return await dig.drift(beside, asked["classes"], _contract(asked), commit=commit)
        case "assume":
            return await dig.assume(asked["claim"], others, commit=commit)
        case _:
            raise UsageError(_NO_QUESTION, f"{entry.verb} {entry.id}")


def _contract(asked: Mapping[str, Any]) -> Contract:
    return msgspec.convert(asked["contract"], Contract)
