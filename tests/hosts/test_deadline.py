"""Nothing is waited for without a limit, except a person."""

from __future__ import annotations

import asyncio

import pytest

from sondage.errors import ConnectError
from sondage.hosts.deadline import Patience, within


async def test_what_comes_in_time_is_returned() -> None:
    assert await within(5, asyncio.sleep(0, "here"), ConnectError("late")) == "here"


async def test_what_comes_too_late_is_the_error_that_was_given() -> None:
    with pytest.raises(ConnectError, match="late"):
        await within(0.001, asyncio.Event().wait(), ConnectError("late"))


async def test_patience_ends() -> None:
    with pytest.raises(TimeoutError):
        async with Patience(0.001):
            await asyncio.Event().wait()


async def test_patience_stands_still_while_somebody_is_asked_and_goes_on_afterwards() -> None:
    with pytest.raises(TimeoutError):
        async with Patience(0.01) as patience:
            with patience.paused(0.01):
                await asyncio.sleep(0.05)
                patience.renew(0.001)
                await asyncio.sleep(0.05)
            await asyncio.Event().wait()


async def test_another_stage_has_its_own_time() -> None:
    with pytest.raises(TimeoutError):
        async with Patience(3600) as patience:
            patience.renew(0.001)
            await asyncio.Event().wait()
