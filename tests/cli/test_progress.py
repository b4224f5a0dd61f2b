"""The line on stderr that says how far a refresh is."""

from __future__ import annotations

import pytest

from sondage.cli.progress import ProgressLine, progress_text
from sondage.core.answers.index import Progress


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress("connect"), "connecting"),
        (Progress("list", files_done=812), "listing 812 files"),
        (Progress("pull", 312, 1404, 4_100_000, 19_800_000), "pulling 312 of 1,404 files, 4.1 of 19.8 MB"),
        (Progress("parse", 0, 1404), "parsing 0 of 1,404 files"),
        (Progress("done", 1404, 1404), "ready 1,404 of 1,404 files"),
    ],
)
def test_it_says_what_is_done_and_how_much_of_it(progress: Progress, text: str) -> None:
    assert progress_text(progress) == text


def test_it_is_written_no_faster_than_it_can_be_read(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    line = ProgressLine(wanted=True)
    for done in range(1000):
        line(Progress("pull", done, 1000))
    assert capfdbinary.readouterr().err.count(b"pulling") < 1000


def test_a_line_that_was_never_shown_is_not_cleared(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    ProgressLine(wanted=True).clear()
    assert capfdbinary.readouterr().err == b""
