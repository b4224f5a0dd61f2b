"""Expressions that are read only when asked for."""

from __future__ import annotations

from sondage.core.source import syntax
from sondage.core.source.written import Written, read_parameters


def test_offsets_are_those_of_the_file() -> None:
    value = Written(40, "make(Part, size=3)").expression
    assert isinstance(value, syntax.Call)
    assert (value.at, value.end) == (40, 58)
    assert value.args == (syntax.Name(45, 49, "Part"),)


def test_dotted_name_keeps_the_place_of_each_part() -> None:
    value = Written(7, "a.bc.d").expression
    assert isinstance(value, syntax.Attribute)
    assert (value.attr, value.attr_at) == ("d", 12)


def test_expression_over_several_lines_is_read() -> None:
    assert isinstance(Written(5, "first +\nsecond  # why\n+ third").expression, syntax.BinOp)


def test_what_is_no_expression_is_unparsed() -> None:
    assert Written(3, "x if").expression == syntax.Unparsed(3, 7, "x if")


def test_constants_are_no_names() -> None:
    assert Written(3, "None").expression == syntax.Constant(3, 7, "None", "None")


def test_parameters_are_read_with_their_kinds() -> None:
    found = read_parameters("(self, /, a: int = 3, *rest, key, **more)", 20)
    assert [(one.name, one.kind) for one in found] == [
        ("self", "positional"),
        ("a", "normal"),
        ("rest", "var_positional"),
        ("key", "keyword"),
        ("more", "var_keyword"),
    ]
    assert found[1].at == 30
