"""What a failure of the program `ssh` means, by what it says."""

from __future__ import annotations

import pytest

from sondage.errors import ConnectError, HostError, HostKeyChanged, LoginRefused, TransferError
from sondage.hosts.pipes import Pipes
from sondage.hosts.ssh_command import explain, last_words

FINGERPRINT = "SHA256:" + "a" * 43
CHANGED = (
    "@@@@@@@@@@@@\r\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n@@@@@@@@@@@@\r\n"
    f"The fingerprint for the ED25519 key sent by the remote host is\r\n{FINGERPRINT}.\r\n"
    "Host key verification failed.\r\n"
)


def ended(errors: str, received: int = 0) -> Pipes:
    pipes = Pipes(lambda _: None)
    pipes.errors += errors.encode()
    pipes.received = received
    return pipes


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        ("me@box: Permission denied (publickey,password).\r\n", LoginRefused),
        ("Received disconnect from 1.2.3.4 port 22:2: Too many authentication failures\r\n", LoginRefused),
        ("No ED25519 host key is known for box.\r\nHost key verification failed.\r\n", HostKeyChanged),
        ("Unable to negotiate with 1.2.3.4 port 22: no matching host key type found.\r\n", HostKeyChanged),
        (CHANGED, HostKeyChanged),
        ("ssh: connect to host box port 22: Connection refused\r\n", ConnectError),
        ("ssh: Could not resolve hostname box: Name or service not known\r\n", ConnectError),
        ("", ConnectError),
    ],
)
def test_what_ssh_says_tells_the_kind_of_failure(errors: str, kind: type[HostError]) -> None:
    error = explain(ended(errors), "box", "known_hosts:1 has SHA256:b")
    assert type(error) is kind
    assert error.where == "box"
    assert error.hint


def test_a_changed_key_is_told_with_both() -> None:
    assert explain(ended(CHANGED), "box", "known_hosts:1 has SHA256:b").hint == (
        f"known_hosts:1 has SHA256:b, the server showed {FINGERPRINT}"
    )
    # Behind a jump host it may be that one's.
    assert "known_hosts" not in explain(ended(CHANGED), "box", "").hint


def test_what_breaks_off_after_the_answer_began_is_a_transfer_that_broke() -> None:
    assert type(explain(ended("me@box: Permission denied (x)", received=1), "box", "")) is TransferError


def test_the_last_lines_are_told_in_one() -> None:
    assert last_words(b"one\r\ntwo\n\n  \nthree\nfour\xff\n") == "two; three; four\\xff"
    assert last_words(b"\n") == "ssh ended without a word"
    assert len(last_words(b"x" * 9999)) <= 200
