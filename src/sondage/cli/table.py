"""Owns the table of commands, and which words are one; it costs next to nothing to import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """Where a command lives, and what the list of commands says of it."""

    module: str
    help: str
    function: str = ""
    """Where it is not called as the command is."""


COMMANDS: dict[str, dict[str, Entry]] = {
    "Begin here": {
        "demo": Entry("house", "See the whole job, with nothing set up."),
        "index": Entry("text", "Read a target into the cache and say what was found."),
    },
    "Read": {
        "search": Entry("text", "Find lines that match a pattern."),
        "symbols": Entry("text", "Find classes and functions by a name that is like it."),
        "show": Entry("text", "Print lines of a file, or a method."),
    },
    "Follow classes and calls": {
        "mro": Entry("classes", "Show where Python looks for the members of a class."),
        "classes": Entry("classes", "List every class."),
        "subclasses": Entry("classes", "List the classes below a class."),
        "locate": Entry("members", "Say which class provides a member."),
        "overrides": Entry("members", "List what a method overrides, and what overrides it."),
        "jump": Entry("calls", "Go from a call to its definitions."),
        "callers": Entry("calls", "List the calls that reach a method."),
    },
    "Prove or refute": {
        "contract": Entry("contract", "Judge classes by what their callers ask of them."),
        "lint": Entry("judging", "List what classes ask of themselves in vain."),
        "assume": Entry("judging", "Check a claim, and keep it in the session."),
    },
    "Keep the evidence": {
        "open": Entry("transcript", "Walk through a transcript, without its host.", "open_transcript"),
        "note": Entry("transcript", "Add your own words to a session."),
        "export": Entry("transcript", "Make Markdown, HTML or JSON of a transcript."),
        "replay": Entry("transcript", "Ask a transcript's questions again, and compare."),
    },
    "Keep house": {
        "doctor": Entry("doctor", "Examine the way to a target, and say what is wrong with it."),
        "paths": Entry("house", "Show where sondage keeps its files."),
        "gc": Entry("house", "Trim the cache, or forget a host."),
    },
}
FOUND = {name: entry for family in COMMANDS.values() for name, entry in family.items()}


def names_target(word: str) -> bool:
    """Whether a word that is no command can be a target: it has the form of one, or there is such a folder."""
    return ":" in word or word.startswith((".", "/", "~")) or Path(word).exists()


def is_target_alone(arguments: Sequence[str]) -> bool:
    """Whether there is nothing but a target: no command, no option."""
    if len(arguments) != 1 or arguments[0] in FOUND or arguments[0].startswith("-"):
        return False
    return names_target(arguments[0])
