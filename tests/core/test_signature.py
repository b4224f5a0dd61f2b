"""Signatures: how they are shown, when two are the same, and which calls they take."""

from __future__ import annotations

import pytest

from sondage.core.answers.contracts import CallShape
from sondage.core.contracts import signature


def test_signature_is_drawn_together_on_one_line_without_its_comments():
    written = "(\n    self,\n    a, /,\n    b: int=1,  # the best\n    *, c = 2,\n    **kw,\n)"
    assert signature.show_parameters(written) == "(self, a, /, b: int = 1, *, c=2, **kw)"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("(self, a: int = 1) -> str", "(self, a=1)", True),
        ("(self, a)", "(self, b)", False),
        ("(self, a)", "(self, a=None)", False),
        ("(self, *, a)", "(self, a)", False),
    ],
)
def test_two_signatures_are_the_same_in_names_kinds_and_defaults(one: str, other: str, same: bool):
    assert signature.same(one, other) is same


@pytest.mark.parametrize(
    ("call", "trouble"),
    [
        (CallShape(1, ("c",)), ""),
        (CallShape(2, ("c",)), ""),
        (CallShape(0, ("a", "c")), ""),
        (CallShape(0, ("c",)), "missing argument a"),
        (CallShape(0), "missing arguments a, c"),
        (CallShape(3, ("c",)), "takes 2 positional arguments, 3 given"),
        (CallShape(1, ("c", "d")), "unexpected keyword argument d"),
        (CallShape(1, ("a", "c")), "multiple values for argument a"),
        (CallShape(1, ("c",), star=True), None),
        (CallShape(0, (), double_star=True), None),
    ],
)
def test_call_of_a_method_with_a_required_an_optional_and_a_keyword_parameter(call: CallShape, trouble: str | None):
    parameters = signature.unbound(signature.read("(self, a, b=1, *, c)"))
    assert signature.misfit(parameters, call) == trouble


def test_open_parameters_take_anything():
    parameters = signature.read("(*args, **more)")
    assert signature.misfit(parameters, CallShape(7, ("x",), star=True, double_star=True)) == ""


def test_self_may_hide_in_star_args():
    assert signature.unbound(signature.read("(*args)")) == signature.read("(*args)")
