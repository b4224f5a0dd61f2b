"""Owns the step from a role to a style of the terminal: which variables of the theme a meaning is painted with.

One table for the whole app, worked out once for a theme: as component classes of every widget the same colours would
cost seconds at each change of the window, since Textual matches every rule against every class of every widget.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, cast

from rich.style import Style
from textual.color import Color
from textual.dom import DOMNode

from sondage.tui.command import Command


class Paint(NamedTuple):
    """Names of theme variables, empty for what lies below, and attributes as Rich writes them."""

    ink: str = ""
    ground: str = ""
    attributes: str = ""


PAINTS: dict[str, Paint] = {
    "muted": Paint("muted"),
    "path": Paint("path"),
    "number": Paint("number"),
    "name": Paint("name"),
    "accent": Paint("accent-text"),
    "match": Paint("match", "match-ground", "bold"),
    "good": Paint("good"),
    "bad": Paint("bad"),
    "doubt": Paint("doubt"),
    "warn": Paint("warn"),
    "heading": Paint(attributes="bold"),
    "key": Paint("accent-text", attributes="bold"),
    "label": Paint(attributes="bold"),
    "tab": Paint(ground="bar-focus-ground", attributes="bold"),
    "mark": Paint("mark"),
    "cursor": Paint(ground="cursor-ground"),
    "cursor-away": Paint(ground="cursor-away-ground"),
    "frame": Paint("frame"),
    "caret": Paint(ground="caret-ground", attributes="bold underline"),
    "stand-in": Paint("bad", attributes="reverse"),
    "code-keyword": Paint("code-keyword"),
    "code-string": Paint("code-string"),
    "code-comment": Paint("code-comment", attributes="italic"),
    "code-number": Paint("code-number"),
    "code-constant": Paint("code-constant"),
    "code-name.function": Paint("code-function"),
    "code-name.class": Paint("code-type"),
    "code-decorator": Paint("code-decorator"),
    "code-builtin": Paint("code-builtin"),
    "code-self": Paint("code-self", attributes="italic"),
    "code-operator": Paint("code-operator"),
}
"""By role. `code-…` are the styles of `core.source.highlight`."""


PLAIN_ATTRIBUTES = {
    "tab": "bold reverse",
    "cursor": "bold",
    "match": "bold underline",
    "caret": "bold reverse",
}
"""Instead of grounds, which say nothing in a terminal's own colours, or without colours at all."""


def styles(variables: Mapping[str, str], *, plain: bool) -> dict[str, Style]:
    """The style of every role, for the variables of one theme. `plain`: a theme of the terminal's own colours."""
    paints = dict(PAINTS)
    if plain:
        paints |= {role: PAINTS[role]._replace(attributes=words) for role, words in PLAIN_ATTRIBUTES.items()}
    return {role: _style(paint, variables) for role, paint in paints.items()} | {"text": Style.null()}


def _style(paint: Paint, variables: Mapping[str, str]) -> Style:
    ink = Color.parse(variables[paint.ink]).rich_color if paint.ink else None
    ground = Color.parse(variables[paint.ground]).rich_color if paint.ground else None
    return Style(color=ink, bgcolor=ground) + Style.parse(paint.attributes)


class Painted(Protocol):
    """An app that keeps the styles of its theme, and the commands with the keys of its user."""

    paint: Mapping[str, Style]
    table: Mapping[str, Command]


def paint_of(node: DOMNode) -> Mapping[str, Style]:
    """The styles of the app that a widget belongs to."""
    return cast("Painted", node.app).paint


def table_of(node: DOMNode) -> Mapping[str, Command]:
    """The commands of the app that a widget belongs to, with the keys that the user has given them."""
    return cast("Painted", node.app).table
