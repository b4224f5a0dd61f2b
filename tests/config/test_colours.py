"""What is a colour, and how well it is read: the numbers of WCAG 2.1."""

from __future__ import annotations

import pytest

from sondage.config.colours import contrast, is_hex, luminance


@pytest.mark.parametrize("text", ["#000", "#FFFFFF", "#86c2b4"])
def test_three_or_six_hexadecimal_digits_are_a_colour(text: str) -> None:
    assert is_hex(text)


@pytest.mark.parametrize("text", ["", "#", "#ff", "#ffff", "#12345g", "red", "#ffffff80", "#fff\n", "#１２３"])
def test_anything_else_is_none(text: str) -> None:
    assert not is_hex(text)


def test_black_and_white_are_as_far_apart_as_can_be() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#fff", "#000") == pytest.approx(21)


def test_a_colour_has_no_contrast_with_itself() -> None:
    assert contrast("#86c2b4", "#86c2b4") == 1


def test_the_grey_that_is_just_legible_on_white_is_the_known_one() -> None:
    assert contrast("#767676", "#ffffff") >= 4.5 > contrast("#777777", "#ffffff")


def test_each_primary_colour_is_as_bright_as_the_standard_says() -> None:
    assert [luminance(colour) for colour in ("#f00", "#0f0", "#00f")] == pytest.approx([0.2126, 0.7152, 0.0722])
