"""A program with three pipes: all it says arrives, none of it piles up, and it ends when it is told to."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from sondage.hosts import pipes as module
from sondage.hosts.pipes import Pipes


async def run(script: str) -> Pipes:
    return await Pipes.start(["sh", "-c", script])


async def test_bytes_go_in_and_out_and_the_end_is_told() -> None:
    pipes = await run("cat; exit 3")
    pipes.send(b"to and ")
    pipes.send(b"fro\0\xff")
    pipes.end_input()
    got = b""
    while data := await pipes.take():
        got += data
    assert got == b"to and fro\0\xff"
    assert (await pipes.wait(), pipes.broke_off) == (3, False)
    await pipes.aclose()


async def test_complaints_are_kept_apart_and_only_the_last_of_them() -> None:
    pipes = await run("echo out; head -c 200000 /dev/zero | tr '\\0' e >&2; echo last >&2")
    assert await pipes.take() == b"out\n"
    await pipes.wait()
    assert len(pipes.errors) == 64 << 10
    assert pipes.errors.endswith(b"elast\n")
    await pipes.aclose()


async def test_what_nobody_takes_does_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_HIGH_WATER", 100_000)
    pipes = await run("head -c 5000000 /dev/zero; echo done >&2")
    while not pipes._paused:
        pipes._news.clear()
        await pipes._news.wait()
    assert pipes.received < 1_000_000
    assert not pipes.errors
    total = 0
    while data := await pipes.take():
        total += len(data)
    assert total == 5_000_000
    await pipes.wait()
    await pipes.aclose()


@pytest.mark.parametrize(("script", "broke_off"), [("exit 255", True), ("kill -9 $$", True), ("exit 1", False)])
async def test_a_program_that_failed_by_itself_broke_off(script: str, broke_off: bool) -> None:
    ended: list[Pipes] = []
    pipes = await Pipes.start(["sh", "-c", script], ended.append)
    await pipes.wait()
    assert pipes.broke_off is broke_off
    assert ended == [pipes]
    await pipes.aclose()


async def test_everything_it_started_ends_with_it() -> None:
    pipes = await run("sleep 1000 & echo $!; wait")
    child = int(await pipes.take())
    await pipes.aclose()
    assert not pipes.broke_off
    while Path(f"/proc/{child}").exists():  # until the kernel has taken it away
        await asyncio.sleep(0)


async def test_a_program_that_ignores_the_wish_to_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sondage.hosts.deadline.CLOSE", 0.2)
    pipes = await run("trap '' TERM; echo up; while :; do sleep 0.1; done")
    assert await pipes.take() == b"up\n"
    await pipes.aclose()
    assert pipes.status == -9


async def test_what_is_sent_to_one_that_has_ended_is_lost_without_harm() -> None:
    pipes = await run("exit 0")
    await pipes.wait()
    pipes.send(b"x" * 100_000)
    pipes.end_input()
    await pipes.aclose()


async def test_a_program_that_is_not_there_is_an_error() -> None:
    with pytest.raises(OSError, match="nowhere"):
        await Pipes.start(["/nowhere/ssh"])


async def test_what_stays_behind_with_an_open_pipe_is_not_waited_for() -> None:
    # As a jump host's `ssh` does that keeps its connection open for the next one (ControlPersist).
    pipes = await run("setsid sleep 1000 >/dev/null & echo $!; exit 255")
    left = int(await pipes.take())
    assert await pipes.wait() == 255
    assert pipes.broke_off
    await pipes.aclose()
    os.kill(left, signal.SIGKILL)
