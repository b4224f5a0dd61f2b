"""Owns patterns that are compiled when they are first used: a command uses a few of the hundred that its modules name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any


class _LatePattern:
    """Stands for a compiled pattern, whose methods it has from their first use on."""

    def __init__(self, pattern: Any, flags: int = 0) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Only what is not there yet is asked for here."""
        found = self.__dict__[name] = getattr(re.compile(*self._given), name)
        return found


if TYPE_CHECKING:
    from re import compile as late_pattern
else:
    late_pattern = _LatePattern

__all__ = ["late_pattern"]
