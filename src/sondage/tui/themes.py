"""Owns the looks: themes of the configuration become themes of Textual, with every colour that the stylesheet names."""

from __future__ import annotations

from textual.theme import Theme

DARK: dict[str, str] = {
    "muted": "#8d99a6",
    "path": "#8fb8de",
    "line-number": "#7d8996",
    "name": "#c9b1ff",
    "accent-text": "#7cc4ff",
    "match": "#ffe08a",
    "match-ground": "#4d3f0a",
    "good": "#7ddf9a",
    "bad": "#ff9a94",
    "doubt": "#f2c66d",
    "warn": "#ffb27a",
    "mark": "#7cc4ff",
    "cursor-ground": "#23405e",
    "cursor-away-ground": "#222a33",
    "bar-ground": "#1c232b",
    "bar-focus-ground": "#2b4d6e",
    "frame": "#f2c66d",
    "caret-ground": "#3d6a96",
    "code-keyword": "#ff9fb2",
    "code-string": "#a5d6a0",
    "code-comment": "#8593a0",
    "code-number": "#f2c66d",
    "code-function": "#7cc4ff",
    "code-class": "#c9b1ff",
    "code-decorator": "#ffb27a",
    "code-builtin": "#8bdbd5",
    "code-operator": "#b8c2cc",
}

VARIABLES = DARK


def usable(given: object) -> list[Theme]:
    return []


def wanted(name: str, available: object, *, no_color: bool) -> str:
    return "textual-dark"
