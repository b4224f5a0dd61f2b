"""Owns a terminal for tests: sondage on a real pseudo-terminal of 80×24, and what such a terminal would answer."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import asyncio
import sys
from pathlib import Path
from sondage.hosts.base import Question
from sondage.tui.app import run_app
from sondage.tui.options import Options
from tests.tui.fake import FakeDig

class Waiting(FakeDig):
    async def refresh(self, report=None):
        await asyncio.Event().wait()

async def opener(wanted, asker):
    passphrase = "sentinel-secret"
    if wanted.target == "crash":
        raise_later(passphrase)
    if wanted.target == "asks":
        await asker(Question("password", "box", "Password:"))
    if wanted.target == "connects":
        return Waiting(seen=0)
    return FakeDig()

def raise_later(passphrase):
    from textual._context import active_app
    app = active_app.get()
    def boom():
        secret = passphrase
        raise RuntimeError("boom")
    app.call_later(boom)

sys.exit(run_app(opener, sys.argv[1], Options(theme=sys.argv[2], clock=lambda: 1000.0, log=Path(sys.argv[3]))))
"""
"""The app on made-up answers: `crash`, `asks` and `connects` are targets that do as they are called."""
CLEAN = ("\x1b[?1049l", "\x1b[?1000l", "\x1b[?1003l", "\x1b[?1006l", "\x1b[?25h")
"""Back from the alternate screen, mouse off, cursor on."""
BACKGROUND_QUERY = b"\x1b]11;?"


class Terminal:
    """A program on a pseudo-terminal; all that it wrote so far is `output`.

    With a `background` (as OSC 11 tells it, `rgb:ffff/ffff/ffff`) the question for it is answered.
    """

    def __init__(self, command: Sequence[str], *, background: str = "", **environment: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        taken = ("NO_COLOR", "COLORTERM", "TMUX", "LC_ALL", "LC_CTYPE", "LANG", "EDITOR", "VISUAL")
        given = {name: text for name, text in os.environ.items() if name not in taken}
        given |= {"TERM": "xterm-256color", "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"} | environment
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=given, start_new_session=True
        )
        os.close(slave)
        self.background = background
        self.output = ""

    def read(self, until: str = "", seconds: float = 30.0) -> str:
        """What comes until a text was written, or nothing more comes for `seconds`."""
        fresh = ""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (not until or until not in fresh):
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if ready:
                with contextlib.suppress(OSError):
                    data = os.read(self.master, 65536)
                    if data:
                        if self.background and BACKGROUND_QUERY in data:
                            self.type(f"\x1b]11;{self.background}\x1b\\".encode())
                        fresh += data.decode("utf-8", "replace")
                        continue
                break
        self.output += fresh
        return fresh

    def type(self, data: bytes) -> None:
        os.write(self.master, data)

    def until_started(self) -> None:
        """The first frame stands there, and the target is open: the header says how old its index is."""
        self.read("keys")
        self.read("index")
        self.read(seconds=1.0)

    def ended(self) -> int:
        """The exit code; whatever was written on the way is read."""
        self.read(seconds=10.0)
        return self.process.wait(10)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        with contextlib.suppress(OSError):
            os.close(self.master)


@contextlib.contextmanager
def opened(command: Sequence[str], *, background: str = "", **environment: str) -> Iterator[Terminal]:
    terminal = Terminal(command, background=background, **environment)
    try:
        yield terminal
    finally:
        terminal.close()


def on_made_up_answers(target: str, theme: str, log: Path) -> list[str]:
    """The command that runs the app without any host."""
    return [sys.executable, "-c", PROGRAM, target, theme, str(log)]


def on_folder(folder: Path, *options: str) -> list[str]:
    """The command line itself, on a folder of this machine."""
    return [sys.executable, "-m", "sondage", *options, str(folder)]


def places_below(folder: Path) -> dict[str, str]:
    """Where sondage is to keep its files in a test."""
    return {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "CACHE", "STATE")}
