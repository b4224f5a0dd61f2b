"""Owns the one table of commands: bindings, hints, help and palette are all read from it.

`where` says which widget acts: `anywhere` the app, `list` every list and the source view, else the pane of that name
(`prompt`: of search, also while typing) or the screen of that name. `typing`, `form` and `line` are what prompts do by
themselves, for the hints. `action` is the name of that widget's action. Keys of several strokes are written with a
space: `g d`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace
from textual.binding import Binding, BindingType

from sondage.tui.command import MOVES_FOCUS, TAKEN_KEYS, Command, key_named, show_key
from sondage.tui.house_commands import OF_HOUSE
from sondage.tui.pane_commands import OF_PANES
from sondage.tui.screen_commands import OF_SCREENS, SCREENS

__all__ = [
    "BY_ID",
    "COMMANDS",
    "SCREENS",
    "TAKEN_KEYS",
    "Command",
    "at",
    "bindings",
    "hints",
    "remapped",
    "sequences",
    "show_key",
]


def _pane(number: int, name: str, what: str) -> Command:
    return Command(f"pane.{name}", (str(number),), "anywhere", f"pane('{name}')", f"Go to {name.title()}", what)


ANYWHERE = "anywhere"
COMMANDS: tuple[Command, ...] = (
    Command(
        "help.keys",
        ("question_mark", "f1"),
        ANYWHERE,
        "help",
        "Keys",
        "What can be done here; type to filter",
        91,
        "keys",
    ),
    Command(
        "command",
        ("colon",),
        ANYWHERE,
        "command_line",
        "Command line",
        ":A,B  :class  :contract  :theme  :save  :q",
        92,
        "command",
    ),
    Command("search.open", ("slash",), ANYWHERE, "search", "Search", "A pattern over all files; the last one is kept"),
    Command(
        "palette",
        ("p", "ctrl+p"),
        ANYWHERE,
        "palette",
        "Go to anything",
        "Symbols, files, classes and commands by a few letters",
    ),
    _pane(1, "search", "Hits of a pattern, or callers"),
    _pane(2, "classes", "MRO, members and subclasses of a class"),
    _pane(3, "source", "The text, a range of lines framed"),
    _pane(4, "contract", "Names a class must have, each with its verdict"),
    _pane(5, "log", "The transcript: every question with its answer"),
    Command("pane.next", ("tab",), ANYWHERE, "next_pane(1)", "Next pane", "In a prompt: the next field"),
    Command(
        "pane.previous", ("shift+tab",), ANYWHERE, "next_pane(-1)", "Previous pane", "In a prompt: the field before"
    ),
    Command("pane.zoom", ("z",), ANYWHERE, "zoom", "Zoom the pane", "One pane over the whole window, or back"),
    Command("hit.next", ("n",), ANYWHERE, "hit(1)", "Next hit", "Also from Source, without going back to the list"),
    Command("hit.previous", ("N",), ANYWHERE, "hit(-1)", "Previous hit", "Also from Source"),
    Command(
        "jump.back",
        ("ctrl+o", "left_square_bracket"),
        ANYWHERE,
        "jump_back",
        "Back",
        "To the place before the last jump",
    ),
    Command(
        "jump.forward", ("right_square_bracket", "ctrl+i"), ANYWHERE, "jump_forward", "Forward", "Along the jump list"
    ),
    Command("jump.list", ("apostrophe",), ANYWHERE, "jump_list", "Marks and jumps", "Places marked or visited"),
    Command("copy.place", ("y",), ANYWHERE, "copy", "Copy path:line", "Of what is under the cursor"),
    Command("copy.more", ("Y",), ANYWHERE, "copy_more", "Copy as…", "Text, sed command, full name, import, Markdown"),
    Command(
        "edit", ("e",), ANYWHERE, "edit", "Open in the editor", "A read-only copy, at the line, in $VISUAL or $EDITOR"
    ),
    Command(
        "index.refresh",
        ("R",),
        ANYWHERE,
        "refresh_index",
        "Refresh the index",
        "One listing; only what changed is fetched",
    ),
    Command("guide.next", ("full_stop",), ANYWHERE, "guide_next", "Next step of the guide", "In sondage demo"),
    Command("theme", ("T",), ANYWHERE, "themes", "Change the theme", "Those shipped, and your own"),
    Command("save", ("W",), ANYWHERE, "save", "Save the transcript", "As Markdown, with commands that show the same"),
    Command(
        "back",
        ("escape",),
        ANYWHERE,
        "step_back",
        "One step back",
        "Close a prompt, unzoom, stop a search; never quits",
    ),
    Command("quit", ("q",), ANYWHERE, "quit_or_close", "Quit", "The transcript is on disk already"),
    Command("interrupt", ("ctrl+c",), ANYWHERE, "interrupt", "Copy or quit", "Copies a selection; twice, it quits"),
    *OF_PANES,
    *OF_HOUSE,
    *OF_SCREENS,
)
BY_ID: dict[str, Command] = {command.id: command for command in COMMANDS}


def at(*places: str) -> list[Command]:
    """The commands of some places, in the order of the table."""
    return [command for command in COMMANDS if command.where in places]


def bindings(*places: str) -> list[BindingType]:
    """What a widget class of those places puts into its BINDINGS."""
    return [
        Binding(
            command.bound, command.action, command.title, show=False, id=command.id, priority=command.id in MOVES_FOCUS
        )
        for command in at(*places)
        if command.action
    ]


def sequences(table: Mapping[str, Command], *places: str) -> dict[str, Command]:
    """Keys of several strokes that work in these places, in a table with the keys of the user."""
    shown = [command for command in table.values() if command.where in places]
    return {key: command for command in shown for key in command.keys if " " in key}


def hints(place: str, table: Mapping[str, Command] = BY_ID) -> list[Command]:
    """What the hint line shows for a pane, or while `typing` into the search prompt, most wanted first."""
    places = (place, "prompt") if place in ("search", "typing") else (place,)
    return sorted((table[command.id] for command in at(*places) if command.hint), key=lambda command: command.hint)


def remapped(changes: Mapping[str, Iterable[str]]) -> tuple[dict[str, Command], list[str]]:
    """The table with the keys a user wants, and a sentence for every change that was refused.

    A change is refused when its id is not known, or when one of its keys belongs, after all changes, to another command
    that works in the same place, or is the first stroke of one of its keys: both ids are named.
    """
    refused = [f"keys: no command is called {name}" for name in changes if name not in BY_ID]
    wanted = {
        name: replace(BY_ID[name], keys=tuple(map(key_named, keys))) for name, keys in changes.items() if name in BY_ID
    }
    while clash := _clash(wanted):
        name, rival = clash
        refused.append(f"keys: {name} wants a key of {rival}")
        del wanted[name]
    return {**BY_ID, **wanted}, refused


def _clash(wanted: dict[str, Command]) -> tuple[str, str] | None:
    """The last change that clashes with anything, and with what."""
    table = {**BY_ID, **wanted}
    for name in reversed(wanted):
        for other in table.values():
            if other.id != name and _meet(other, wanted[name]) and _same_strokes(other.keys, wanted[name].keys):
                return name, other.id
    return None


def _meet(one: Command, other: Command) -> bool:
    """Whether both can be meant by one key. `typing`, `form` and `line` only tell what prompts do by themselves."""
    wheres = {one.where, other.where}
    if wheres & {"typing", "form", "line"}:
        return False
    covered = any(where in SCREENS for where in wheres)
    return (
        len(wheres) == 1 or "list" in wheres or ("anywhere" in wheres and not covered) or wheres == {"search", "prompt"}
    )


def _same_strokes(ones: Iterable[str], others: Iterable[str]) -> bool:
    """Whether two keys are the same, or one is the beginning of the other."""
    return any(f"{a} ".startswith(f"{b} ") or f"{b} ".startswith(f"{a} ") for a in ones for b in others)
