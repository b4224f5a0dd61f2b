"""Owns how the app learns that it has to go: signals, and a terminal that is no longer there."""

from __future__ import annotations

import asyncio
import select
import signal
import sys
import threading
from collections.abc import Callable


def watch_signals(leave: Callable[[int], None]) -> None:
    """SIGTERM and SIGHUP leave by the same door as `q`, with 128 and the signal's number, as a shell would say it.

    Left to themselves they end the process with the terminal still on the other screen and reporting the mouse.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        try:
            loop.add_signal_handler(number, leave, 128 + number)
        except (ValueError, RuntimeError):
            return  # signals reach the main thread only


def watch_hangup(leave: Callable[[int], None]) -> None:
    """A terminal that is gone without a signal (the app runs in another session) is seen at its file descriptor.

    One thread sleeps in `poll` until then: asking for no event, it is woken by a hangup alone.
    """
    stdin = sys.__stdin__
    if stdin is None or not stdin.isatty():
        return
    loop = asyncio.get_running_loop()
    waiting = select.poll()
    waiting.register(stdin.fileno(), 0)

    def wait() -> None:
        waiting.poll()
        if not loop.is_closed():
            loop.call_soon_threadsafe(leave, 128 + signal.SIGHUP)

    threading.Thread(target=wait, name="sondage-hangup", daemon=True).start()
