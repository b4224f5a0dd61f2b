"""Owns the commands of the screens that lie over the panes; `commands` takes them into its table."""

from __future__ import annotations

from sondage.tui.command import Command

SCREENS = ("matrix", "drift")
"""Places that lie over the panes: there the keys of `anywhere` do nothing, and from the panes theirs do nothing."""
OF_SCREENS: tuple[Command, ...] = (
    Command("matrix.choose", ("enter",), "matrix", "choose", "Evidence of the cell", hint=1, short="evidence"),
    Command(
        "matrix.sort", ("s",), "matrix", "sort", "Sort by the column", "Once more turns it round", hint=2, short="sort"
    ),
    Command(
        "matrix.filter",
        ("slash",),
        "matrix",
        "filter",
        "Filter",
        "By class, path or member:verdict",
        hint=3,
        short="filter",
    ),
    Command("matrix.contract", ("c",), "matrix", "contract", "Contract of the class", hint=4, short="contract"),
    Command("matrix.left", ("h", "left"), "matrix", "column(-1)", "Column to the left"),
    Command("matrix.right", ("l", "right"), "matrix", "column(1)", "Column to the right"),
    Command("matrix.close", ("escape", "q"), "matrix", "close", "Close", hint=5, short="close"),
    Command("drift.choose", ("enter",), "drift", "choose", "Definition in this target", hint=1, short="evidence"),
    Command("drift.changed", ("a",), "drift", "only_changed", "All or changed", hint=2, short="all/changed"),
    Command("drift.close", ("escape", "q"), "drift", "close", "Close", hint=3, short="close"),
)
