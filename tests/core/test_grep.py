"""Patterns in grep's words, judged by grep itself."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from sondage.core.search.grep import is_plain, to_extended
from sondage.core.search.lines import hits_in
from sondage.core.search.pattern import compile_pattern, to_grep
from sondage.errors import UsageError


def is_gnu_grep() -> bool:
    grep = shutil.which("grep")
    return grep is not None and b"GNU" in subprocess.run([grep, "--version"], capture_output=True, check=False).stdout


@pytest.mark.parametrize(
    ("pattern", "extended"),
    [
        ("is_eagle3\\(\\)", "is_eagle3\\(\\)"),
        ("(?:a|b)+?c", "(a|b)+c"),
        ("(?P<name>x)y{2,}", "(x)y{2,}"),
        ("x{2}y{1,3}", "x{2}y{1,3}"),
        ("a{,3}", "a\\{,3}"),
        (r"\w+\d", "[0-9A-Z_a-z]+[0-9]"),
        ("[]a-]", "[]a-]"),
        (r"[\^]", "\\^"),
        (r"[\^a]", "[a^]"),
        (r"[[:]", "[:[]"),
        ('"[^"]*"', '"[^"]*"'),
        ("x.*y.+z", "x.*y.+z"),
        (r"\bhead\b", "\\bhead\\b"),
        (r"a\.b\/c", "a\\.b/c"),
    ],
)
def test_what_is_certain_for_any_file_is_translated(pattern: str, extended: str) -> None:
    assert to_extended(pattern, plain=False) == extended


@pytest.mark.parametrize("pattern", ["a.b", "^a", "a$", "[^a]b", r"\Wa", "a.+.+b", "(.+){2}", r"a\sb", "(?:a.?)b"])
def test_what_depends_on_the_file_is_translated_for_plain_files_only(pattern: str) -> None:
    assert to_extended(pattern, plain=False) is None
    assert to_extended(pattern, plain=True) is not None


@pytest.mark.parametrize(
    "pattern",
    ["(?i)a", r"\pL", "a|", "()", "é", r"\x41", r"\Qa.b\E", "[[:alpha:]]", r"\Ba", r"\t", "\t", "(?s)a.", r"[\f]"],
)
def test_what_has_no_certain_equivalent_is_not_translated(pattern: str) -> None:
    assert to_extended(pattern, plain=True) is None


def test_blanks_have_a_name_in_a_bracket() -> None:
    assert to_extended(r"def\s+\w", plain=True) == "def[[:blank:]]+[0-9A-Z_a-z]"


def test_plain_bytes_are_printable_ascii_with_tabs_and_line_feeds() -> None:
    assert is_plain(b"def f():\n\treturn 1\n")
    assert not any(is_plain(data) for data in (b"a\r\n", b"\x0c", b"\xef\xbb\xbf", "é".encode(), b"\0", b"\x7f"))


@pytest.mark.skipif(not is_gnu_grep(), reason="needs GNU grep")
def test_grep_prints_the_same_lines_for_patterns_put_together_at_random(tmp_path: Path) -> None:
    chance = random.Random(20_26)
    pieces = ["a", "b", "_", "é", "\\.", "a|b", ".", ".*", ".+", "[ab]", "[^a]", "[^_]*", r"\w", r"\d+", r"\s"]
    pieces += [r"\b", "^", "$", "(", ")", "(?:", "?", "*", "+", "{2}", "{1,2}", "{", "}", "]", "-", r"[]\w-]"]
    pieces += ["[^-]+", r"\W*", "\\\\", '"', "'"]
    letters = ["a", "b", "_", "é", "1", ".", " ", "\t", "-", "]", "\\", "{", "日", '"', "ab"]
    file = tmp_path / "file"
    compared = 0
    for _ in range(1200):
        text = "".join(chance.choice(pieces) for _ in range(chance.randint(1, 6)))
        try:
            pattern = compile_pattern(text)
        except UsageError:
            continue
        lines = ["".join(chance.choice(letters) for _ in range(chance.randint(0, 6))) for _ in range(12)]
        data = ("\n".join(lines) + "\n").encode()
        arguments = to_grep(pattern, plain=is_plain(data))
        if arguments is None:
            continue
        file.write_bytes(data)
        command = ["grep", *arguments, str(file)]
        printed = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"})
        numbers = [int(line.partition(b":")[0]) for line in printed.stdout.splitlines()]
        assert printed.stderr == b"", (text, arguments)
        assert numbers == [hit.line for hit in hits_in(pattern, data)], (text, arguments, lines)
        compared += 1
    assert compared > 100
