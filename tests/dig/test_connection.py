"""How a connection is watched, lost and made again; time and chance are the test's own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from sondage.dig import connection
from sondage.dig.connection import BEAT, LONGEST_PAUSE, Clock, Connection, pauses
from sondage.errors import ConnectError, HostKeyChanged, LoginRefused
from sondage.hosts.base import Address, SshOptions, Target
from support.memory_host import MemoryHost

Outcome = MemoryHost | Exception


class Time:
    """Stands still until it is told to pass."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.asleep = 0.0
        """Seconds this machine has slept: the wall clock counts them, the steady one does not."""
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def clock(self, chance: float = 0.0) -> Clock:
        return Clock(lambda: self.now + self.asleep, lambda: self.now, self._sleep, lambda: chance)

    async def _sleep(self, seconds: float) -> None:
        waking = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now + seconds, waking))
        await waking

    async def passes(self, seconds: float) -> None:
        """One sleeper after the other wakes, at its own time."""
        end = self.now + seconds
        await settle()
        while due := sorted((at, id(one)) for at, one in self._sleepers if at <= end and not one.done()):
            self.now = max(self.now, due[0][0])
            for at, waking in self._sleepers:
                if at <= self.now and not waking.done():
                    waking.set_result(None)
            await settle()
        self.now = end


async def settle() -> None:
    """Everything that can go on without time passing has gone on."""
    for _ in range(50):
        await asyncio.sleep(0)


