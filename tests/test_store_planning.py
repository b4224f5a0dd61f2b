"""What a listing means for what is known."""

from __future__ import annotations

import pytest

from sondage.store import Plan, clock_of, is_settled, plan

SECOND = 1_000_000_000
NOW = 1_700_000_000 * SECOND
STAMP = (10, NOW - 60 * SECOND, NOW - 60 * SECOND, 7)


def test_untouched_is_kept_new_and_changed_are_fetched_and_gone_is_dropped() -> None:
    known = {b"same": (STAMP, True), b"changed": (STAMP, True), b"gone": (STAMP, True)}
    listing = [(b"new", STAMP), (b"same", STAMP), (b"changed", (11, *STAMP[1:]))]
    assert plan(listing, known) == Plan(fetch=(b"new", b"changed"), keep=(b"same",), drop=(b"gone",))


@pytest.mark.parametrize("field", range(4))
def test_any_part_of_the_stamp_tells_a_change(field: int) -> None:
    changed = list(STAMP)
    changed[field] += 1
    assert plan([(b"a", tuple(changed))], {b"a": (STAMP, True)}).fetch == (b"a",)


def test_stamp_that_was_not_settled_is_fetched_again_though_it_is_the_same() -> None:
    assert plan([(b"a", STAMP)], {b"a": (STAMP, False)}).fetch == (b"a",)


def test_nothing_known_fetches_everything_and_nothing_listed_drops_everything() -> None:
    assert plan([(b"a", STAMP)], {}) == Plan((b"a",), (), ())
    assert plan([], {b"a": (STAMP, True)}) == Plan((), (), (b"a",))


@pytest.mark.parametrize(
    ("mtime", "ctime", "settled"),
    [
        (-60.0, -60.0, True),
        (-2.1, -2.1, True),
        (-2.0, -60.0, False),
        (-60.0, -1.0, False),
        (0.0, 0.0, False),
        (1.0, 1.0, False),
        (-60.0, 5.0, False),
        (9e7, -60.0, True),
        (-1e9, -60.0, True),
        (-60.0, None, True),
        (-1.0, None, False),
        (9e7, None, False),
    ],
)
def test_stamp_taken_right_after_a_change_proves_nothing(mtime: float, ctime: float | None, settled: bool) -> None:
    """`mtime` and `ctime` in seconds from the moment of the listing; no ctime as over SFTP."""
    stamp = (10, NOW + int(mtime * SECOND), 0 if ctime is None else NOW + int(ctime * SECOND), 7)
    assert is_settled(stamp, NOW) is settled


def test_nothing_is_settled_by_an_unknown_clock() -> None:
    assert not is_settled(STAMP, 0)


def test_newest_change_stands_in_for_an_unknown_clock() -> None:
    stamps = [(1, NOW - 90 * SECOND, 0, 0), (1, NOW, 0, 0)]
    assert clock_of(0, stamps) == NOW
    assert [is_settled(stamp, clock_of(0, stamps)) for stamp in stamps] == [True, False]
    assert clock_of(5, stamps) == 5
    assert clock_of(0, []) == 0
