"""Asking while a connection is made: who is asked, what a no means, and what is told without an answer."""

from __future__ import annotations

import asyncio

import pytest

from sondage.errors import LoginRefused
from sondage.hosts.base import Question
from sondage.hosts.interview import Interview

from .logins import Answers

SECRET = Question("password", "box", "Password")


async def test_without_anybody_to_ask_it_is_remembered_what_was_needed() -> None:
    interview = Interview(None, "box")
    assert not interview.possible
    assert await interview.ask_secret(SECRET) is None
    assert interview.unasked == ["password"]


async def test_a_secret_that_is_not_told_ends_the_login() -> None:
    with pytest.raises(LoginRefused, match="given up: box"):
        await Interview(Answers([None]), "box").ask_secret(SECRET)


async def test_a_question_that_is_needless_is_not_put() -> None:
    asker = Answers(["secret"])
    interview = Interview(asker, "box")

    async def spare() -> None:
        raise LoginRefused("a ticket is enough")

    interview.spare = spare
    with pytest.raises(LoginRefused, match="a ticket"):
        await interview.ask_secret(SECRET)
    assert asker.asked == []


async def test_work_that_takes_long_is_spoken_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sondage.hosts.interview.TOUCH", 0)
    told = asyncio.Event()
    hints: list[Question] = []

    async def asker(hint: Question) -> None:
        hints.append(hint)
        told.set()

    async def work() -> int:
        await told.wait()
        return 7

    assert await Interview(asker, "box").waiting(work(), "Touch it") == 7
    assert [(hint.kind, hint.host, hint.text) for hint in hints] == [("touch", "box", "Touch it")]


async def test_work_that_is_quick_is_not_spoken_of() -> None:
    asker = Answers()

    async def work() -> int:
        return 7

    assert await Interview(asker, "box").waiting(work(), "Touch it") == 7
    assert asker.asked == []
