"""Owns contract files: TOML that people read and edit, written with the evidence as comments and read strictly.

    name = "what the worker needs of its model"
    receiver = "self.runner.model"              # where it was derived from; all three may be left out
    consumers = ["package/worker.py:Worker"]
    base = ""

    [members.forward]
    required = true                 # false: used only where it is there
    calls = ["()", "(_, key=_)"]    # the ways it is called; `_` stands for any value
    uses = ["call"]                 # call, read, write, delete
    when = ["self.is_fast()"]     # the conditions under which it is needed
    certainty = "proved"            # "possible": the receiver was not known for sure
    signature = "(self)"            # what an implementation is compared with
    soft = false                    # the base gives a body that does nothing
    group = ""                      # members of one origin stand together

Comments and every key but the table itself may be left out.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import cast

from sondage.core.answers.certainty import Certainty
from sondage.core.answers.contracts import CallShape, Contract, ContractItem, How, Use
from sondage.core.contracts.signature import call_shape
from sondage.core.source import written
from sondage.core.source.syntax import Call
from sondage.errors import UsageError

_TOP: Mapping[str, type | tuple[type, type]] = {
    "name": str,
    "receiver": str,
    "consumers": (list, str),
    "base": str,
    "members": dict,
}
_MEMBER: Mapping[str, type | tuple[type, type]] = {
    "required": bool,
    "calls": (list, str),
    "uses": (list, str),
    "when": (list, str),
    "certainty": str,
    "signature": str,
    "soft": bool,
    "group": str,
    "share": float,
}
_HOWS = ("call", "read", "write", "delete")
_SHOWN_PLACES = 12
"""Places that are written as comments for one member; the rest is counted."""


# ------------------------------------------------------------------ writing


def write(contract: Contract) -> str:
    """The file of a contract. What is only evidence becomes comments, so that reading it gives the same questions."""
    return (
        "\n".join([*_head(contract), *(line for item in contract.items for line in _member(item)), *_tail(contract)])
        + "\n"
    )


def _head(contract: Contract) -> Iterator[str]:
    yield f"name = {_quoted(contract.name)}"
    if contract.receiver:
        yield f"receiver = {_quoted(contract.receiver)}"
    if contract.consumers:
        yield f"consumers = {_list(contract.consumers)}"
    if contract.base:
        yield f"base = {_quoted(contract.base)}"
    yield from (f"# {_comment(note)}" for note in contract.notes)


def _member(item: ContractItem) -> Iterator[str]:
    yield ""
    yield f"[members.{_key(item.member)}]"
    yield f"required = {_bool(item.required == 'required')}"
    needing = [use for use in item.uses if use.how != "probe"]
    if item.calls:
        yield f"calls = {_list(tuple(show_call(call) for call in item.calls))}"
    if needing:
        yield f"uses = {_list(tuple(dict.fromkeys(use.how for use in needing)))}"
    if item.conditional:
        yield f"when = {_list(conditions(item))}"
    if item.certainty == "possible":
        yield 'certainty = "possible"'
    if item.signature:
        yield f"signature = {_quoted(item.signature)}"
    if item.soft:
        yield "soft = true"
    if item.group:
        yield f"group = {_quoted(item.group)}"
    if item.share is not None:
        yield f"share = {item.share:.3f}"
    yield from _places(item)


def _places(item: ContractItem) -> Iterator[str]:
    for use in item.uses[:_SHOWN_PLACES]:
        if use.line:
            marks = [use.how, *["optional"] * use.optional, *["possible"] * (use.certainty == "possible")]
            guards = f"  if {' and '.join(use.guards)}" if use.guards else ""
            yield f"# {_comment(f'{use.path}:{use.line} {use.symbol} {chr(32).join(marks)}{guards}')}"
    if len(item.uses) > _SHOWN_PLACES:
        yield f"# and {len(item.uses) - _SHOWN_PLACES} more places"
    for row in item.evidence:
        yield f"# {_comment(f'{row.path}:{row.line} {row.quote.strip()}')}"


def _tail(contract: Contract) -> Iterator[str]:
    if contract.escapes:
        yield ""
        yield "# The object also goes where it could not be followed; a member used there is not listed:"
    for escape in contract.escapes:
        yield f"# {_comment(f'{escape.path}:{escape.line} {escape.text}: {escape.why}')}"


def conditions(item: ContractItem) -> tuple[str, ...]:
    """The conditions under which a member is needed: one line for each place that needs it."""
    needing = [use for use in item.uses if not use.optional and use.how != "probe"]
    return tuple(dict.fromkeys(" and ".join(use.guards) for use in needing))


def show_call(call: CallShape) -> str:
    """A call as it is written in a contract file: `(_, _, key=_)`."""
    named = [f"{name}=_" for name in call.keywords]
    return f"({', '.join([*['_'] * call.positional, *['*_'] * call.star, *named, *['**_'] * call.double_star])})"


def _quoted(text: str) -> str:
    """A basic string of TOML; JSON writes a subset of them, but for DEL."""
    return json.dumps(text.encode("utf-8", "replace").decode("utf-8"), ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: tuple[str, ...]) -> str:
    return f"[{', '.join(_quoted(value) for value in values)}]"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _comment(text: str) -> str:
    """One line without characters that TOML forbids in a comment."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", " ", clean)


