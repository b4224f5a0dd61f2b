"""Owns the command line behind `:`: what was typed becomes a question for the app, the id of a command, or a complaint."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sondage.core.late import late_pattern
from sondage.tui.commands import BY_ID
from sondage.tui.models.asking import read_prompt
from sondage.tui.models.demand import WAYS, parse_demand
from sondage.tui.panes.messages import (
    Asked,
    AssumeAsked,
    ClassAsked,
    ContractAsked,
    DriftAsked,
    JumpAsked,
    LintAsked,
    MatrixAsked,
    NoteAsked,
    SaveAsked,
    SearchAsked,
    SpecAsked,
)

_RANGE = late_pattern(r"\s*(\d+)\s*(?:[,-]\s*(\d+)\s*)?\Z")
_PLACE = late_pattern(r"(.+):(\d+):(\d+)\Z")
WORDS = {
    "class": ":class Name",
    "contract": f":contract Class {WAYS}",
    "matrix": ":matrix registered:NAME, subclasses:CLASS, glob:PATTERN or all",
    "drift": ":drift TARGET",
    "lint": ":lint Class",
    "assume": ":assume A inherits B, A.x is B, CONSUMER on RECEIVER needs only A,B, or A.b unchanged since TARGET",
    "search": ":search pattern -g glob",
    "jump": ":jump PATH:LINE:COLUMN",
    "open": ":open PATH:A-B or Class.method",
    "theme": ":theme name",
    "note": ":note text",
    "save": ":save [file]",
    "session": ":session name",
    "mouse": ":mouse on or off",
    "copy-test": ":copy-test",
    "stop": ":stop",
    "q": ":q",
}
"""The commands, with how they are written."""


class Run(msgspec.Struct, frozen=True):
    """A command of the table, by id."""

    id: str


class ThemeWanted(msgspec.Struct, frozen=True):
    name: str


class Complaint(msgspec.Struct, frozen=True):
    text: str


def _contract(rest: str) -> Asked | Complaint:
    """`Class names`, `Class --from …`, or only what is asked, put to no class yet."""
    name, _, asked = ("", "", rest) if rest.startswith("-") else rest.partition(" ")
    demand = parse_demand(asked)
    if isinstance(demand, str):
        return Complaint(demand)
    return ContractAsked(name, demand) if demand else Complaint(f"write {WORDS['contract']}")


def _drift(rest: str) -> Asked | Complaint:
    return DriftAsked(rest) if rest else Complaint(f"write {WORDS['drift']}")


def _assume(rest: str) -> Asked | Complaint:
    return AssumeAsked(rest) if rest else Complaint(f"write {WORDS['assume']}")


OF_CONTRACTS: dict[str, Callable[[str], Asked | Complaint]] = {
    "contract": _contract,
    "matrix": MatrixAsked,
    "lint": LintAsked,
    "drift": _drift,
    "assume": _assume,
}


def read_line(line: str) -> Asked | Run | ThemeWanted | Complaint | None:
    """None for an empty line."""
    text = line.strip().removeprefix(":").strip()
    if not text:
        return None
    if found := _RANGE.match(text):
        return SpecAsked(f"{found[1]},{found[2] or found[1]}")
    word, _, rest = text.partition(" ")
    return _read_word(word, rest.strip())


def _read_word(word: str, rest: str) -> Asked | Run | ThemeWanted | Complaint:
    simple = {"q": "quit", "quit": "quit", "help": "help.keys", "refresh": "index.refresh", "why": "source.why"}
    if word in simple:
        return Run(simple[word])
    if word in BY_ID and not rest:
        return Run(word)
    if word == "save":
        return SaveAsked(rest)
    if word == "theme":
        return ThemeWanted(rest) if rest else Run("theme")
    if word in OF_CONTRACTS:
        return OF_CONTRACTS[word](rest)
    if word in WORDS and not rest:
        return Complaint(f"write {WORDS[word]}")
    if word == "class":
        return ClassAsked(rest)
    if word == "open":
        return SpecAsked(rest)
    if word == "note":
        return NoteAsked(rest)
    if word == "search":
        pattern, globs = read_prompt(rest)
        return SearchAsked(pattern, globs, fixed=False, ignore_case=False, committed=True)
    if word == "jump":
        place = _PLACE.match(rest)
        return JumpAsked(place[1], int(place[2]), int(place[3])) if place else Complaint(f"write {WORDS[word]}")
    return Complaint(f"no command {word}; there are :A,B " + " ".join(f":{name}" for name in WORDS))
