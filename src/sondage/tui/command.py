"""Owns what a command is, and how its keys are written in hints and help."""

from __future__ import annotations

import msgspec

TAKEN_KEYS: frozenset[str] = frozenset(
    {f"ctrl+{letter}" for letter in "abhjklmsq"}
    | {f"{modifier}+enter" for modifier in ("ctrl", "alt", "shift")}
    | {f"f{number}" for number in range(2, 13)}
)
"""Keys that tmux, docker, VS Code or the terminal itself take: no command may have one as its only key."""


MOVES_FOCUS: frozenset[str] = frozenset({"pane.next", "pane.previous", "search.open", "command"})
"""Commands that are run before the focused widget sees their key: what is typed or pasted right behind one of them must
not go to the widget that had the focus before."""


class Command(msgspec.Struct, frozen=True):
    """One thing the user can do. `hint` orders it in the hint line (0: not there); `short` is its text there."""

    id: str
    keys: tuple[str, ...]
    where: str
    action: str
    title: str
    help: str = ""
    hint: int = 0
    short: str = ""

    @property
    def strokes(self) -> tuple[str, ...]:
        """The keys of one stroke: those a binding can hold."""
        return tuple(key for key in self.keys if " " not in key)

    @property
    def bound(self) -> str:
        """The same as a binding is given them; a command without any keeps a binding that no key reaches."""
        return ",".join(self.strokes) or f"no-key-{self.id}"

    @property
    def shown_key(self) -> str:
        return show_key(self.keys[0]) if self.keys else ""

    @property
    def shown_keys(self) -> str:
        return "  ".join(show_key(key) for key in self.keys)


NAMES = {
    "enter": "Enter",
    "space": "Space",
    "escape": "Esc",
    "full_stop": ".",
    "tab": "Tab",
    "shift+tab": "S-Tab",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "home": "Home",
    "end": "End",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "apostrophe": "'",
    "plus": "+",
    "percent_sign": "%",
    "minus": "-",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "number_sign": "#",
    "f1": "F1",
}


def show_key(key: str) -> str:
    """`ctrl+o` → `^O`, `g d` → `gd`: as a hint line writes it."""
    strokes = []
    for stroke in key.split(" "):
        if stroke.startswith("ctrl+"):
            strokes.append("^" + stroke[5:].upper())
        else:
            strokes.append(NAMES.get(stroke, stroke))
    return "".join(strokes)


def key_named(key: str) -> str:
    """`/` → `slash`, `g ?` → `g question_mark`: as a user may write a key in the configuration."""
    signs = {shown: name for name, shown in NAMES.items() if len(shown) == 1}
    return " ".join(signs.get(stroke, stroke) for stroke in key.split())
