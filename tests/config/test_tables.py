"""How a TOML file is read: what is complained about, and at which line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sondage.config.tables import LARGEST, Document, parse_document, read_document
from sondage.errors import ConfigError


def document(text: str) -> Document:
    return parse_document(text.encode(), "a.toml")


WRITTEN = '''\
# a comment
plain = 1

several = [
  "a [table]",
  "b = 2",
]
text = """
[table]
inside = 3
"""
dotted.key = 4

[table]   # its comment
inside = 5
"quoted.key" = 6
inline = { first = 7, second = 8 }

[table.below]
last = 9

[[list]]
item = 10
'''


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("plain",), 2),
        (("several",), 4),
        (("text",), 8),
        (("dotted", "key"), 12),
        (("table",), 14),
        (("table", "inside"), 15),
        (("table", "quoted.key"), 16),
        (("table", "inline", "second"), 17),
        (("table", "below"), 19),
        (("table", "below", "last"), 20),
        (("list", "item"), 23),
    ],
)
def test_each_key_is_found_at_the_line_where_it_begins(keys: tuple[str, ...], line: int) -> None:
    assert document(WRITTEN).where(*keys) == f"a.toml:{line}"


def test_what_is_not_in_the_file_is_looked_for_at_the_table_around_it() -> None:
    assert document(WRITTEN).where("table", "below", "missing") == "a.toml:19"
    assert document(WRITTEN).where("missing") == "a.toml"


def test_lines_are_counted_alike_with_carriage_returns_and_a_byte_order_mark() -> None:
    data = b"\xef\xbb\xbfone = 1\r\ntwo = [\r\n  2,\r\n]\r\nthree = 3\r\n"
    assert parse_document(data, "a.toml").where("three") == "a.toml:5"


def test_a_dot_may_belong_to_a_name_or_part_two_tables() -> None:
    leaves = document('[keys]\na.b = 1\n"c.d" = 2\n[keys.e]\nf = 3\n').leaves("keys")
    assert list(leaves) == [("a.b", ("keys", "a", "b")), ("c.d", ("keys", "c.d")), ("e.f", ("keys", "e", "f"))]


def test_an_unknown_key_is_refused_with_its_line_and_the_nearest_name() -> None:
    with pytest.raises(ConfigError) as caught:
        document("mouse = true\nthemee = 1\n").refuse_unknown(["theme", "mouse"])
    assert str(caught.value) == "there is no key themee: a.toml:2 (did you mean theme?)"


def test_where_no_name_is_near_all_are_told() -> None:
    with pytest.raises(ConfigError, match="there are mouse, theme"):
        document("x = 1\n").refuse_unknown(["theme", "mouse"])


def test_a_value_of_another_type_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigError, match="expected `int`, got `str`") as caught:
        document("\n[a]\nb = 'x'\n").value(int, "a", "b")
    assert caught.value.where == "a.toml:3"


def test_a_value_in_the_place_of_a_table_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"a has to be a table: a\.toml:1"):
        document("a = 1\n").table("a", "b")


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"a = 1\nb = \n", "a.toml:2"),
        (b"a = 1\na = 2\n", "a.toml:2"),
        (b"a = 1\nb = [\n1,\n", "a.toml:3"),
    ],
)
def test_what_is_not_toml_is_refused_with_its_line(data: bytes, where: str) -> None:
    with pytest.raises(ConfigError, match="not TOML") as caught:
        parse_document(data, "a.toml")
    assert caught.value.where == where


def test_what_is_nested_beyond_all_measure_is_refused() -> None:
    with pytest.raises(ConfigError, match="not TOML"):
        parse_document(b"a = " + b"[" * 50_000, "a.toml")


def test_what_is_not_utf8_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigError, match=r"not UTF-8: a\.toml:2"):
        parse_document(b"a = 1\nb = '\xff'\n", "a.toml")


def test_a_file_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    assert read_document(tmp_path / "none" / "a.toml") is None


def test_a_file_reached_through_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("a = 1\n")
    (tmp_path / "a.toml").symlink_to("dotfiles.toml")
    found = read_document(tmp_path / "a.toml")
    assert found is not None
    assert found.values == {"a": 1}


def test_a_folder_a_pipe_and_a_dangling_link_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("folder", "pipe", "link"):
        with pytest.raises(ConfigError, match="not a file"):
            read_document(tmp_path / name)


def test_a_file_no_person_has_written_is_refused_for_its_size(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(ConfigError, match="larger than 64 KiB"):
        read_document(tmp_path / "a.toml")
