"""The two commands are constants that every shell reads the same way, and every host's tools answer."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sondage.hosts.archive import Wanted, parse_pull, pull_input
from sondage.hosts.base import ListRequest
from sondage.hosts.commands import GROUP_DIGITS, LIST, NONCE_LENGTH, PULL
from sondage.hosts.feed import Reply
from sondage.hosts.listing import Found, judge, list_input, parse_list
from sondage.hosts.local import walk

from .conftest import HOSTILE_NAMES, request

NONCE = b"0" * NONCE_LENGTH
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "fish", "tcsh") if shutil.which(shell)]


@pytest.mark.parametrize("command", [LIST, PULL], ids=["list", "pull"])
def test_a_command_means_the_same_to_every_login_shell(command: str) -> None:
    before, script, after = command.split("'")
    assert not set('"$`\\!;&|<>*?~#') & set(before + after)
    assert "!" not in script
    assert "\\\\" not in script
    assert "\n" not in command
    assert command.isascii()


@pytest.mark.parametrize("command", [LIST, PULL], ids=["list", "pull"])
def test_a_command_only_runs_what_reads(command: str) -> None:
    words = set(command.replace('"', " ").replace(";", " ").replace("(", " ").replace(")", " ").split())
    assert not words & {
        "rm",
        "mv",
        "cp",
        "mkdir",
        "touch",
        "tee",
        "ln",
        "chmod",
        "-delete",
        "-fprint",
        "-ok",
        "python3",
    }
    assert all(target in ("/dev/null", "&2", "&1") for target in redirections(command))


def redirections(command: str) -> list[str]:
    return [part.split()[0].rstrip(";)") for part in command.split(">")[1:]]


def list_with(command: list[str], root: Path, env: dict[str, str] | None = None) -> Found:
    asked = ListRequest(os.fsencode(root))
    done = subprocess.run(command, input=list_input(asked, NONCE), capture_output=True, check=True, env=env)
    reply = Reply(lambda feed: parse_list(feed, asked, NONCE))
    return (reply.feed(done.stdout) + reply.end())[0]


def pull_with(command: list[str], names: list[bytes], env: dict[str, str] | None = None) -> dict[bytes, bytes | None]:
    wanted = [Wanted(name, 1 << 20) for name in names]
    done = subprocess.run(command, input=pull_input(NONCE, 5, wanted), capture_output=True, check=True, env=env)
    reply = Reply(lambda feed: parse_pull(feed, NONCE, wanted))
    return {one.name: one.data for reads in reply.feed(done.stdout) + reply.end() for one in reads}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_login_shell_lists_and_pulls_hostile_names(shell: str, tree: Path) -> None:
    found = list_with([shell, "-c", LIST], tree)
    assert {file.path for file in found.files} == {b"pkg/" + name for name in HOSTILE_NAMES}
    names = [os.fsencode(tree) + b"/" + file.path for file in found.files]
    pulled = pull_with([shell, "-c", PULL], names)
    assert {name.rpartition(b"/")[2]: data for name, data in pulled.items()} == {name: name for name in HOSTILE_NAMES}


def test_the_command_and_the_walk_of_this_machine_agree(tree: Path) -> None:
    (tree / "by_link.py").symlink_to("pkg/notes.txt")
    (tree / "out").symlink_to("/etc")
    asked = request(tree)
    there, here = (judge(found, asked).listing for found in (list_with(["sh", "-c", LIST], tree), walk(asked)))
    assert there.files == here.files
    assert there.links == here.links


def test_the_root_folder_of_a_user_is_written_with_a_tilde(tree: Path) -> None:
    env = {**os.environ, "HOME": str(tree)}
    asked = ListRequest(b"~/pkg")
    done = subprocess.run(["sh", "-c", LIST], input=list_input(asked, NONCE), capture_output=True, check=True, env=env)
    reply = Reply(lambda feed: parse_list(feed, asked, NONCE))
    assert (reply.feed(done.stdout) + reply.end())[0].root == os.fsencode(tree / "pkg")


@pytest.fixture
def busybox(tmp_path: Path) -> dict[str, str]:
    """An environment whose tools are BusyBox's; skipped where there is none."""
    program = shutil.which("busybox")
    if not program:
        pytest.skip("needs BusyBox (Debian: apt install busybox)")
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "find", "xargs", "stat", "tar", "dd", "env", "readlink", "uname", "date"):
        (folder / tool).symlink_to(program)
    return {"PATH": str(folder), "HOME": "/"}


def test_busybox_lists_and_pulls_the_same(tree: Path, busybox: dict[str, str]) -> None:
    (tree / "by_link.py").symlink_to("pkg/notes.txt")
    (tree / "out").symlink_to("/etc")
    shell = f"{busybox['PATH']}/sh"
    found = list_with([shell, "-c", LIST.replace("/bin/sh", shell)], tree, busybox)
    judged = judge(found, request(tree))
    assert (judged.listing.links, list(judged.sources)) == ((b"out",), [b"by_link.py"])
    assert {file.path for file in found.files} == {b"pkg/" + name for name in HOSTILE_NAMES}
    names = [os.fsencode(tree) + b"/" + file.path for file in found.files]
    pulled = pull_with([shell, "-c", PULL.replace("/bin/sh", shell)], names, busybox)
    assert {name.rpartition(b"/")[2]: data for name, data in pulled.items()} == {name: name for name in HOSTILE_NAMES}


def test_the_numbers_of_the_protocol_fit_the_commands() -> None:
    assert f"dd bs=1 count={NONCE_LENGTH}" in PULL
    assert f"dd bs=1 count={GROUP_DIGITS}" in PULL
