"""What an address means: the answers of ssh, and of the parser that stands in where there is no ssh."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sondage.errors import ConfigError, UsageError
from sondage.hosts import resolve as module
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.resolve import Hop, resolve

CONFIG = """
Host box
  HostName box.example.com
  User me
  Port 2222
  HostKeyAlias the-box
  IdentityFile ~/keys/%r@%h
  IdentitiesOnly yes
  UserKnownHostsFile ~/one ~/two
  IdentityAgent none
Host inner
  HostName 10.0.0.1
  ProxyJump gate
Host gate
  HostName gate.example.com
  User jumper
Host piped
  ProxyCommand connect %h %p
Host circle
  ProxyJump circle2
Host circle2
  ProxyJump circle
"""


@pytest.fixture(params=["ssh", "asyncssh"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of asking."""
    if request.param == "asyncssh":
        monkeypatch.setattr(shutil, "which", lambda _: None)
    elif not shutil.which("ssh"):
        pytest.skip("needs OpenSSH's client")
    return str(request.param)


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], SshOptions]:
    def write(text: str) -> SshOptions:
        (tmp_path / "config").write_text(text)
        return SshOptions(config_file=str(tmp_path / "config"))

    return write


async def one(address: Address, options: SshOptions) -> Hop:
    (hop,) = await resolve(address, options)
    return hop


async def test_everything_of_an_alias_is_found(parser: str, config: Callable[[str], SshOptions]) -> None:
    hop = await one(Address("box"), config(CONFIG))
    home = str(Path("~").expanduser())
    assert (hop.label, hop.host, hop.port, hop.user, hop.key_alias) == ("box", "box.example.com", 2222, "me", "the-box")
    assert hop.identity_files == (f"{home}/keys/me@box.example.com",)
    assert hop.user_known_hosts == (f"{home}/one", f"{home}/two")
    assert hop.identities_only
    assert hop.agent == ""


async def test_what_the_address_and_the_options_say_wins(
    parser: str, config: Callable[[str], SshOptions], tmp_path: Path
) -> None:
    written = config(CONFIG)
    hop = await one(Address("box", "you", 22), written)
    assert (hop.user, hop.port) == ("you", 22)
    options = SshOptions(config_file=written.config_file, port=23, identity_files=(str(tmp_path / "config"),))
    hop = await one(Address("box"), options)
    assert hop.port == 23
    assert hop.identity_files[0] == str(tmp_path / "config")


async def test_a_key_file_that_was_named_and_is_not_there_is_an_error(parser: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such key file"):
        await resolve(Address("box"), SshOptions(identity_files=(str(tmp_path / "nowhere"),)))


async def test_a_name_that_is_not_configured_is_itself(parser: str, config: Callable[[str], SshOptions]) -> None:
    hop = await one(Address("else.example.com"), config(CONFIG))
    assert (hop.host, hop.port) == ("else.example.com", 22)
    assert hop.user_known_hosts
    assert any(file.endswith("id_ed25519") for file in hop.identity_files)


async def test_jump_hosts_are_resolved_in_their_order(parser: str, config: Callable[[str], SshOptions]) -> None:
    hops = await resolve(Address("inner"), config(CONFIG))
    assert [(hop.label, hop.host) for hop in hops] == [("gate", "gate.example.com"), ("inner", "10.0.0.1")]
    assert hops[0].user == "jumper"
    written = config(CONFIG)
    options = SshOptions(config_file=written.config_file, jump="gate,you@second:2022")
    hops = await resolve(Address("box"), options)
    assert [(hop.label, hop.port) for hop in hops] == [("gate", 22), ("you@second:2022", 2022), ("box", 2222)]


async def test_a_circle_of_jump_hosts_is_an_error(parser: str, config: Callable[[str], SshOptions]) -> None:
    with pytest.raises(ConfigError, match="circle"):
        await resolve(Address("circle"), config(CONFIG))


async def test_a_proxy_command_has_its_tokens_filled_in(parser: str, config: Callable[[str], SshOptions]) -> None:
    assert (await one(Address("piped"), config(CONFIG))).proxy_command == "connect piped 22"


@pytest.mark.parametrize("jump", ["-oProxyCommand=x", "a;b", "a,,b", "$(id)"])
async def test_hostile_jump_hosts_are_refused(parser: str, config: Callable[[str], SshOptions], jump: str) -> None:
    written = config("")
    with pytest.raises(UsageError):
        await resolve(Address("box"), SshOptions(config_file=written.config_file, jump=jump))


async def test_a_file_that_is_not_there_is_an_error(parser: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        await resolve(Address("box"), SshOptions(config_file=str(tmp_path / "nowhere")))


async def test_none_is_no_file_and_switches_nothing_off(parser: str, config: Callable[[str], SshOptions]) -> None:
    hop = await one(Address("box"), config("Host *\n UserKnownHostsFile none\n"))
    assert hop.user_known_hosts == ()
    assert not hop.vouched


@pytest.mark.parametrize(
    "text",
    [
        "Host box # comment\n Port 2222 # why not\n",
        "Host box\n ConnectTimeout 1m\n",
        "Match host box exec true\n",
        "# caf\xe9\n",
    ],
    ids=["comment", "time unit", "match exec", "latin-1"],
)
async def test_what_only_ssh_understands_is_understood_where_there_is_ssh(tmp_path: Path, text: str) -> None:
    if not shutil.which("ssh"):
        pytest.skip("needs OpenSSH's client")
    (tmp_path / "config").write_text(text, encoding="latin-1")
    assert (await one(Address("box"), SshOptions(config_file=str(tmp_path / "config")))).host == "box"


async def test_without_ssh_a_line_that_is_not_understood_is_named(
    config: Callable[[str], SshOptions], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(ConfigError, match="line 2"):
        await resolve(Address("box"), config("Host box\n ConnectTimeout 1m\n"))


@pytest.mark.parametrize("text", ["Include config\n", "# caf\xe9\n"], ids=["includes itself", "latin-1"])
async def test_without_ssh_no_file_makes_the_parser_fail_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (tmp_path / "config").write_text(text.replace("config", str(tmp_path / "config")), encoding="latin-1")
    with pytest.raises(ConfigError):
        await resolve(Address("box"), SshOptions(config_file=str(tmp_path / "config")))


async def test_ssh_that_hangs_is_given_up(config: Callable[[str], SshOptions], monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("ssh"):
        pytest.skip("needs OpenSSH's client")
    monkeypatch.setattr(module.deadline, "RESOLVE", 0.2)
    with pytest.raises(Exception, match="does not answer"):
        await resolve(Address("box"), config('Match exec "sleep 5"\n'))
