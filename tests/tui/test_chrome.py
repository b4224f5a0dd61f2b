"""Owns the tests of header, tabs and hints as plain parts."""

from __future__ import annotations

import pytest

from sondage.core.answers.certainty import Coverage
from sondage.core.answers.index import Progress
from sondage.dig import Link
from sondage.tui.chrome import Header, HeaderState, age_text, header_parts, lines_text, size_text
from sondage.tui.models.rows import Part, width_of


def text(parts: list[Part]) -> str:
    return "".join(part.text for part in parts)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (12.9, "12 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (7200, "2 h"),
        (86400, "1 day"),
        (9e5, "10 days"),
        (-3, "0 s"),
    ],
)
def test_age_is_said_in_one_unit(seconds: float, said: str) -> None:
    assert age_text(seconds) == said


def test_sizes_are_short() -> None:
    assert size_text(812_000) == "812 kB"
    assert size_text(19_750_000) == "19.8 MB"
    assert lines_text(538_194) == "538k lines"
    assert lines_text(96) == "96 lines"


def test_header_tells_target_size_age_and_link() -> None:
    state = HeaderState("gpu-07:/opt/sglang", Coverage(1404, 1404), 538_194, 12.0, True, False, 0.041)
    left, right = header_parts(state, 80)
    assert text(left) == " gpu-07:/opt/sglang   1,404 py · 538k lines"
    assert text(right) == "index 12 s old · ssh 41 ms "


def test_header_is_drawn_again_only_where_it_reads_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(Header, "refresh", lambda header: drawn.append(header.state.age))
    header = Header()
    for age in (60.0, 61.5, 119.0, 121.0, 122.0):
        header.tell(HeaderState("box:/x", Coverage(3, 3), 96, age))
    assert drawn == [60.0, 121.0]


def test_header_of_a_partial_index_says_how_much_is_seen() -> None:
    state = HeaderState("box:/x", Coverage(640, 1404), 0, None, False, False)
    assert text(header_parts(state, 80)[1]) == "640 of 1,404 files · no index yet · offline "


def test_progress_stands_in_the_place_of_the_age() -> None:
    progress = Progress("pull", 351, 1404, 5_000_000, 19_750_000)
    state = HeaderState("box:/x", Coverage(0, 0), 0, None, True, False, progress=progress)
    right = text(header_parts(state, 80)[1])
    assert "pulling" in right and "351/1,404 files" in right and "5.0/19.8 MB" in right
    assert right.count("━") == 3


def test_local_folder_has_no_link() -> None:
    state = HeaderState("/srv/x", Coverage(4, 4), 96, 3.0, True, True)
    assert text(header_parts(state, 80)[1]) == "index 3 s old · local "


@pytest.mark.parametrize(
    ("link", "next_try", "said"),
    [
        (Link("lost", 0.0, 1.0, "the host hung up"), 3.2, "offline, last synced 3 min ago, next try in 4 s "),
        (Link("lost", 0.0, None, "login refused"), None, "offline, last synced 3 min ago, R connects "),
        (Link("reconnecting", 0.0), None, "offline, last synced 3 min ago, trying again "),
    ],
)
def test_lost_connection_stands_with_the_age_of_the_index_and_what_happens_next(
    link: Link, next_try: float | None, said: str
) -> None:
    state = HeaderState("box:/x", Coverage(4, 4), 96, 200.0, False, False, link=link, next_try=next_try)
    assert text(header_parts(state, 80)[1]) == said


def test_long_target_is_cut_at_its_beginning() -> None:
    state = HeaderState("box:/" + "x" * 100 + "/sglang", Coverage(4, 4), 96, 3.0, True, True)
    left, right = header_parts(state, 80)
    assert width_of(left) + width_of(right) <= 80
    assert "/sglang" in text(left)


def test_header_names_a_target_that_is_still_being_opened() -> None:
    left, right = header_parts(HeaderState("box:/x", opening=True), 80)
    assert "box:/x" in "".join(part.text for part in left)
    assert "".join(part.text for part in right).strip() == "opening…"
