"""Owns what a colour is in a theme file, and how well one is read on another: contrast as WCAG 2.1 defines it."""

from __future__ import annotations

from sondage.core.late import late_pattern

TEXT = 4.5
"""Least contrast of text: WCAG 2.1, success criterion 1.4.3, level AA."""
SIGN = 3.0
"""Least contrast of signs and line numbers, which repeat what is said elsewhere: success criterion 1.4.11."""

_HEX = late_pattern(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_PLAIN = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
TERMINAL = frozenset(
    {"ansi_default", *(f"ansi_{name}" for name in _PLAIN), *(f"ansi_bright_{name}" for name in _PLAIN)}
)
"""The terminal's own palette: what it looks like only the user knows, so no contrast can be computed."""


def is_hex(colour: str) -> bool:
    """Whether it is `#rgb` or `#rrggbb`."""
    return _HEX.fullmatch(colour) is not None


def contrast(one: str, other: str) -> float:
    """The contrast of two hex colours, from 1 (the same) to 21 (black and white)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """The relative luminance of a hex colour, from 0 (black) to 1 (white); definition in WCAG 2.1."""
    digits = colour.removeprefix("#")
    width = len(digits) // 3
    red, green, blue = (int(digits[at : at + width] * (3 - width), 16) / 255 for at in range(0, len(digits), width))
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.03928 else float(((channel + 0.055) / 1.055) ** 2.4)
