"""Owns the commands of lists, prompts and panes; `commands` takes them into its table."""

from __future__ import annotations

from sondage.tui.command import Command

OF_PANES: tuple[Command, ...] = (
    # ---------------------------------------------------------------- every list
    Command("move.down", ("j", "down"), "list", "move(1)", "Down", "One line"),
    Command("move.up", ("k", "up"), "list", "move(-1)", "Up", "One line"),
    Command("move.half_down", ("ctrl+d",), "list", "half_page(1)", "Half a page down", "Changes nothing, ever"),
    Command("move.half_up", ("ctrl+u",), "list", "half_page(-1)", "Half a page up", "Back over half a screen"),
    Command("move.page_down", ("pagedown", "ctrl+f"), "list", "page(1)", "A page down", "One screen on"),
    Command("move.page_up", ("pageup",), "list", "page(-1)", "A page up", "One screen back"),
    Command("move.top", ("g g", "home"), "list", "edge(-1)", "First line", "To the top"),
    Command("move.bottom", ("G", "end"), "list", "edge(1)", "Last line", "To the bottom"),
    # ---------------------------------------------------------------- search
    Command("search.choose", ("enter",), "search", "choose", "Open in Source", "The hit, recorded", 1, "source"),
    Command("search.class", ("c",), "search", "show_class", "Class of the hit", "The class around it", 2, "class"),
    Command("search.glob", ("ctrl+g",), "prompt", "glob", "Only files of a glob", "**/models/*.py", 3, "glob"),
    Command("search.case", ("ctrl+t",), "prompt", "toggle_case", "Case counts or not", "Aa", 4, "case"),
    Command("search.regex", ("ctrl+r",), "prompt", "toggle_regex", "Pattern or plain text", ".*", 5, "plain text"),
    Command("search.word", ("ctrl+y",), "prompt", "toggle_word", "Whole words or not", "ab", 6, "word"),
    Command("search.fold", ("o",), "search", "group", "Group", "By file or by class", 7, "group"),
    Command(
        "search.hide", ("x",), "search", "hide_file", "Hide this file", "Its hits go; the last line brings them back"
    ),
    Command("search.mark", ("space",), "search", "mark", "Mark the hit", "Or unmark it; ' lists what is marked"),
    Command("search.other_down", ("J",), "search", "scroll_other(1)", "Scroll the preview down", "Or Source beside it"),
    Command("search.other_up", ("K",), "search", "scroll_other(-1)", "Scroll the preview up", "Or Source beside it"),
    # ---------------------------------------------------------------- what Input itself acts on, said in the hints
    Command("prompt.search", ("enter",), "typing", "", "Search", hint=1, short="search"),
    Command("prompt.glob", ("tab",), "typing", "", "To the glob, then to the list", hint=2, short="glob"),
    Command("prompt.history", ("up",), "typing", "", "Earlier patterns", hint=3, short="earlier"),
    Command("prompt.leave", ("escape",), "typing", "", "To the list", hint=4, short="list"),
    Command("line.run", ("enter",), "line", "", "Run", hint=1, short="run"),
    Command("line.leave", ("escape",), "line", "", "Close", hint=2, short="close"),
    Command("form.check", ("enter",), "form", "", "Check", hint=1, short="check"),
    Command("form.other", ("tab",), "form", "", "Class or names", hint=2, short="class or names"),
    Command("form.leave", ("escape",), "form", "", "To the list", hint=3, short="list"),
    # ---------------------------------------------------------------- classes
    Command(
        "classes.choose", ("enter",), "classes", "choose", "Open in Source", "What is under the cursor", 1, "source"
    ),
    Command(
        "classes.other_down",
        ("J",),
        "classes",
        "level(1)",
        "Along the MRO",
        "Source shows the same member there",
        2,
        "along the MRO",
    ),
    Command(
        "classes.other_up", ("K",), "classes", "level(-1)", "Back along the MRO", "Source shows the same member there"
    ),
    Command(
        "classes.contract",
        ("c",),
        "classes",
        "contract",
        "Contract",
        "Put the contract at hand to the class under the cursor",
        3,
        "contract",
    ),
    Command(
        "classes.inherited", ("i",), "classes", "inherited", "Inherited members", "On or off", hint=4, short="inherited"
    ),
    Command(
        "classes.overrides",
        ("o",),
        "classes",
        "overrides",
        "Who else defines it",
        "All definitions of this member, above and below",
        5,
        "overrides",
    ),
    Command(
        "classes.subclasses",
        ("s",),
        "classes",
        "section('subclasses')",
        "To the subclasses",
        "With how much each overrides",
        6,
        "subclasses",
    ),
    Command(
        "classes.class", ("C",), "classes", "show_class", "Show this class", "It becomes the subject", 7, "subject"
    ),
    Command("classes.mro", ("m",), "classes", "section('mro')", "To the MRO", "The classes in the order of lookup"),
    Command(
        "classes.members", ("d",), "classes", "section('members')", "To the members", "Of the level that is marked"
    ),
    Command("classes.bases", ("b",), "classes", "base", "To the bases", "The next of them at each press"),
    Command(
        "classes.fetch", ("f",), "classes", "fetch", "Fetch what is open", "Reads the library files that are missing"
    ),
    Command("classes.mark", ("space",), "classes", "mark", "Mark the place", "Or unmark it; ' lists what is marked"),
    # ---------------------------------------------------------------- source
    Command(
        "source.definition",
        ("enter", "g d"),
        "source",
        "definition",
        "Go to the definition",
        "Of the call or name under the cursor",
        1,
        "definition",
    ),
    Command(
        "source.callers",
        ("g r",),
        "source",
        "callers",
        "Callers",
        "Of the definition or call under the cursor",
        2,
        "callers",
    ),
    Command("source.class", ("c",), "source", "show_class", "Class at the cursor", "Its MRO and members", 3, "class"),
    Command(
        "source.super",
        ("d",),
        "source",
        "super",
        "Definition above",
        "What this overrides; from a class its base",
        4,
        "super",
    ),
    Command("source.override", ("u",), "source", "override", "Next override", "Along all definitions", 5, "override"),
    Command("source.outline", ("o",), "source", "outline", "Outline", "All definitions of the file", 6, "outline"),
    Command("source.select", ("v",), "source", "select", "Select a range", "Move, then Enter frames it", 7, "range"),
    Command(
        "source.why", ("K",), "source", "why", "Why", "How the name under the cursor resolves, without going", 8, "why"
    ),
    Command("source.find", ("f",), "source", "find", "Find in this file", "Search, with this file as the glob"),
    Command(
        "source.contract",
        ("C",),
        "source",
        "contract",
        "Contract from here",
        "What this class asks of the name under the cursor",
    ),
    Command(
        "source.provider",
        ("B",),
        "source",
        "provider",
        "Who defines this name",
        "The classes of the MRO that do, in order",
    ),
    Command("source.mark", ("space",), "source", "mark", "Mark the line", "Or unmark it; ' lists what is marked"),
    Command("source.name_next", ("l", "right"), "source", "name(1)", "Next name on the line", "The caret steps on"),
    Command("source.name_previous", ("h", "left"), "source", "name(-1)", "Previous name on the line", "And back"),
    Command("source.right", ("L", "shift+right"), "source", "sideways(1)", "Scroll right", "Long lines"),
    Command("source.left", ("H", "shift+left"), "source", "sideways(-1)", "Scroll left", "Long lines"),
    Command("source.wrap", ("w",), "source", "wrap", "Wrap long lines", "On or off"),
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
    Command("source.numbers", ("number_sign",), "source", "numbers", "Line numbers", "On or off"),
    # ---------------------------------------------------------------- contract
    Command(
        "contract.choose",
        ("enter",),
        "contract",
        "choose",
        "Jump to the evidence",
        "Where the verdict is read",
        1,
        "evidence",
    ),
    Command("contract.read", ("space",), "contract", "read", "Mark as read, or not", "A dot of your own", 2, "read"),
    Command(
        "contract.next", ("t",), "contract", "next", "Take the next step", "What the last line proposes", 3, "next"
    ),
    Command(
        "contract.proof", ("w",), "contract", "proof", "Into the proof", "Each line of it leads to its place", 4, "why"
    ),
    Command("contract.names", ("i",), "contract", "edit", "Class and names", "Change what is asked", 5, "edit"),
    Command(
        "contract.from", ("f",), "contract", "from", "From who uses it", "Choose a consumer and what it uses", 6, "from"
    ),
    Command(
        "contract.subject", ("S",), "contract", "subject", "Another class", "The same contract put to it", 7, "class"
    ),
    Command(
        "contract.base",
        ("B", "b"),
        "contract",
        "base",
        "From a base",
        "Choose a base; what it asks is the contract",
        8,
        "base",
    ),
    Command(
        "contract.matrix", ("m",), "contract", "matrix", "Matrix", "The contract against many classes", 9, "matrix"
    ),
    Command(
        "contract.open",
        ("a",),
        "contract",
        "only_open",
        "All or open",
        "All names, or only those not met",
        10,
        "all/open",
    ),
    Command("contract.export", ("E",), "contract", "export", "Export", "The verdicts as a Markdown table, to a file"),
    Command("contract.class", ("c",), "contract", "show_class", "Class of the owner", "Its MRO and members"),
    Command(
        "contract.other_down", ("J",), "contract", "scroll_other(1)", "Scroll Source down", "Where it stands beside"
    ),
    Command("contract.other_up", ("K",), "contract", "scroll_other(-1)", "Scroll Source up", "Where it stands beside"),
    # ---------------------------------------------------------------- log
    Command("log.choose", ("enter",), "log", "choose", "Go there again", "To what the entry showed", 1, "go again"),
    Command("log.save", ("w",), "log", "save", "Save as Markdown", "Beside where sondage was started", 2, "save"),
    Command("log.note", ("t",), "log", "note", "Add a note", "A sentence of your own", 3, "note"),
    Command(
        "log.drop", ("D",), "log", "drop", "Leave out", "Of what is saved; it stays in the transcript", 4, "leave out"
    ),
)
