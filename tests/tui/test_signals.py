"""Owns the tests on a real pseudo-terminal: signals and crashes leave it clean, idling writes nothing, colours obey."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from pathlib import Path
from sondage.tui.app import Options, run_app
from tests.tui.fake import FakeDig

async def opener(target, asker):
    passphrase = "sentinel-secret"
    if target == "crash":
        raise_later(passphrase)
    return FakeDig()

def raise_later(passphrase):
    import asyncio
    from textual._context import active_app
    app = active_app.get()
    def boom():
        secret = passphrase
        raise RuntimeError("boom")
    app.call_later(boom)

sys.exit(run_app(opener, sys.argv[1], Options(theme=sys.argv[2], clock=lambda: 1000.0, log=Path(sys.argv[3]))))
"""
CLEAN = ("\x1b[?1049l", "\x1b[?1000l", "\x1b[?1003l", "\x1b[?1006l", "\x1b[?25h")
"""Back from the alternate screen, mouse off, cursor on."""


class Terminal:
    """The app on a pseudo-terminal of 80×24; all that it wrote so far is `output`."""

    def __init__(self, log: Path, target: str = "box:/srv", theme: str = "dark", **environment: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        given = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "COLORTERM", "TMUX")}
        given |= {"TERM": "xterm-256color", "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"} | environment
        command = [sys.executable, "-c", PROGRAM, target, theme, str(log)]
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=given, start_new_session=True
        )
        os.close(slave)
        self.output = ""

    def read(self, until: str = "", seconds: float = 30.0) -> str:
        """What comes until a text was written, or nothing more comes for `seconds`."""
        fresh = ""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (not until or until not in fresh):
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if ready:
                with contextlib.suppress(OSError):
                    data = os.read(self.master, 65536).decode("utf-8", "replace")
                    if data:
                        fresh += data
                        continue
                break
        self.output += fresh
        return fresh

    def until_started(self) -> None:
        self.read("keys")
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


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.txt"


@contextlib.contextmanager
def terminal(log: Path, target: str = "box:/srv", theme: str = "dark", **environment: str) -> Iterator[Terminal]:
    opened = Terminal(log, target, theme, **environment)
    try:
        yield opened
    finally:
        opened.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_leaves_the_terminal_clean(log: Path, number: signal.Signals) -> None:
    with terminal(log) as app:
        app.until_started()
        app.process.send_signal(number)
        assert app.ended() == 128 + number
        assert all(sequence in app.output for sequence in CLEAN)


def test_crash_is_one_line_without_secrets_and_leaves_the_terminal_clean(log: Path) -> None:
    with terminal(log, "crash") as app:
        assert app.ended() == 4
        assert all(sequence in app.output for sequence in CLEAN)
        said = app.output[app.output.rindex("\x1b[?1049l") :]
        assert "sondage: error: internal error: RuntimeError" in said
        assert "Traceback" not in said
        assert "sentinel-secret" not in app.output + log.read_text()
        assert "boom" in log.read_text()
        assert oct(log.stat().st_mode)[-3:] == "600"


def test_closed_terminal_ends_the_process(log: Path) -> None:
    with terminal(log) as app:
        app.until_started()
        os.close(app.master)
        app.master = os.open(os.devnull, os.O_RDONLY)
        assert app.process.wait(10) is not None


def test_idle_app_writes_nothing(log: Path) -> None:
    with terminal(log) as app:
        app.until_started()
        assert app.read(seconds=2.0) == ""


def test_step_of_the_cursor_writes_little(log: Path) -> None:
    with terminal(log, COLORTERM="truecolor") as app:
        app.until_started()
        os.write(app.master, b"/self\r")
        app.read(seconds=2.0)
        for key in (b"j", b"j", b"k"):
            os.write(app.master, key)
            assert 0 < len(app.read(seconds=1.0).encode()) < 6000


def test_terminal_theme_sends_only_the_sixteen_colours(log: Path) -> None:
    with terminal(log, theme="terminal", COLORTERM="truecolor") as app:
        app.until_started()
        os.write(app.master, b"/forward\r")
        app.read(seconds=2.0)
        assert not re.search(r"[34]8;[25]", app.output)


def test_no_color_sends_no_colour_at_all(log: Path) -> None:
    with terminal(log, COLORTERM="truecolor", NO_COLOR="1") as app:
        app.until_started()
        os.write(app.master, b"/forward\r")
        app.read(seconds=2.0)
        assert not re.search(r"[34]8;[25]", app.output)
        assert not re.search(r"\x1b\[(?:[0-9;]*;)?(?:3|4|9|10)[0-7]m", app.output)


@pytest.mark.parametrize("term", ["screen", "tmux-256color", "xterm", "linux", "dumb"])
def test_app_starts_on_every_terminal(log: Path, term: str) -> None:
    with terminal(log, TERM=term) as app:
        app.until_started()
        assert "Search" in app.output
        os.write(app.master, b"q")
        assert app.ended() == 0
