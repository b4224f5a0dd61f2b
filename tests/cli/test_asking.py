"""Questions on the terminal, each on a pseudo terminal of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest

from sondage.cli.asking import TerminalAsker, question_text, terminal_asker
from sondage.hosts.base import Question

HOST_KEY = Question(
    "host_key",
    "box",
    "Nobody has vouched for this host yet.",
    details={"type": "ssh-ed25519", "fingerprint": "SHA256:abc", "known_hosts": "~/.ssh/known_hosts"},
)
PASSWORD = Question("password", "ann@box", "Password:")


class Terminal:
    """The two ends of a pseudo terminal: sondage has one, the hands of the user are at the other."""

    def __init__(self) -> None:
        self.hands, self.device = os.openpty()
        self.asker = TerminalAsker(open_terminal=lambda: os.dup(self.device))

    async def answer(self, question: Question, typed: bytes) -> tuple[str | None, bytes]:
        """The answer, and everything the terminal showed."""
        asking = asyncio.ensure_future(self.asker(question))
        shown = b""
        while not shown.endswith(b": "):
            shown += await asyncio.to_thread(os.read, self.hands, 4096)
        os.write(self.hands, typed)
        answer = await asking
        os.write(self.device, b"<end>")
        while not shown.endswith(b"<end>"):
            shown += await asyncio.to_thread(os.read, self.hands, 4096)
        return answer, shown


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    os.close(terminal.hands)
    os.close(terminal.device)


async def test_a_password_is_read_and_never_shown(terminal: Terminal) -> None:
    answer, shown = await terminal.answer(PASSWORD, b"s3cret\n")
    assert answer == "s3cret"
    assert b"s3cret" not in shown
    assert b"(ann@box) Password: " in shown


async def test_the_terminal_echoes_again_after_a_password(terminal: Terminal) -> None:
    await terminal.answer(PASSWORD, b"s3cret\n")
    _, shown = await terminal.answer(Question("keyboard_interactive", "box", "Token", echo=True), b"123\n")
    assert b"123" in shown


async def test_a_host_key_is_shown_with_type_and_fingerprint_and_taken_with_the_word_yes(terminal: Terminal) -> None:
    answer, shown = await terminal.answer(HOST_KEY, b"yes\n")
    assert answer == "yes"
    assert b"ssh-ed25519" in shown
    assert b"SHA256:abc" in shown


@pytest.mark.parametrize("typed", [b"\n", b"y\n", b"YES!\n", b"no\n", b"\x04"])
async def test_anything_but_yes_is_a_no_to_a_host_key(typed: bytes, terminal: Terminal) -> None:
    assert (await terminal.answer(HOST_KEY, typed))[0] is None


async def test_end_of_input_gives_up_on_a_secret(terminal: Terminal) -> None:
    assert (await terminal.answer(PASSWORD, b"\x04"))[0] is None


async def test_an_empty_password_is_an_answer(terminal: Terminal) -> None:
    assert (await terminal.answer(PASSWORD, b"\n"))[0] == ""


async def test_a_cancelled_question_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    asking = asyncio.ensure_future(terminal.asker(PASSWORD))
    shown = b""
    while not shown.endswith(b": "):
        shown += await asyncio.to_thread(os.read, terminal.hands, 4096)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert b"again" in (await terminal.answer(Question("keyboard_interactive", "box", "?", echo=True), b"again\n"))[1]


async def test_the_progress_line_is_cleared_ahead_of_a_question() -> None:
    terminal, cleared = Terminal(), []
    terminal.asker = TerminalAsker(lambda: cleared.append(True), lambda: os.dup(terminal.device))
    await terminal.answer(PASSWORD, b"x\n")
    assert cleared == [True]


def test_a_prompt_of_the_server_cannot_move_the_cursor_nor_imitate_a_line_of_ours() -> None:
    hostile = Question(
        "keyboard_interactive", "box", "\x1b[2J\x1b]52;c;Zm9v\x07Code:\nsondage: error: gone", "Hello\x1b[1A\nthere"
    )
    text = question_text(hostile)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert all(line.startswith("(box) ") for line in text.split("\n"))


def test_nobody_is_asked_with_no_input() -> None:
    assert terminal_asker(no_input=True, before=lambda: None) is None


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_terminal(*_: object) -> int:
        raise OSError("no such device or address")

    monkeypatch.setattr(os, "ttyname", no_terminal)
    monkeypatch.setattr(os, "open", no_terminal)
    assert terminal_asker(no_input=False, before=lambda: None) is None


async def test_a_hint_is_shown_and_wants_no_answer(terminal: Terminal) -> None:
    hint = Question("touch", "box\x1b[2J", "Touch the security key")
    assert await terminal.asker(hint) is None
    assert os.read(terminal.hands, 4096) == "(box␛[2J) Touch the security key\r\n".encode()


def test_a_yes_that_is_recorded_nowhere_says_so() -> None:
    text = question_text(Question("host_key", "box", "Unknown", details={"known_hosts": ""}))
    assert "Yes counts for this connection only." in text