class Opener:
    """Stands in for `open_host`: each opening has the next outcome, the last one for ever."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.askers: list[object] = []

    async def __call__(self, target: Target, options: SshOptions, asker: object) -> MemoryHost:
        self.askers.append(asker)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        outcome.gone.clear()
        return outcome


DOWN = ConnectError("no SSH server answers", "box")

Making = Callable[..., tuple[Connection, Opener]]


async def nobody(question: object) -> None:
    raise AssertionError(question)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
async def making(time: Time, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Making]:
    made: list[Connection] = []

    def make(*outcomes: Outcome, chance: float = 0.0) -> tuple[Connection, Opener]:
        opener = Opener(*outcomes)
        monkeypatch.setattr(connection, "open_host", opener)
        one = Connection(Target("/srv", Address("box")), SshOptions(), nobody, time.clock(chance))
        made.append(one)
        return one, opener

    yield make
    for one in made:
        await one.aclose()


def host(**fields: Any) -> MemoryHost:
    return MemoryHost({}, **fields)


# ------------------------------------------------------------------ losing it


async def test_connection_that_breaks_is_lost_with_the_reason_and_the_time_of_the_next_try(
    making: Making, time: Time
) -> None:
    box = host()
    link, _ = making(box, DOWN)
    await link.open()
    assert link.link.state == "online"

    box.gone.set()
    await settle()

    assert link.host is None
    assert (link.link.state, link.link.reason) == ("lost", "the host hung up")
    assert link.link.next_try == time.now + 1
    assert box.closed
    assert any("the connection is lost: the host hung up" in note for note in link.notes)


async def test_lost_connection_is_tried_again_after_1_2_4_up_to_60_seconds(making: Making, time: Time) -> None:
    box = host()
    link, opener = making(box, DOWN)
    await link.open()
    box.gone.set()
    await settle()
    tries = []

    for pause in (1, 2, 4, 8, 16, 32, 60, 60):
        await time.passes(pause - 0.1)
        before = len(opener.askers)
        await time.passes(0.1)
        tries.append(len(opener.askers) - before)

    assert tries == [1] * 8
    assert link.link.reason == "no SSH server answers: box"


async def test_lost_connection_comes_back_by_itself_and_says_that_r_refreshes(making: Making, time: Time) -> None:
    box, again = host(), host()
    link, _ = making(box, DOWN, again)
    await link.open()
    box.gone.set()
    await time.passes(1 + 2)

    assert link.host is again
    assert link.link.state == "online"
    assert "connected again; R refreshes" in link.notes


async def test_nobody_is_asked_from_the_background(making: Making, time: Time) -> None:
    box = host()
    link, opener = making(box)
    await link.open()
    box.gone.set()
    await time.passes(1)

    assert opener.askers == [nobody, None]


@pytest.mark.parametrize("trouble", [LoginRefused("login refused", "ann@box"), HostKeyChanged("another key", "box")])
async def test_refused_login_or_host_key_ends_the_trying_and_says_so(
    making: Making, time: Time, trouble: Exception
) -> None:
    box = host()
    link, opener = making(box, trouble)
    await link.open()
    box.gone.set()
    await time.passes(1_000)

    assert len(opener.askers) == 2
    assert (link.link.state, link.link.next_try, link.link.reason) == ("lost", None, str(trouble))
    assert any("not connected again, R asks" in note for note in link.notes)


async def test_user_who_asks_does_not_wait_for_the_next_try(making: Making, time: Time) -> None:
    box, again = host(), host()
    link, opener = making(box, DOWN, again)
    await link.open()
    box.gone.set()
    await time.passes(1)

    assert await link.open() is again

    assert opener.askers == [nobody, None, nobody]
    assert link.link.state == "online"


async def test_user_who_asks_in_vain_after_a_loss_leaves_the_trying_on(making: Making, time: Time) -> None:
    box = host()
    link, _ = making(box, DOWN)
    await link.open()
    box.gone.set()
    await settle()

    with pytest.raises(ConnectError):
        await link.open()
    await settle()

    assert link.link.next_try == time.now + 1


async def test_host_that_never_answered_is_not_tried_from_the_background(making: Making, time: Time) -> None:
    link, opener = making(DOWN)

    with pytest.raises(ConnectError):
        await link.open()
    await time.passes(1_000)

    assert len(opener.askers) == 1
    assert (link.link.state, link.link.reason) == ("offline", str(DOWN))


async def test_opening_twice_opens_once(making: Making) -> None:
    link, opener = making(host())

    one, two = await asyncio.gather(link.open(), link.open())

    assert one is two
    assert len(opener.askers) == 1


async def test_cancelled_opening_leaves_nothing_connecting(making: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    link, _ = making(DOWN)

    async def never(*_: object) -> MemoryHost:
        return await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(connection, "open_host", never)
    opening = asyncio.ensure_future(link.open())
    await settle()
    assert link.link.state == "connecting"
    opening.cancel()
    await settle()

    assert link.link.state == "offline"


async def test_closing_does_not_wait_for_a_question_that_nobody_answers(
    making: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, _ = making(DOWN)

    async def asks(*_: object) -> MemoryHost:
        return await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(connection, "open_host", asks)
    opening = asyncio.ensure_future(link.open())
    await settle()
    async with asyncio.timeout(5):
        await link.aclose()

    assert opening.cancelled()
    assert link.link.state == "offline"


async def test_after_closing_nothing_is_tried_any_more(making: Making, time: Time) -> None:
    box = host()
    link, opener = making(box, DOWN)
    await link.open()
    box.gone.set()
    await settle()
    await link.aclose()
    await time.passes(1_000)

    assert len(opener.askers) == 1
    assert link.link.state == "offline"


async def test_many_losses_leave_no_task_and_no_connection_behind(making: Making, time: Time) -> None:
    hosts = [host() for _ in range(100)]
    link, _ = making(*hosts)
    await link.open()
    await settle()
    running = len(asyncio.all_tasks())

    for box in hosts[:-1]:
        box.gone.set()
        await time.passes(1)

    assert link.host is hosts[-1]
    assert [box.closed for box in hosts] == [True] * 99 + [False]
    assert len(asyncio.all_tasks()) == running


# ------------------------------------------------------------------ who answers


async def test_other_host_behind_the_same_address_is_told(making: Making, time: Time) -> None:
    box, other = host(), host(host_key="SHA256:two")
    link, _ = making(box, other)
    await link.open()
    box.gone.set()
    await time.passes(1)

    assert link.identity is not None
    assert link.identity.host_key == "SHA256:two"
    assert any("another host answers than before" in note for note in link.notes)


async def test_same_host_after_a_loss_is_not_spoken_of_as_another(making: Making, time: Time) -> None:
    box = host()
    link, _ = making(box, host())
    await link.open()
    box.gone.set()
    await time.passes(1)

    assert not any("another" in note for note in link.notes)


# ------------------------------------------------------------------ sleeping and waking


async def test_after_sleep_a_connection_that_no_longer_answers_is_lost_at_the_next_beat(
    making: Making, time: Time
) -> None:
    box = host()
    link, _ = making(box, DOWN)
    await link.open()
    await time.passes(1)

    box.silent = True
    time.asleep += 3_600
    await time.passes(BEAT)

    assert link.link.state == "lost"
    assert any("since this machine woke up" in note for note in link.notes)


async def test_after_sleep_a_connection_that_still_answers_stays(making: Making, time: Time) -> None:
    link, opener = making(host())
    await link.open()
    await time.passes(1)

    time.asleep += 3_600
    await time.passes(BEAT)

    assert (link.link.state, len(opener.askers)) == ("online", 1)


async def test_silence_without_sleep_is_left_to_the_keep_alive(making: Making, time: Time) -> None:
    box = host(silent=True)
    link, _ = making(box)
    await link.open()
    await time.passes(600)

    assert link.link.state == "online"


async def test_waking_up_ends_a_long_pause_between_tries(making: Making, time: Time) -> None:
    box, again = host(), host()
    link, _ = making(box, *[DOWN] * 7, again)
    await link.open()
    box.gone.set()
    await time.passes(1 + 2 + 4 + 8 + 16 + 32 + 60)
    assert link.link.next_try == time.now + LONGEST_PAUSE

    time.asleep += 600
    await time.passes(BEAT)

    assert link.host is again


async def test_clock_that_is_set_back_means_nothing(making: Making, time: Time) -> None:
    box = host(silent=True)
    link, _ = making(box)
    await link.open()

    time.asleep -= 3_600
    await time.passes(BEAT)

    assert link.link.state == "online"


# ------------------------------------------------------------------ checking, measuring, telling


async def test_after_trouble_a_host_that_answers_is_kept(making: Making) -> None:
    box = host()
    link, _ = making(box)
    await link.open()

    await link.check()

    assert link.host is box


async def test_after_trouble_a_host_that_does_not_answer_is_given_up(making: Making, time: Time) -> None:
    box = host(silent=True)
    link, _ = making(box, DOWN)
    await link.open()

    await link.check()
    await settle()

    assert (link.link.state, link.link.next_try) == ("lost", time.now + 1)
    assert box.closed


async def test_host_that_is_busy_sending_is_not_given_up(making: Making) -> None:
    box = host(silent=True)
    link, _ = making(box)
    await link.open()

    async def answers_late() -> float:
        box.traffic.bytes_received += 1
        raise ConnectError("late")

    box.ping = answers_late  # type: ignore[method-assign]
    await link.check()

    assert link.host is box


async def test_round_trip_is_measured_while_the_connection_stands(making: Making, time: Time) -> None:
    link, _ = making(host())
    await link.open()
    assert link.round_trip is None

    await time.passes(60)

    assert link.round_trip == 0.25


async def test_listeners_hear_of_every_change(making: Making, time: Time) -> None:
    box = host()
    link, _ = making(box, DOWN, host())
    heard: list[str] = []
    link.listeners.append(lambda: heard.append(link.link.state))
    await link.open()
    box.gone.set()
    await time.passes(1 + 2)
    await link.aclose()

    assert [one for one, before in zip(heard, ["", *heard], strict=False) if one != before] == [
        "connecting",
        "online",
        "lost",
        "reconnecting",
        "lost",
        "reconnecting",
        "online",
        "offline",
    ]


def test_pauses_are_shortened_by_chance_by_up_to_a_half() -> None:
    assert [pause for pause, _ in zip(pauses(lambda: 0.0), range(8), strict=False)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert [pause for pause, _ in zip(pauses(lambda: 1.0), range(3), strict=False)] == [0.5, 1, 2]
