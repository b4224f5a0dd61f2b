"""The examination of the way to a target: each way in which it can end, against a real server where it can."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from sondage.errors import ConfigError, ConnectError, HostKeyChanged, HostKeyUnknown, LoginRefused, SondageError
from sondage.hosts.base import SshOptions
from sondage.hosts.doctor import Diagnosis, Step, examine
from sondage.hosts.doctor.diagnosis import remedy_for, shareable
from sondage.hosts.target import parse_target
from support.sshd import Sshd, running_sshd

PATTERNS = (b"*.py",)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    with running_sshd(tmp_path / "sshd") as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "small.py").write_text("x = 1\n")
    (root / "large.py").write_text("y = 2\n" * 100)
    return root


async def examined(target: str, options: SshOptions) -> Diagnosis:
    return await examine(parse_target(target), options, None, PATTERNS)


async def through(server: Sshd, folder: Path | str) -> Diagnosis:
    return await examined(server.target(folder), SshOptions(config_file=str(server.config), no_input=True))


def states(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    return [(step.step, step.state) for step in diagnosis.steps]


def last(diagnosis: Diagnosis) -> Step:
    return diagnosis.steps[-1]


@pytest.mark.sshd
async def test_way_that_is_clear_is_told_from_the_configuration_to_the_first_file(server: Sshd, folder: Path) -> None:
    diagnosis = await through(server, folder)

    assert diagnosis.healthy
    names = ["configuration", "address", "host key", "login", "abilities", "root", "files", "read"]
    assert states(diagnosis) == [(name, "ok") for name in names]
    steps = {step.step: step for step in diagnosis.steps}
    own = asyncssh.read_public_key(str(server.client_key) + ".pub").get_fingerprint()
    assert any(str(server.config) in line for line in steps["configuration"].resolved)
    assert steps["address"].tried == (f"127.0.0.1:{server.port}",)
    assert "SSH-2.0-OpenSSH" in steps["address"].offered[0]
    assert server.host_key.get_fingerprint() in steps["host key"].offered[0]
    assert "known_hosts:1" in steps["host key"].resolved[0]
    assert own in steps["login"].tried[0]
    assert steps["login"].offered == ("publickey",)
    assert steps["login"].refused == ()
    assert "reads with GNU tar" in steps["abilities"].resolved
    assert steps["root"].resolved[0] == str(folder)
    assert steps["files"].resolved[0] == "2 files to read"
    assert steps["read"].tried == ("small.py",)


@pytest.mark.sshd
async def test_each_step_is_told_as_soon_as_it_is_known(server: Sshd, folder: Path) -> None:
    told: list[Step] = []
    options = SshOptions(config_file=str(server.config), no_input=True)

    diagnosis = await examine(parse_target(server.target(folder)), options, None, PATTERNS, told.append)

    assert tuple(told) == diagnosis.steps


@pytest.mark.sshd
async def test_key_that_the_server_does_not_take_is_named_with_its_fingerprint(
    server: Sshd, folder: Path, tmp_path: Path
) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519")
    other.write_private_key(str(tmp_path / "other"))
    (tmp_path / "other").chmod(0o600)
    server.configure_client(key=tmp_path / "other")

    step = last(await through(server, folder))

    assert (step.step, step.state) == ("login", "failed")
    assert other.get_fingerprint() in step.refused[0]
    assert step.offered == ("publickey",)
    assert "authorized_keys" in step.remedy


@pytest.mark.sshd
async def test_host_key_that_changed_is_told_with_both_fingerprints_and_the_line(server: Sshd, folder: Path) -> None:
    before = asyncssh.generate_private_key("ssh-ed25519").convert_to_public()
    server.trust(before)

    step = last(await through(server, folder))

    assert (step.step, step.state) == ("host key", "failed")
    assert server.host_key.get_fingerprint() in step.offered[0]
    assert before.get_fingerprint() in step.resolved[0]
    assert "known_hosts:1" in step.resolved[0]
    assert "ssh-keygen -R" in step.remedy


@pytest.mark.sshd
async def test_host_key_nobody_vouched_for_is_told_before_any_key_of_ours_is_shown(server: Sshd, folder: Path) -> None:
    server.known_hosts.write_text("")

    step = last(await through(server, folder))

    assert (step.step, step.state) == ("host key", "failed")
    assert "compare the fingerprint" in step.remedy
    assert "Accepted publickey" not in server.log


@pytest.mark.sshd
async def test_root_that_is_not_there_ends_it_after_the_login(server: Sshd, tmp_path: Path) -> None:
    diagnosis = await through(server, tmp_path / "nothing")

    assert ("login", "ok") in states(diagnosis)
    step = last(diagnosis)
    assert (step.step, step.state) == ("root", "failed")
    assert "no such folder" in step.refused[0]
    assert "check the path" in step.remedy


@pytest.mark.sshd
async def test_root_without_sources_is_doubtful_and_nothing_more_is_read(server: Sshd, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    diagnosis = await through(server, tmp_path / "empty")

    assert diagnosis.healthy
    assert states(diagnosis)[-1] == ("files", "doubt")


@pytest.mark.sshd
async def test_host_that_runs_no_commands_is_read_over_sftp_and_that_is_said(tmp_path: Path, folder: Path) -> None:
    with running_sshd(tmp_path / "sftp", "ForceCommand internal-sftp") as server:
        diagnosis = await through(server, folder)

    assert diagnosis.healthy
    assert ("abilities", "doubt") in states(diagnosis)
    assert "sftp" in last(diagnosis).resolved[0]


@pytest.mark.sshd
async def test_account_without_a_shell_ends_it_with_what_the_host_said(tmp_path: Path, folder: Path) -> None:
    with running_sshd(tmp_path / "nologin", "ForceCommand echo This account is not available.; exit 1") as server:
        diagnosis = await through(server, folder)

    steps = {step.step: step for step in diagnosis.steps}
    assert not diagnosis.healthy
    assert "This account is not available." in steps["abilities"].refused[0]
    assert last(diagnosis).step == "root"


@pytest.mark.sshd
async def test_jump_host_is_examined_as_its_own_hop(tmp_path: Path, folder: Path) -> None:
    with running_sshd(tmp_path / "inner") as inner, running_sshd(tmp_path / "outer") as outer:
        text = outer.config.read_text().replace("Host box", "Host bastion")
        inner.configure_client("ProxyJump bastion")
        inner.config.write_text(inner.config.read_text() + "\n" + text)
        diagnosis = await through(inner, folder)

    assert diagnosis.healthy
    assert [step.host for step in diagnosis.steps if step.step == "host key"] == ["bastion", "box"]
    configured = [step for step in diagnosis.steps if step.step == "configuration"]
    assert "through bastion" in configured[1].resolved
    assert [step.host for step in diagnosis.steps if step.step == "address"] == ["bastion"]


@pytest.mark.sshd
async def test_way_over_the_program_ssh_is_examined_too(server: Sshd, folder: Path, tmp_path: Path) -> None:
    options = SshOptions(config_file=str(server.config), no_input=True, transport="ssh")

    diagnosis = await examined(server.target(folder), options)

    assert diagnosis.healthy
    assert "over the program ssh: --transport ssh" in diagnosis.steps[0].resolved
    assert last(diagnosis).resolved == ("6 bytes, tar over ssh",)

    other = asyncssh.generate_private_key("ssh-ed25519")
    other.write_private_key(str(tmp_path / "other"))
    (tmp_path / "other").chmod(0o600)
    server.configure_client(key=tmp_path / "other")
    step = last(await examined(server.target(folder), options))

    assert (step.step, step.state) == ("login", "failed")
    assert "Permission denied" in step.refused[0]


async def test_name_that_is_not_known_is_told_with_what_to_check() -> None:
    step = last(await examined("no-such-host.invalid:/srv", SshOptions(config_file="/dev/null", no_input=True)))

    assert (step.step, step.state, step.tried) == ("address", "failed", ("no-such-host.invalid",))
    assert "spelling" in step.remedy


async def test_port_that_is_closed_is_told_with_each_address_tried() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        options = SshOptions(config_file="/dev/null", port=port, no_input=True)
        step = last(await examined("127.0.0.1:/srv", options))

    assert (step.step, step.state, step.tried) == ("address", "failed", (f"127.0.0.1:{port}",))
    assert "refused" in step.refused[0]
    assert "-p" in step.remedy


async def test_server_that_is_none_of_ssh_is_told_by_what_it_says() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 \x1b]0;gotcha\x07\r\n")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    step = last(await examined("127.0.0.1:/srv", SshOptions(config_file="/dev/null", port=port, no_input=True)))
    server.close()

    assert (step.step, step.state) == ("address", "failed")
    assert "HTTP/1.1 400" in step.refused[0]


async def test_configuration_that_ssh_refuses_is_the_first_step(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("Host box\nNonsense yes\n")

    diagnosis = await examined("box:/srv", SshOptions(config_file=str(tmp_path / "config"), no_input=True))

    assert states(diagnosis) == [("configuration", "failed")]
    assert "ssh -G" in last(diagnosis).remedy


async def test_arguments_of_a_proxy_command_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("Host box\nProxyCommand /bin/false --token s3cret\n")

    diagnosis = await examined("box:/srv", SshOptions(config_file=str(tmp_path / "config"), no_input=True))

    assert "through the ProxyCommand false …" in diagnosis.steps[0].resolved
    assert "s3cret" not in str(diagnosis)
    assert last(diagnosis).state == "failed"


async def test_local_folder_is_examined_too(folder: Path) -> None:
    diagnosis = await examined(str(folder), SshOptions())

    assert diagnosis.healthy
    assert states(diagnosis) == [("root", "ok"), ("files", "ok"), ("read", "ok")]


async def test_local_folder_that_is_not_there_is_told(folder: Path) -> None:
    diagnosis = await examined(f"{folder}/none", SshOptions())

    assert states(diagnosis) == [("root", "failed")]


# ------------------------------------------------------------------ fit to be shared


def test_homes_and_users_are_shortened_and_nothing_else() -> None:
    step = Step(
        "login",
        "failed",
        "johanna@box",
        resolved=("key /home/johanna/.ssh/id", "/home/johanna", "/home/johannas/x", "as johanna"),
        refused=("login refused: johanna@box", "root", "/srv/johanna-models"),
        remedy="johanna",
    )

    shared = shareable(step, ["/home/johanna", ""], ["johanna", "root"])

    assert shared.host == "j…@box"
    assert shared.resolved == ("key ~/.ssh/id", "~", "/home/johannas/x", "as j…")
    assert shared.refused == ("login refused: j…@box", "root", "/srv/johanna-models")
    assert shared.remedy == "j…"


async def test_home_of_the_user_is_never_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))

    diagnosis = await examined(str(folder), SshOptions())

    assert str(folder.parent) not in str(diagnosis)
    assert last(diagnosis).step == "read"
    assert diagnosis.target == "~/tree"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ConfigError("ssh refuses its configuration", "box"), "ssh -G"),
        (HostKeyUnknown("unknown", "box", key_type="k", fingerprint="f", line=""), "compare"),
        (HostKeyChanged("the host key has changed", "box"), "rebuilt"),
        (LoginRefused("login refused", "me@box", "it needs a password, and nobody could be asked"), "--no-input"),
        (LoginRefused("login refused", "me@box", "only 5 keys were tried"), "-i"),
        (LoginRefused("login refused", "me@box", "the SSH agent does not answer"), "ssh-add -l"),
        (LoginRefused("login refused", "me@box", "tried id_rsa"), "authorized_keys"),
        (ConnectError("no common algorithm with the server", "box"), "--transport ssh"),
        (ConnectError("no connection", "box", "Network is unreachable"), "VPN"),
        (ConnectError("something else", "box"), "ssh -v"),
    ],
)
def test_each_kind_of_failure_has_its_remedy(error: SondageError, says: str) -> None:
    assert says in remedy_for(error)
