"""The command is a constant that every shell reads the same way, and every host's tools answer."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TypeVar

import pytest

from sondage.hosts.archive import Wanted, parse_pull, pull_request
from sondage.hosts.base import ListRequest
from sondage.hosts.commands import NONCE_LENGTH, SERVE
from sondage.hosts.feed import Reply
from sondage.hosts.found import Found, judge
from sondage.hosts.listing import list_request, parse_list
from sondage.hosts.local import walk

from .conftest import HOSTILE_NAMES, request

T = TypeVar("T")
NONCE = b"0" * NONCE_LENGTH
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "fish", "tcsh") if shutil.which(shell)]


def test_the_command_means_the_same_to_every_login_shell() -> None:
    parts = SERVE.split("'")
    outside, scripts = "".join(parts[::2]), "".join(parts[1::2])
    assert not set('"$`\\!;&|<>*?~#') & set(outside)
    assert "!" not in scripts
    assert "\\\\" not in scripts
    assert "\n" not in SERVE
    assert SERVE.isascii()


def test_the_command_only_runs_what_reads() -> None:
    words = set(SERVE.replace('"', " ").replace(";", " ").replace("(", " ").replace(")", " ").split())
    assert not words & set("rm mv cp mkdir touch tee ln chmod mktemp -delete -fprint -fprintf -ok python3".split())
    assert set(redirections(SERVE)) == {"/dev/null", "&1", "&4"}


def redirections(command: str) -> list[str]:
    return [part.split()[0].rstrip(";)}'") for part in command.split(">")[1:]]


def ask(command: list[str], sent: bytes, reply: Reply[T], env: dict[str, str] | None) -> list[T]:
    """What it answers to one request. Its input stays open until then: with its input it ends."""
    found: list[T] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(sent)
        process.stdin.flush()
        while not reply.complete and (data := os.read(process.stdout.fileno(), 1 << 16)):
            found += reply.feed(data)
        process.stdin.close()
        process.stdout.read()
        found += reply.end()
    assert process.returncode == 0
    return found


def list_with(command: list[str], asked: ListRequest, env: dict[str, str] | None = None) -> Found:
    reply = Reply(lambda feed: parse_list(feed, asked, NONCE))
    return ask(command, list_request(asked, NONCE), reply, env)[0]


def pull_with(
    command: list[str], names: list[bytes], env: dict[str, str] | None = None, pack: str = "plain"
) -> dict[bytes, bytes | None]:
    wanted = [Wanted(name, 1 << 20) for name in names]
    reply = Reply(lambda feed: parse_pull(feed, NONCE, wanted))
    found = ask(command, pull_request(NONCE, 5, pack, wanted), reply, env)
    return {one.name: one.data for reads in found for one in reads}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_login_shell_lists_and_pulls_hostile_names(shell: str, tree: Path) -> None:
    found = list_with([shell, "-c", SERVE], request(tree))
    assert {file.path for file in found.files} == {b"pkg/" + name for name in HOSTILE_NAMES}
    names = [os.fsencode(tree) + b"/" + file.path for file in found.files]
    pulled = pull_with([shell, "-c", SERVE], names)
    assert {name.rpartition(b"/")[2]: data for name, data in pulled.items()} == {name: name for name in HOSTILE_NAMES}


def test_the_command_and_the_walk_of_this_machine_agree(tree: Path) -> None:
    (tree / "by_link.py").symlink_to("pkg/notes.txt")
    (tree / "out").symlink_to("/etc")
    asked = request(tree)
    there, here = (judge(found, asked).listing for found in (list_with(["sh", "-c", SERVE], asked), walk(asked)))
    assert there.files == here.files
    assert there.links == here.links


def test_the_root_folder_of_a_user_is_written_with_a_tilde(tree: Path) -> None:
    env = {**os.environ, "HOME": str(tree)}
    assert list_with(["sh", "-c", SERVE], ListRequest(b"~/pkg"), env).root == os.fsencode(tree / "pkg")


@pytest.fixture
def busybox(tmp_path: Path) -> dict[str, str]:
    """An environment whose tools are BusyBox's; skipped where there is none."""
    program = shutil.which("busybox")
    if not program:
        pytest.skip("needs BusyBox (Debian: apt install busybox)")
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "find", "xargs", "stat", "tar", "head", "dd", "env", "readlink", "uname", "date", "wc", "gzip"):
        (folder / tool).symlink_to(program)
    return {"PATH": str(folder), "HOME": "/"}


def test_busybox_lists_and_pulls_the_same(tree: Path, busybox: dict[str, str]) -> None:
    (tree / "by_link.py").symlink_to("pkg/notes.txt")
    (tree / "out").symlink_to("/etc")
    shell = f"{busybox['PATH']}/sh"
    served = SERVE.replace("/bin/sh", shell)
    found = list_with([shell, "-c", served], request(tree), busybox)
    judged = judge(found, request(tree))
    assert (judged.listing.links, list(judged.sources)) == ((b"out",), [b"by_link.py"])
    assert {file.path for file in found.files} == {b"pkg/" + name for name in HOSTILE_NAMES}
    names = [os.fsencode(tree) + b"/" + file.path for file in found.files]
    for pack in ("plain", "far"):
        pulled = pull_with([shell, "-c", served], names, busybox, pack)
        assert {name.rpartition(b"/")[2]: data for name, data in pulled.items()} == {
            name: name for name in HOSTILE_NAMES
        }


@pytest.mark.parametrize("pack", ["near", "far"])
@pytest.mark.parametrize("missing", [(), ("zstd",), ("zstd", "gzip")], ids=["all", "no zstd", "neither"])
def test_what_is_packed_comes_out_the_same_whatever_the_host_packs_with(
    tmp_path: Path, tree: Path, pack: str, missing: tuple[str, ...]
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in "sh env find xargs stat tar head readlink uname date wc gzip zstd".split():
        if tool not in missing and (program := shutil.which(tool)):
            (tools / tool).symlink_to(program)
    names = [os.fsencode(path) for path in (tree / "pkg").iterdir()]
    pulled = pull_with(["sh", "-c", SERVE], names, {"PATH": str(tools)}, pack)
    assert pulled == {name: Path(os.fsdecode(name)).read_bytes() for name in names}
