"""Owns the commands of the screens that lie over the panes; `commands` takes them into its table."""

from __future__ import annotations

from sondage.tui.command import Command

SCREENS = ("matrix", "drift", "peek")
"""Places that lie over the panes: there the keys of `anywhere` do nothing, and from the panes theirs do nothing."""
HELP = ("question_mark", "f1")
OF_SCREENS: tuple[Command, ...] = (
    Command("matrix.choose", ("enter",), "matrix", "choose", "Evidence of the cell", "In Source", 1, "evidence"),
    Command("matrix.sort", ("s",), "matrix", "sort", "Sort by the column", "Once more turns it round", 2, "sort"),
    Command("matrix.filter", ("slash",), "matrix", "filter", "Filter", "By class, path or member:verdict", 3, "filter"),
    Command("matrix.contract", ("c",), "matrix", "contract", "Contract of the class", "In its pane", 4, "contract"),
    Command("matrix.copy", ("y",), "matrix", "copy", "Copy path:line", "Of the evidence of the cell"),
    Command("matrix.left", ("h", "left"), "matrix", "column(-1)", "Column to the left", "The column before"),
    Command("matrix.right", ("l", "right"), "matrix", "column(1)", "Column to the right", "The column behind"),
    Command("matrix.close", ("escape", "q"), "matrix", "close", "Close", "m in Contract shows it again", 5, "close"),
    Command("matrix.keys", HELP, "matrix", "app.screen_help('matrix')", "Keys", "What can be done here", 6, "keys"),
    Command("drift.choose", ("enter",), "drift", "choose", "Definition in this target", "In Source", 1, "evidence"),
    Command(
        "drift.places", ("o",), "drift", "places", "All places", "Definitions and evidence of every target", 2, "places"
    ),
    Command(
        "drift.changed", ("a",), "drift", "only_changed", "All or changed", "All members or changed ones", 3, "changed"
    ),
    Command("drift.close", ("escape", "q"), "drift", "close", "Close", "Back to the panes", 4, "close"),
    Command("drift.keys", HELP, "drift", "app.screen_help('drift')", "Keys", "What can be done here", 5, "keys"),
    Command("peek.copy", ("y",), "peek", "copy", "Copy path:line", "With its target", 1, "copy"),
    Command("peek.close", ("escape", "q"), "peek", "close", "Close", "Back to what lies below", 2, "close"),
    Command("peek.keys", HELP, "peek", "app.screen_help('peek')", "Keys", "What can be done here", 3, "keys"),
)
