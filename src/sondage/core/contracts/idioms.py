"""Owns the small questions about the shape of an expression: dotted paths, literal names, calls to a builtin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sondage.core.source import blocks, syntax
from sondage.core.source.syntax import Attribute, Call, Expr, Name, Subscript, Text

Path = tuple[str, ...]


def literal(expression: Expr | None) -> str | None:
    """The text of a string literal."""
    return expression.value if isinstance(expression, Text) else None


def called_name(expression: Expr | None) -> str | None:
    """`f` of `f(…)` where `f` is a plain name."""
    if isinstance(expression, Call) and isinstance(expression.func, Name):
        return expression.func.id
    return None


def dotted(expression: Expr) -> Path | None:
    """`("a", "b", "c")` of `a.b.c`."""
    if isinstance(expression, Name):
        return (expression.id,)
    if isinstance(expression, Attribute):
        before = dotted(expression.value)
        return None if before is None else (*before, expression.attr)
    return None


def is_super(expression: Expr) -> bool:
    """`super()` or `super(C, self)`."""
    return called_name(expression) == "super"


def reads_literal(expression: Expr) -> tuple[Expr, str] | None:
    """Object and name of the ways to read an attribute by a literal name.

    `getattr(x, "n"[, default])`, `x.__dict__["n"]`, `x.__dict__.get("n")`, `vars(x)["n"]`, `object.__getattribute__(x,
    "n")`.
    """
    if isinstance(expression, Subscript):
        name, holder = literal(expression.index), _dict_of(expression.value)
        return (holder, name) if name is not None and holder is not None else None
    if not isinstance(expression, Call):
        return None
    args = expression.args
    if called_name(expression) == "getattr" and len(args) >= 2:
        name = literal(args[1])
        return (args[0], name) if name is not None else None
    if isinstance(expression.func, Attribute):
        function = expression.func
        if function.attr == "get" and args:
            name, holder = literal(args[0]), _dict_of(function.value)
            return (holder, name) if name is not None and holder is not None else None
        if function.attr == "__getattribute__" and len(args) == 2:
            name = literal(args[1])
            return (args[0], name) if name is not None else None
    return None


def _dict_of(expression: Expr) -> Expr | None:
    if isinstance(expression, Attribute) and expression.attr == "__dict__":
        return expression.value
    if called_name(expression) == "vars" and isinstance(expression, Call) and len(expression.args) == 1:
        return expression.args[0]
    return None


def path_from(expression: Expr, roots: Mapping[str, Path]) -> Path | None:
    """The attributes on the way from a root to an expression: `self.a.b` is `("a", "b")` for the root `self`.

    `roots` gives each name that stands for the root, or for something reached from it.
    """
    if isinstance(expression, Name):
        return roots.get(expression.id)
    if isinstance(expression, Attribute):
        before = path_from(expression.value, roots)
        return None if before is None else (*before, expression.attr)
    by_name = reads_literal(expression)
    if by_name is not None:
        before = path_from(by_name[0], roots)
        return None if before is None else (*before, by_name[1])
    return None


# ------------------------------------------------------------------ children


def children(expression: Expr) -> Iterator[Expr]:
    """The expressions directly inside one, in source order; bodies of lambdas and comprehensions included."""
    for field in syntax.inner_fields(type(expression)):
        yield from nodes_in(getattr(expression, field))


def nodes_in(value: object) -> Iterator[Expr]:
    """The expressions that the value of a field holds."""
    if isinstance(value, syntax.Node):
        yield value  # type: ignore[misc]  # the fields of an expression hold no other nodes
    elif isinstance(value, tuple):
        for item in value:
            yield from nodes_in(item)
    elif isinstance(value, blocks.Unread):
        yield from nodes_in(value.content)
    elif isinstance(value, syntax.Keyword):
        yield value.value
    elif isinstance(value, syntax.Parameter):
        if value.default is not None:
            yield value.default
    elif isinstance(value, syntax.ComprehensionFor):
        yield value.target
        yield value.iter
        yield from value.conditions


def within(expression: Expr) -> Iterator[Expr]:
    """An expression and all that it holds, outermost first."""
    yield expression
    for child in children(expression):
        yield from within(child)
