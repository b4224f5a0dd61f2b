"""What untrusted text looks like once it may be shown."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.core.safe import Census, census, is_raw, json_text, many_lines, one_line, path_text, show_line

FORBIDDEN = [
    *range(0x00, 0x20),
    *range(0x7F, 0xA0),
    0x00AD,
    0x061C,
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    0xFFFE,
    0xFFFF,
    *range(0xD800, 0xE000),
    *range(0xE0000, 0xE0080),
    0x10FFFF,
]

SHOWN_AS = [
    ("nothing special", "nothing special"),
    ("\x1b[31mred", "␛[31mred"),
    ("\x1b]52;c;ZXZpbA==\x07", "␛]52;c;ZXZpbA==␇"),
    ("\x1b]0;title\x1b\\", "␛]0;title␛\\"),
    ("\x9b31m", "<U+009B>31m"),
    ("\x9d52;c;x\x9c", "<U+009D>52;c;x<U+009C>"),
    ("\x00\x0e\x0f\x7f", "␀␎␏␡"),
    ("overwritten\rby this", "overwritten␍by this"),
    ("two\nlines", "two␊lines"),
    ("next\x85line\u2028and\u2029more", "next<U+0085>line<U+2028>and<U+2029>more"),
    ("'user\u202e \u2066# admin\u2069 \u2066'", "'user<U+202E> <U+2066># admin<U+2069> <U+2066>'"),
    ("\u200emark\u200f\u061c", "<U+200E>mark<U+200F><U+061C>"),
    ("pass\u200bword", "pass<U+200B>word"),
    ("so\u00adft", "so<U+00AD>ft"),
    ("join\u200der", "join<U+200D>er"),
    ("\ufeffbom", "<U+FEFF>bom"),
    ("tag\U000e0041", "tag<U+E0041>"),
    ("bad\udcff\udc80byte", "bad\\xff\\x80byte"),
    ("lone\ud800", "lone<U+D800>"),
    ("a\ufe0f", "a<U+FE0F>"),
    ("🙂\ufe0f\ufe0f\ufe0e", "🙂\ufe0f<U+FE0F><U+FE0E>"),
    ("🙂\U000e0100\U000e0101", "🙂<U+E0100><U+E0101>"),
    ("\u3164 = 1", "<U+3164> = 1"),
    ("\u0301x", "<U+0301>x"),
    ("e" + "\u0301" * 8, "e" + "\u0301" * 6 + "<U+0301>" * 2),
    ("[red]not markup[/] [@click=app.quit]x", "[red]not markup[/] [@click=app.quit]x"),
]

UNTOUCHED = [
    "naïve café Übergröße",
    "cafe\u0301",
    "русский текст, ελληνικά",
    "مرحبا بالعالم",
    "می\u200cخواهم",
    "क्\u200dष",
    "שָׁלוֹם",
    "日本語のコメント，全角",
    "葛\U000e0100城",
    "한국어",
    "🙂 👍🏽 👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈 🇪🇺",
    "no\u00a0break, em—dash, … ‘quotes’",
    "├── box │ drawing",
]


@pytest.mark.parametrize(("text", "shown"), SHOWN_AS)
def test_text_is_shown_on_one_line_with_visible_stand_ins(text: str, shown: str) -> None:
    assert one_line(text) == shown
    assert show_line(text).text == shown


@pytest.mark.parametrize("text", UNTOUCHED)
def test_honest_writing_of_any_script_is_left_as_it_is(text: str) -> None:
    assert one_line(text) == text
    assert show_line(text).text == text
    assert census(text).total == 0


def test_no_forbidden_character_survives_between_letters() -> None:
    for character in map(chr, FORBIDDEN):
        text = f"a{character}b"
        assert character not in one_line(text), ascii(character)
        assert character not in json_text(text), ascii(character)
        assert character == "\n" or character not in many_lines(text), ascii(character)


def test_every_format_and_control_character_of_this_python_is_hidden_unless_it_has_a_shape() -> None:
    with_a_shape = {"ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN"}
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            script = unicodedata.name(character, "").split(" ")[0]
            hidden = one_line(f"a{character}b") != f"a{character}b"
            assert hidden or (script in with_a_shape and character != "\u061c"), f"U+{code:04X}"


def test_tabs_reach_the_next_stop_counted_in_cells() -> None:
    assert show_line("\tx").text == "        x"
    assert show_line("abc\tx", tab_size=4).text == "abc x"
    assert show_line("日\tx", tab_size=4).text == "日  x"
    assert show_line("e\u0301\tx", tab_size=4).text == "e\u0301   x"
    assert show_line("\x9b\tx").text == "<U+009B>        x"


def test_a_tab_in_a_name_is_a_stand_in_and_not_space() -> None:
    assert one_line("a\tb") == "a␉b"


def test_columns_lead_from_source_to_shown_and_back() -> None:
    line = show_line("\tx\u202ey", tab_size=4)
    assert line.text == "    x<U+202E>y"
    assert [line.shown_column(column) for column in range(5)] == [0, 4, 5, 13, 14]
    assert [line.source_column(shown) for shown in range(15)] == [0] * 4 + [1] + [2] * 8 + [3, 4]
    assert line.marks == ((5, 13),)
    assert line.hidden == 1


def test_plain_line_keeps_its_columns() -> None:
    line = show_line("def forward(self):")
    assert line.shown_column(4) == line.source_column(4) == 4
    assert line.marks == ()


@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_column_maps_to_a_place_that_maps_back(text: str) -> None:
    line = show_line(text)
    for column in range(len(text) + 1):
        assert line.source_column(line.shown_column(column)) == column
    assert line.shown_column(len(text)) == len(line.text)


@given(st.text(max_size=60))
def test_showing_twice_changes_nothing_more(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)


def test_banner_keeps_its_lines_and_nothing_else() -> None:
    banner = "Welcome\r\n\x1b[2Jto\tbox\rx\r\n"
    assert many_lines(banner) == "Welcome\n␛[2Jto  box␍x\n"


def test_census_counts_by_kind_but_not_tabs_and_line_ends() -> None:
    text = "\tok\r\nx\r\u202ey\u200b\udcff\x1b\n\r\n"
    assert census(text) == Census(controls=2, bidi=1, invisible=1, undecodable=1)
    assert census(text).total == 5
    assert census("\tplain\n") == Census()


def test_carriage_return_without_line_feed_is_counted_in_plain_text_too() -> None:
    assert census("a\rb\n").controls == 1


def test_path_with_undecodable_bytes_is_raw_and_shows_them() -> None:
    path = b"pkg/caf\xe9.py".decode("utf-8", "surrogateescape")
    assert is_raw(path)
    assert path_text(path) == "pkg/caf\\xe9.py"


def test_path_in_another_script_is_not_raw() -> None:
    assert not is_raw("модуль/日本.py")
    assert path_text("a\nb\x1b.py") == "a␊b␛.py"


def test_json_reads_back_as_the_same_value() -> None:
    value = {"text": '\x1b\x9b\u202e\u2028\U000e0041\x7f é 日 \\u1234 "', "rows": [1, None, True, {"a": "\t\n"}]}
    written = json_text(value)
    assert json.loads(written) == value
    assert "é 日" in written
    assert json.loads(json_text(value, indent=2)) == value


def test_json_flags_an_object_whose_path_is_not_utf8() -> None:
    rows = [{"path": "a\udcff.py", "line": 1}, {"path": "b.py", "line": 2}]
    assert json.loads(json_text(rows)) == [{"path": "a\\xff.py", "line": 1, "raw": True}, {"path": "b.py", "line": 2}]


def test_json_shows_undecodable_bytes_of_other_strings_without_a_flag() -> None:
    assert json.loads(json_text({"text": "x\udc80\ud800"})) == {"text": "x\\x80<U+D800>"}


def test_json_is_one_line_unless_indented() -> None:
    assert json_text({"a": [1, 2]}) == '{"a": [1, 2]}'
    assert json_text({"a": 1}, indent=1) == '{\n "a": 1\n}'
