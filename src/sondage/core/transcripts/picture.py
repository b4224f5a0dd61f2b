"""Owns the picture of an investigation: its classes, who inherits, who holds, and where each member asked for was found.

It is drawn from the answers alone and shows what they say, no more. A method resolution order names the direct bases of
its first class; of the classes behind them it only says that they are inherited somehow, and so does the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from sondage.core.answers.certainty import mark
from sondage.core.safe import one_line
from sondage.core.transcripts.story import Story
from sondage.core.transcripts.transcript import Entry

MOST_CLASSES = 150
"""More make no picture: nobody could read it."""

_TELLING = ("mro", "subclasses", "check", "locate", "jump", "assume")
"""Verbs that say something of classes; those that give full names go first, so that a short name can be understood."""

Bond: TypeAlias = Literal["inherits", "inherits, further up,", "does not inherit", "holds"]


@dataclass
class Node:
    """A class. `place` is `path:line` where it is known; `was_read` is False for one that an order only names."""

    name: str
    place: str = ""
    was_read: bool = True
    members: dict[str, str] = field(default_factory=dict)
    """Member → what is said of it on this class."""

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]


class Edge(NamedTuple):
    """`by` is the attribute for `holds`, else empty. `above` and `below` are names of nodes."""

    below: str
    bond: Bond
    above: str
    by: str = ""


@dataclass
class Picture:
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[Edge, None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.nodes)


def draw(story: Story) -> Picture:
    """The picture of all steps together; empty where none is about a class, or where there are too many."""
    picture = Picture()
    entries = [step.entry for step in story.steps if step.entry.verb in _TELLING]
    for entry in sorted(entries, key=lambda entry: _TELLING.index(entry.verb)):
        try:
            _add(picture, entry)
        except (KeyError, TypeError, AttributeError, ValueError):
            continue  # an answer that somebody else wrote, of another shape than ours
    return picture if len(picture.nodes) <= MOST_CLASSES else Picture()


def _add(picture: Picture, entry: Entry) -> None:
    answer: Any = entry.answer
    if not isinstance(answer, Mapping) or "reason" in answer:
        return
    match entry.verb:
        case "mro":
            _add_order(picture, answer)
        case "subclasses":
            for row in answer["rows"]:
                if row["depth"] == 1:
                    _node(picture, row["class"], row)
                    _bind(picture, row["class"], "inherits", answer["class"])
        case "locate":
            _add_verdicts(picture, answer["class"], answer["verdicts"])
        case "check":
            for result in answer["results"]:
                _node(picture, result["class"], result)
                _add_verdicts(picture, result["class"], result["items"])
        case "jump":
            _add_jump(picture, answer)
        case "assume":
            _add_claim(picture, answer)


def _add_order(picture: Picture, answer: Mapping[str, Any]) -> None:
    name, bases = answer["class"], list(answer["bases"])
    for step in answer["order"]:
        if step["class"] == "object":
            continue
        node = _node(picture, step["class"], step)
        node.was_read = node.was_read and not step.get("open")
    for base in bases:
        _bind(picture, name, "inherits", base)
    behind = [step["class"] for step in answer["order"] if step["class"] not in (name, "object", *bases)]
    for above in behind:
        _bind(picture, bases[0] if len(bases) == 1 else name, "inherits, further up,", above)


def _add_verdicts(picture: Picture, name: str, verdicts: Iterable[Mapping[str, Any]]) -> None:
    node = _node(picture, name)
    for verdict in verdicts:
        owner = verdict.get("owner") or ""
        said = f"{mark(verdict['verdict'])} {verdict['member']}: {verdict['verdict']}"
        node.members[verdict["member"]] = said if verdict["certainty"] == "proved" else f"{said}, possible"
        if owner and owner != name:
            place = f" at {verdict['path']}:{verdict['line']}" if verdict.get("path") else ""
            _node(picture, owner).members.setdefault(verdict["member"], f"{verdict['member']}{place}")
            _reach(picture, name, owner, verdict)


def _reach(picture: Picture, name: str, owner: str, verdict: Mapping[str, Any]) -> None:
    """The way from a class to the one that has the member: along its bases, or by an attribute and along its class's."""
    attribute, *chain = [part.strip() for part in str(verdict.get("via") or "").split("→")]
    held = _named(picture, chain[0]) if chain else owner
    if attribute:
        _bind(picture, name, "holds", held, attribute)
    if verdict["verdict"] == "inherited" or (attribute and held != owner):
        _inherits(picture, held if attribute else name, owner)


def _add_jump(picture: Picture, answer: Mapping[str, Any]) -> None:
    for one in answer["answers"]:
        through = list(one.get("through") or ())
        classes = [received["class"] for received in answer["receiver_types"]]
        if not through and one["owner"] not in classes:
            continue  # a module owns it, or nothing says how the class is reached
        owner = _node(picture, one["owner"])
        place = f" at {one['path']}:{one['line']}" if one.get("path") else ""
        owner.members.setdefault(one["name"], f"{one['name']}{place}")
        if through:
            _node(picture, through[0])
            _inherits(picture, through[0], one["owner"])


