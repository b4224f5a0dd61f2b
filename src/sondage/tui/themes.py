"""Owns the looks: a theme of the configuration becomes a theme of Textual, and which one is shown is decided here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from textual.theme import Theme as TextualTheme

from sondage.config.themes import Theme, read_themes

FALLBACK = "dark"
"""What is shown where a name stands for no theme."""


@cache
def shipped() -> Mapping[str, Theme]:
    """The themes that come with sondage, by name."""
    return read_themes().found


def textual_theme(theme: Theme) -> TextualTheme:
    """All colours are given, so that Textual derives none of those the app uses."""
    colours = theme.palette
    return TextualTheme(
        name=theme.name,
        dark=theme.dark,
        ansi=theme.ansi,
        primary=colours["primary"],
        secondary=colours["secondary"],
        accent=colours["accent"],
        foreground=colours["foreground"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["panel"],
        success=colours["success"],
        warning=colours["warning"],
        error=colours["error"],
        variables=dict(theme.variables),
    )


def wanted(name: str, known: Mapping[str, Theme], *, no_color: bool) -> str:
    """The theme to show first. Without colours it is that of the terminal, whose grounds cannot hide anything."""
    chosen = name if name in known else FALLBACK
    if no_color and not known[chosen].ansi:
        return "terminal" if known[chosen].dark else "terminal-light"
    return chosen