# ------------------------------------------------------------------ reading


def read(text: str, where: str) -> Contract:
    """The contract that a file states. Raises `UsageError` with `where`, the line, and the nearest known key."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as trouble:
        found = re.search(r"\(at line (\d+)", str(trouble))
        raise UsageError(f"not TOML: {trouble}", f"{where}:{found[1]}" if found else where) from None
    return _Reader(text, where).contract(data)


class _Reader:
    def __init__(self, text: str, where: str) -> None:
        self.lines = text.split("\n")
        self.where = where

    def contract(self, data: dict[str, object]) -> Contract:
        self._keys(data, _TOP, "")
        members = cast("dict[str, object]", data.get("members", {}))
        if not members:
            raise UsageError("the contract names no member", self.where, "add a table such as [members.forward]")
        items = tuple(self._item(name, table) for name, table in members.items())
        return Contract(
            str(data.get("name") or self.where.rpartition("/")[2].removesuffix(".toml")),
            items,
            tuple(cast("list[str]", data.get("consumers", []))),
            str(data.get("receiver", "")),
            str(data.get("base", "")),
        )

    def _item(self, name: str, table: object) -> ContractItem:
        if not isinstance(table, dict):
            raise UsageError(f"members.{name} must be a table", self._place(name, "members"), f"write [members.{name}]")
        if not name.isidentifier():
            raise UsageError(f"{name!r} is no name that an attribute can have", self._place(name, "members"))
        self._keys(table, _MEMBER, f"members.{name}")
        certainty = self._one_of(table, "certainty", ("proved", "possible"), name, "proved")
        return ContractItem(
            name,
            "required" if table.get("required", True) else "optional",
            cast(Certainty, certainty),
            self._uses(name, table),
            str(table.get("signature", "")),
            bool(table.get("soft", False)),
            str(table.get("group", "")),
            cast("float | None", table.get("share")),
        )

    def _uses(self, name: str, table: dict[str, object]) -> tuple[Use, ...]:
        """One use for each stated call, and for each other way of use; places are not read back."""
        guards = tuple(cast("list[str]", table.get("when", [])))
        optional = not table.get("required", True)
        hows = cast("list[str]", table.get("uses", []))
        for how in hows:
            if how not in _HOWS:
                raise self._choice(how, "uses", _HOWS, name)
        calls = [self._call(call, name) for call in cast("list[str]", table.get("calls", []))]
        found = [Use("call", "", 0, optional=optional, call=call, guards=guards) for call in calls]
        rest = [how for how in hows if not (how == "call" and calls)]
        return (*found, *(Use(cast(How, how), "", 0, optional=optional, guards=guards) for how in rest))

    def _call(self, text: str, name: str) -> CallShape:
        expression = written.read(f"f{text}", 0) if text.startswith("(") else None
        if not isinstance(expression, Call):
            place = self._place("calls", f"members.{name}")
            raise UsageError(f"{text!r} is no call", place, 'write it as "(_, key=_)"')
        return call_shape(expression)

    # ---- refusing

    def _keys(self, table: dict[str, object], known: Mapping[str, type | tuple[type, type]], section: str) -> None:
        for key, value in table.items():
            if key not in known:
                near = difflib.get_close_matches(key, known, 1, 0.5)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
                raise UsageError(f"unknown key {key}", self._place(key, section), hint)
            if not _has_type(value, known[key]):
                raise UsageError(f"{key} must be {_named(known[key])}", self._place(key, section))

    def _one_of(self, table: dict[str, object], key: str, known: tuple[str, ...], name: str, default: str) -> str:
        value = str(table.get(key, default))
        if value not in known:
            raise self._choice(value, key, known, name)
        return value

    def _choice(self, value: str, key: str, known: tuple[str, ...], name: str) -> UsageError:
        near = difflib.get_close_matches(value, known, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        return UsageError(f"{key} cannot be {value!r}", self._place(key, f"members.{name}"), hint)

    def _place(self, key: str | None, section: str) -> str:
        """`file:line` of a key in a table (of the table's header where the key is None), or the file alone."""
        inside = section == ""
        for number, line in enumerate(self.lines, start=1):
            header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
            if header and "=" not in line.split("[")[0]:
                name = header[1].replace('"', "")
                inside = name == section
                if name == (f"{section}.{key}".lstrip(".") if key else section):
                    return f"{self.where}:{number}"
            elif inside and key and re.match(rf"\s*\"?{re.escape(key)}\"?\s*[=.]", line):
                return f"{self.where}:{number}"
        return self.where


def _has_type(value: object, wanted: type | tuple[type, type]) -> bool:
    if isinstance(wanted, tuple):
        return isinstance(value, wanted[0]) and all(isinstance(item, wanted[1]) for item in cast("list[object]", value))
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, wanted)


def _named(wanted: type | tuple[type, type]) -> str:
    if isinstance(wanted, tuple):
        return "a list of strings"
    return {str: "a string", bool: "true or false", dict: "a table", float: "a number"}[wanted]
