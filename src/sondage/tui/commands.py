"""Owns the one table of commands: bindings, hints, help and palette are all read from it.

`where` says which widget acts: `anywhere` the app, `list` every list and the source view, else the pane of that name
(`prompt`: of search, also while typing) or the screen of that name. `typing`, `form` and `line` are what prompts do by
themselves, for the hints. `action` is the name of that widget's action. Keys of several strokes are written with a
space: `g d`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from textual.binding import Binding, BindingType

from sondage.tui.command import MOVES_FOCUS, TAKEN_KEYS, Command, show_key
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
    # ---------------------------------------------------------------- anywhere
    Command(
        "help.keys",
        ("question_mark", "f1"),
        ANYWHERE,
        "help",
        "Keys",
        "What can be done here; type to filter",
        hint=91,
        short="keys",
    ),
    Command(
        "command",
        ("colon",),
        ANYWHERE,
        "command_line",
        "Command line",
        ":A,B  :class  :contract  :theme  :save  :q",
        hint=92,
        short="command",
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
    Command("pane.next", ("tab",), ANYWHERE, "next_pane(1)", "Next pane"),
    Command("pane.previous", ("shift+tab",), ANYWHERE, "next_pane(-1)", "Previous pane"),
    Command("pane.zoom", ("z",), ANYWHERE, "zoom", "Zoom the pane", "One pane over the whole window, or back"),
    Command("hit.next", ("n",), ANYWHERE, "hit(1)", "Next hit", "Also from Source, without going back to the list"),
    Command("hit.previous", ("N",), ANYWHERE, "hit(-1)", "Previous hit"),
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
    Command("jump.list", ("apostrophe",), ANYWHERE, "jump_list", "Jump list", "Places visited, to go to again"),
    Command("copy.place", ("y",), ANYWHERE, "copy", "Copy path:line", "Of what is under the cursor"),
    Command("copy.more", ("Y",), ANYWHERE, "copy_more", "Copy as…", "Text, the sed command, the qualified name"),
    Command(
        "index.refresh",
        ("R",),
        ANYWHERE,
        "refresh_index",
        "Refresh the index",
        "One listing; only what changed is fetched",
    ),
    Command("guide.next", ("full_stop",), ANYWHERE, "guide_next", "Next step of the guide", "In sondage demo"),
    Command("theme", (), ANYWHERE, "themes", "Change the theme"),
    Command("save", (), ANYWHERE, "save", "Save the transcript", "As Markdown, with the commands that show the same"),
    Command(
        "back",
        ("escape",),
        ANYWHERE,
        "step_back",
        "One step back",
        "Close a prompt, unzoom, stop a search; never quits",
    ),
    Command("quit", ("q",), ANYWHERE, "quit_or_close", "Quit", "The transcript is on disk already"),
    Command(
        "interrupt", ("ctrl+c",), ANYWHERE, "interrupt", "Copy or quit", "Copies a selection; pressed twice it quits"
    ),
    # ---------------------------------------------------------------- every list
    Command("move.down", ("j", "down"), "list", "move(1)", "Down"),
    Command("move.up", ("k", "up"), "list", "move(-1)", "Up"),
    Command("move.half_down", ("ctrl+d",), "list", "half_page(1)", "Half a page down"),
    Command("move.half_up", ("ctrl+u",), "list", "half_page(-1)", "Half a page up"),
    Command("move.page_down", ("pagedown", "ctrl+f"), "list", "page(1)", "A page down"),
    Command("move.page_up", ("pageup",), "list", "page(-1)", "A page up"),
    Command("move.top", ("g g", "home"), "list", "edge(-1)", "First line"),
    Command("move.bottom", ("G", "end"), "list", "edge(1)", "Last line"),
    # ---------------------------------------------------------------- search
    Command("search.choose", ("enter",), "search", "choose", "Open in Source", hint=1, short="source"),
    Command("search.class", ("c",), "search", "show_class", "Class of the hit", hint=2, short="class"),
    Command("search.regex", ("ctrl+r",), "prompt", "toggle_regex", "Pattern or plain text", hint=5, short="plain text"),
    Command("search.case", ("ctrl+t",), "prompt", "toggle_case", "Ignore case or not", hint=4, short="case"),
    Command(
        "search.glob", ("ctrl+g",), "prompt", "glob", "Only files of a glob", "**/models/*.py", hint=3, short="glob"
    ),
    Command("search.fold", ("o",), "search", "group", "Group", "By file or by class; hidden files come back"),
    Command("search.hide", ("x",), "search", "hide_file", "Hide this file"),
    Command("search.other_down", ("J",), "search", "scroll_other(1)", "Scroll the preview down"),
    Command("search.other_up", ("K",), "search", "scroll_other(-1)", "Scroll the preview up"),
    # ---------------------------------------------------------------- what Input itself acts on, said in the hints
    Command("prompt.search", ("enter",), "typing", "", "Search", hint=1, short="search"),
    Command("prompt.glob", ("tab",), "typing", "", "To the glob, then to the list", hint=2, short="glob"),
    Command("prompt.leave", ("escape",), "typing", "", "To the list", hint=3, short="list"),
    Command("line.run", ("enter",), "line", "", "Run", hint=1, short="run"),
    Command("line.leave", ("escape",), "line", "", "Close", hint=2, short="close"),
    Command("form.check", ("enter",), "form", "", "Check", hint=1, short="check"),
    Command("form.other", ("tab",), "form", "", "Class or names", hint=2, short="class or names"),
    Command("form.leave", ("escape",), "form", "", "To the list", hint=3, short="list"),
    # ---------------------------------------------------------------- classes
    Command("classes.choose", ("enter",), "classes", "choose", "Open in Source", hint=1, short="source"),
    Command(
        "classes.other_down",
        ("J",),
        "classes",
        "level(1)",
        "Along the MRO",
        "Source shows the same member there",
        hint=2,
        short="along the MRO",
    ),
    Command("classes.other_up", ("K",), "classes", "level(-1)", "Back along the MRO"),
    Command(
        "classes.contract",
        ("c",),
        "classes",
        "contract",
        "Contract",
        "Put a contract to the class under the cursor",
        hint=3,
        short="contract",
    ),
    Command(
        "classes.class",
        ("C",),
        "classes",
        "show_class",
        "Show this class",
        "The class under the cursor becomes the subject",
        hint=5,
        short="subject",
    ),
    Command("classes.mro", ("m",), "classes", "section('mro')", "To the MRO"),
    Command("classes.members", ("d",), "classes", "section('members')", "To the members"),
    Command(
        "classes.subclasses",
        ("s",),
        "classes",
        "section('subclasses')",
        "To the subclasses",
        hint=6,
        short="subclasses",
    ),
    Command("classes.bases", ("b",), "classes", "base", "To the first base"),
    Command(
        "classes.inherited", ("i",), "classes", "inherited", "Inherited members", "On or off", hint=4, short="inherited"
    ),
    # ---------------------------------------------------------------- source
    Command(
        "source.definition",
        ("enter", "g d"),
        "source",
        "definition",
        "Go to the definition",
        "Of the call or name under the cursor",
        hint=1,
        short="definition",
    ),
    Command(
        "source.callers",
        ("g r",),
        "source",
        "callers",
        "Callers",
        "Of the definition or call under the cursor",
        hint=2,
        short="callers",
    ),
    Command("source.class", ("c",), "source", "show_class", "Class at the cursor", hint=3, short="class"),
    Command("source.name_next", ("l", "right"), "source", "name(1)", "Next name on the line"),
    Command("source.name_previous", ("h", "left"), "source", "name(-1)", "Previous name on the line"),
    Command("source.right", ("L", "shift+right"), "source", "sideways(1)", "Scroll right"),
    Command("source.left", ("H", "shift+left"), "source", "sideways(-1)", "Scroll left"),
    Command(
        "source.select",
        ("v",),
        "source",
        "select",
        "Select a range",
        "Move, then Enter frames it",
        hint=4,
        short="range",
    ),
    Command("source.widen", ("plus",), "source", "widen(5)", "Widen the frame", "By 5 lines"),
    Command("source.narrow", ("minus",), "source", "widen(-5)", "Narrow the frame", "By 5 lines"),
    Command(
        "source.next_definition",
        ("right_curly_bracket",),
        "source",
        "definition_near(1)",
        "Next definition",
        "In this file",
    ),
    Command(
        "source.previous_definition",
        ("left_curly_bracket",),
        "source",
        "definition_near(-1)",
        "Previous definition",
        "In this file",
    ),
    Command("source.numbers", ("number_sign",), "source", "numbers", "Line numbers on or off"),
    # ---------------------------------------------------------------- contract
    Command("contract.choose", ("enter",), "contract", "choose", "Jump to the evidence", hint=1, short="evidence"),
    Command("contract.read", ("space",), "contract", "read", "Mark as read, or not", hint=2, short="read"),
    Command(
        "contract.next",
        ("t",),
        "contract",
        "next",
        "Take the next step",
        "What the last line proposes",
        hint=3,
        short="next",
    ),
    Command(
        "contract.proof",
        ("w",),
        "contract",
        "proof",
        "Into the proof",
        "Each line of it leads to its place",
        hint=4,
        short="why",
    ),
    Command(
        "contract.names",
        ("i", "S"),
        "contract",
        "edit",
        "Class and names",
        "Change what is asked",
        hint=5,
        short="edit",
    ),
    Command(
        "contract.from",
        ("f",),
        "contract",
        "from",
        "From who uses it",
        "Choose a consumer and what it uses",
        hint=6,
        short="from",
    ),
    Command("contract.base", ("b",), "contract", "base", "From a base", "Choose a base; what it asks is the contract"),
    Command(
        "contract.matrix",
        ("m",),
        "contract",
        "matrix",
        "Matrix",
        "The contract against many classes",
        hint=7,
        short="matrix",
    ),
    Command(
        "contract.open",
        ("a",),
        "contract",
        "only_open",
        "All or open",
        "All names, or only those not met",
        hint=8,
        short="all/open",
    ),
    Command("contract.class", ("c",), "contract", "show_class", "Class of the owner", hint=9, short="class"),
    # ---------------------------------------------------------------- log
    Command("log.choose", ("enter",), "log", "choose", "Go there again", hint=1, short="go again"),
    Command("log.save", ("w",), "log", "save", "Save as Markdown", hint=2, short="save"),
    Command("log.note", ("t",), "log", "note", "Add a note", hint=3, short="note"),
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
            ",".join(command.strokes),
            command.action,
            command.title,
            show=False,
            id=command.id,
            priority=command.id in MOVES_FOCUS,
        )
        for command in at(*places)
        if command.strokes
    ]


def sequences(*places: str) -> dict[str, Command]:
    """Keys of several strokes that work in these places."""
    return {key: command for command in at(*places) for key in command.keys if " " in key}


def hints(place: str, table: Mapping[str, Command] = BY_ID) -> list[Command]:
    """What the hint line shows for a pane, or while `typing` into the search prompt, most wanted first."""
    places = (place, "prompt") if place in ("search", "typing") else (place,)
    return sorted((table[command.id] for command in at(*places) if command.hint), key=lambda command: command.hint)


def remapped(changes: Mapping[str, Iterable[str]]) -> tuple[dict[str, Command], list[str]]:
    """The table with the keys a user wants, and a sentence for every change that was refused.

    A change is refused when its id is not known, or when one of its keys already belongs to another command that works
    in the same place: both ids are named.
    """
    table = dict(BY_ID)
    refused: list[str] = []
    for name, keys in changes.items():
        if name not in table:
            refused.append(f"keys: no command is called {name}")
            continue
        wanted = replace(table[name], keys=tuple(keys))
        rival = _rival(wanted, table.values())
        if rival is None:
            table[name] = wanted
        else:
            refused.append(f"keys: {name} wants a key of {rival.id}")
    return table, refused


def _rival(wanted: Command, others: Iterable[Command]) -> Command | None:
    """Another command that shares a key with `wanted` where both can be meant."""
    for other in others:
        wheres = (other.where, wanted.where)
        covered = any(where in SCREENS for where in wheres)
        meet = other.where == wanted.where or "list" in wheres or ("anywhere" in wheres and not covered)
        if other.id != wanted.id and meet and set(other.keys) & set(wanted.keys):
            return other
    return None
