"""Reading an answer that arrives in pieces gives the same whatever the pieces are."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.hosts.feed import NOISE_LIMIT, Feed, GarbledError, NoAnswerError, Reply, Steps, begin

NONCE = b"n" * 32


def words(feed: Feed) -> Steps[bytes]:
    noise = yield from begin(feed, NONCE)
    yield noise
    while (word := (yield from feed.until(b"//\n", 100))) != b"end":
        yield word
    yield (yield from feed.take(3))


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in itertools.pairwise(places)]


@given(st.lists(st.integers(0, 10_000), max_size=20))
def test_the_cuts_do_not_matter(cuts: list[int]) -> None:
    reply = Reply(words)
    found = [
        word
        for piece in pieces(b"noise\0" + NONCE + b"\0a//\n/b\n//\n//\nend//\nxyzrest", cuts)
        for word in reply.feed(piece)
    ]
    assert found == [b"noise", b"a", b"/b\n", b"", b"xyz"]
    assert reply.complete
    assert reply.end() == []


def test_an_answer_that_never_begins_is_no_answer_and_says_what_came_instead() -> None:
    reply = Reply(words)
    reply.feed(b"This account is not available.\nGo away.\n")
    with pytest.raises(NoAnswerError) as refused:
        reply.end()
    assert refused.value.hint == "This account is not available."


def test_an_answer_that_breaks_off_is_garbled() -> None:
    reply = Reply(words)
    assert reply.feed(b"\0" + NONCE + b"\0a//\nb") == [b"", b"a"]
    with pytest.raises(GarbledError):
        reply.end()
    assert not reply.complete


def test_endless_noise_is_not_read_for_ever() -> None:
    reply = Reply(words)
    with pytest.raises(NoAnswerError):
        for _ in range(NOISE_LIMIT // 1000 + 2):
            reply.feed(b"x" * 1000)


def test_a_record_without_end_is_not_collected_for_ever() -> None:
    reply = Reply(words)
    with pytest.raises(GarbledError, match="too long"):
        reply.feed(b"\0" + NONCE + b"\0" + b"x" * 200)


def test_skipped_bytes_are_not_kept() -> None:
    def skipping(feed: Feed) -> Steps[bytes]:
        yield from feed.skip(10_000_000)
        yield (yield from feed.take(1))

    reply = Reply(skipping)
    found = [item for _ in range(100) for item in reply.feed(bytes(100_000))] + reply.feed(b"!")
    assert found == [b"!"]
    assert len(reply._feed._data) < 1_000_000
