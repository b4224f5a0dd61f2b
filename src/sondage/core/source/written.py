"""Owns expressions as written: kept as text in the facts, and read into a value only when somebody asks."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from sondage.core.late import late_pattern
from sondage.core.source import syntax
from sondage.core.source.syntax import Expr

_DOTTED = late_pattern(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_NOT_NAMES = frozenset({"None", "True", "False"})


class Written(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An expression as it stands in the source: `at` is its byte offset in the normalized UTF-8 text."""

    at: int
    text: str

    @property
    def expression(self) -> Expr:
        """Its value; offsets are those of the file."""
        return read(self.text, self.at)


@lru_cache(maxsize=20_000)
def read(text: str, at: int) -> Expr:
    """The expression that a piece of source holds. What is none becomes `Unparsed`."""
    if _DOTTED.match(text) and text not in _NOT_NAMES:
        return _dotted(text, at)
    from sondage.core.source import parse  # noqa: PLC0415  most are names, which need no parser

    source = b"(" + text.encode("utf-8", "replace") + b"\n)"
    start = max(at - 1, 0)
    root = parse.parser().parse(source).root_node_with_offset(start, (0, start))
    node = root.named_children[0] if root is not None and root.named_child_count else None
    if node is None or root is None or root.has_error or node.type != "expression_statement":
        return syntax.Unparsed(at, at + len(source) - 3, text)
    return parse.expression(node.named_children[0], source, start)


@lru_cache(maxsize=20_000)
def read_parameters(text: str, at: int) -> tuple[syntax.Parameter, ...]:
    """The formal parameters that a parameter list holds, brackets included."""
    from sondage.core.source import parse  # noqa: PLC0415  as above

    before = b"def f"
    source = before + text.encode("utf-8", "replace") + b": pass"
    start = max(at - len(before), 0)
    root = parse.parser().parse(source).root_node_with_offset(start, (0, start))
    found = root.named_children[0] if root is not None and root.named_child_count else None
    for node in found.named_children if found is not None else ():
        if node.type == "parameters":
            return parse.parameters(node, source, start)
    return ()


def _dotted(text: str, at: int) -> Expr:
    first, *rest = text.split(".")
    end = at + len(first.encode())
    value: Expr = syntax.Name(at, end, first)
    for name in rest:
        start, end = end + 1, end + 1 + len(name.encode())
        value = syntax.Attribute(at, end, value, name, start)
    return value
