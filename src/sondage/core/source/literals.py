"""Owns the value of a string literal as it is written."""

from __future__ import annotations

import ast


def string_value(text: str) -> str:
    """The value of one string literal as written, prefix and quotes included."""
    quote_at = min((at for at in (text.find("'"), text.find('"')) if at >= 0), default=0)
    prefix, rest = text[:quote_at], text[quote_at:]
    width = 3 if rest[:3] in {"'''", '"""'} else 1
    inner = rest[width:-width]
    if "\\" not in inner or "r" in prefix.lower():
        return inner
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return inner
    return value if isinstance(value, str) else inner
