"""Owns questions to the user on the terminal: a host key, a password; never through stdin or stdout."""

from __future__ import annotations

import asyncio
import contextlib
import os
import termios
from collections.abc import Callable, Iterator

from sondage.core.safe import one_line
from sondage.hosts.base import Asker, Question

LONGEST_ANSWER = 4096
"""Bytes; what a terminal's own line editor takes at most."""


def terminal_asker(no_input: bool, before: Callable[[], None]) -> Asker | None:
    """An asker on the controlling terminal, or None where nobody can be asked. `before` runs ahead of a question."""
    if no_input:
        return None
    with contextlib.suppress(OSError):
        os.close(_open_terminal())
        return TerminalAsker(before)
    return None


class TerminalAsker:
    """Asks on the terminal itself, so that stdin and stdout stay the script's."""

    def __init__(
        self, before: Callable[[], None] = lambda: None, open_terminal: Callable[[], int] | None = None
    ) -> None:
        self._before = before
        self._open_terminal = open_terminal or _open_terminal

    async def __call__(self, question: Question) -> str | None:
        self._before()
        terminal = self._open_terminal()
        try:
            if question.kind == "touch":
                os.write(terminal, f"({one_line(question.host)}) {one_line(question.text)}\n".encode())
                return None
            with _echo(terminal, question.echo or question.kind == "host_key"):
                os.write(terminal, question_text(question).encode())
                answer = await _line_from(terminal)
        finally:
            os.close(terminal)
        if question.kind == "host_key":
            return "yes" if answer == "yes" else None
        return answer


def question_text(question: Question) -> str:
    """What is written ahead of the answer. Nothing a server says can move the cursor or imitate our own lines."""
    if question.kind == "host_key":
        details = {name: one_line(text) for name, text in question.details.items()}
        file = details.get("known_hosts", "known_hosts")
        effect = f"Yes adds it to {file}." if file else "Yes counts for this connection only."
        return (
            f"{one_line(question.text)}\n"
            f"  host         {one_line(question.host)}\n"
            f"  key type     {details.get('type', 'unknown')}\n"
            f"  fingerprint  {details.get('fingerprint', 'unknown')}\n"
            f"Compare it with what the host's owner says. {effect}\n"
            "Trust this key? Type yes to go on: "
        )
    lines = [f"({one_line(question.host)}) {one_line(line)}" for line in question.instructions.splitlines() if line]
    prompt = one_line(question.text).strip() or question.kind.replace("_", " ")
    lines.append(f"({one_line(question.host)}) {prompt.rstrip(':')}: ")
    return "\n".join(lines)


def _open_terminal() -> int:
    """The device behind stderr or stdin where they are one, since macOS cannot wait for `/dev/tty` itself."""
    for standard in (2, 0, 1):
        with contextlib.suppress(OSError):
            return os.open(os.ttyname(standard), os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)


@contextlib.contextmanager
def _echo(terminal: int, visible: bool) -> Iterator[None]:
    """Switches the terminal's echo off for a secret, and back whatever happens; typed-ahead bytes are thrown away."""
    if visible:
        yield
        return
    before = termios.tcgetattr(terminal)
    silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(terminal, termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
        os.write(terminal, b"\n")


def _settle(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)


async def _line_from(terminal: int) -> str | None:
    """The next line without its end, or None at its end (Ctrl-D); waiting can be cancelled, a thread could not."""
    loop = asyncio.get_running_loop()
    readable: asyncio.Future[None] = loop.create_future()
    loop.add_reader(terminal, _settle, readable)
    try:
        await readable
    finally:
        loop.remove_reader(terminal)
    data = os.read(terminal, LONGEST_ANSWER)
    return data.decode("utf-8", "surrogateescape").rstrip("\r\n") if data.endswith(b"\n") else None