def _add_claim(picture: Picture, answer: Mapping[str, Any]) -> None:
    """A claim of inheritance that was refuted is drawn as well: it is what somebody had thought."""
    words = str(answer["claim"]).split()
    if answer["kind"] == "inherits" and answer["state"] == "refuted" and len(words) >= 3:
        below, above = _named(picture, words[0]), _named(picture, words[-1])
        _bind(picture, below, "does not inherit", above)


# ------------------------------------------------------------------ nodes and edges


def _node(picture: Picture, name: str, row: Mapping[str, Any] | None = None) -> Node:
    node = picture.nodes.setdefault(name, Node(name))
    if row and row.get("path") and not node.place:
        node.place = f"{row['path']}:{row['line']}"
    return node


def _named(picture: Picture, short: str) -> str:
    """The full name of the one class that is called so in the picture; else the name as it is."""
    found = [name for name in picture.nodes if name == short or name.endswith(f".{short}")]
    return found[0] if len(found) == 1 else short


def _bind(picture: Picture, below: str, bond: Bond, above: str, by: str = "") -> None:
    _node(picture, below)
    _node(picture, above)
    picture.edges.setdefault(Edge(below, bond, above, by), None)
    if bond == "inherits":
        picture.edges.pop(Edge(below, "inherits, further up,", above), None)


def _inherits(picture: Picture, below: str, above: str) -> None:
    """That a class is somewhere above another; nothing new where the picture leads there already."""
    if above not in _above(picture, below):
        _bind(picture, below, "inherits, further up,", above)


def _above(picture: Picture, name: str) -> set[str]:
    seen = {name}
    waiting = [name]
    while waiting:
        below = waiting.pop()
        for edge in picture.edges:
            if edge.below == below and edge.bond.startswith("inherits") and edge.above not in seen:
                seen.add(edge.above)
                waiting.append(edge.above)
    return seen


# ------------------------------------------------------------------ as text


def text_lines(picture: Picture) -> list[str]:
    """The picture for a terminal, one tree for each class that nothing in it leads to. Safe to print."""
    below: dict[str, list[Edge]] = {}
    for edge in picture.edges:
        below.setdefault(edge.below, []).append(edge)
    led_to = {edge.above for edge in picture.edges if edge.bond != "does not inherit"}
    tops = [name for name in picture.nodes if name not in led_to] or list(picture.nodes)[:1]
    drawn: set[str] = set()
    lines: list[str] = []
    for name in tops:
        lines += _tree(picture, below, name, "", drawn)
    return [one_line(line) for line in lines]


def _tree(
    picture: Picture, edges: Mapping[str, Sequence[Edge]], name: str, said: str, drawn: set[str]
) -> Iterator[str]:
    node = picture.nodes[name]
    note = f"  {node.place}" if node.place else "" if node.was_read else "  (not read)"
    if name in drawn:
        yield f"{said}{node.short}{' (see above)' if edges.get(name) or node.members else ''}"
        return
    drawn.add(name)
    yield f"{said}{node.short}{note}"
    down = edges.get(name, ())
    for member in node.members.values():
        yield f"{'│' if down else ' '}    {member}"
    for number, edge in enumerate(down, start=1):
        is_last = number == len(down)
        words = f"holds {edge.by}: " if edge.bond == "holds" else f"{edge.bond} "
        branch = list(_tree(picture, edges, edge.above, words, drawn)) if edge.bond != "does not inherit" else []
        shown = branch or [f"{words}{picture.nodes[edge.above].short}"]
        yield f"{'└─' if is_last else '├─'} {shown[0]}"
        yield from (f"{'  ' if is_last else '│ '} {line}" for line in shown[1:])


# ------------------------------------------------------------------ as Mermaid


def mermaid(picture: Picture) -> str:
    """The picture as a Mermaid flowchart. Every text in it is quoted, and all that is not a plain letter is encoded."""
    numbers = {name: f"c{number}" for number, name in enumerate(picture.nodes, start=1)}
    lines = ["flowchart TD"]
    for name, node in picture.nodes.items():
        note = node.place or ("" if node.was_read else "not read")
        label = "<br/>".join(_encoded(text) for text in (node.short, note, *node.members.values()) if text)
        lines.append(f'    {numbers[name]}["{label}"]')
    for edge in picture.edges:
        words = _encoded(f"holds {edge.by}" if edge.bond == "holds" else edge.bond.rstrip(","))
        arrow = {"inherits": "-->", "does not inherit": "--x"}.get(edge.bond, "-.->")
        lines.append(f'    {numbers[edge.below]} {arrow}|"{words}"| {numbers[edge.above]}')
    return "\n".join(lines)


def _encoded(text: str) -> str:
    """Character codes in Mermaid's own way; letters, digits and a few signs that mean nothing there stay."""
    return "".join(char if char.isalnum() or char in " _.:/," else f"#{ord(char)};" for char in one_line(text))
