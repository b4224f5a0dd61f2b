"""What an address means: the answers of ssh, and of the parser that stands in where there is no ssh."""

from __future__ import annotations

import getpass
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from sondage.errors import ConfigError, UsageError
from sondage.hosts import resolve as module
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.hop import Hop
from sondage.hosts.resolve import resolve

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


async def test_ssh_that_hangs_is_given_up(config: Callable[[str], SshOptions], monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("ssh"):
        pytest.skip("needs OpenSSH's client")
    monkeypatch.setattr(module.deadline, "RESOLVE", 0.2)
    with pytest.raises(Exception, match="does not answer"):
        await resolve(Address("box"), config('Match exec "sleep 5"\n'))


# ------------------------------------------------------------------ the two ways of asking

BOTH = [
    "",
    "Host b*x !other\n Port 2022\nHost *\n Port 2023\n User you\n",
    "Match host box\n User me\nMatch originalhost box user me\n Port 2022\n",
    "Match exec true\n Port 2022\nMatch !exec true\n Port 2023\n",
    "Match final host box.example.com\n User late\nHost box\n HostName box.example.com\n",
    "Host box\n HostName %h.example.com\n IdentityFile ~/.ssh/%n-%h-%p-%r-%u-%%-%i\n IdentityFile %d/other\n",
    "Host box\n CertificateFile ~/a-cert.pub\n CertificateFile ${MINE}/b-cert.pub\n IdentityFile none\n",
    "Host box\n IdentityAgent $MINE\n IdentitiesOnly yes\n",
    "Host box\n IdentityAgent SSH_AUTH_SOCK\n",
    "Host box\n IdentityAgent none\n",
    "Host box\n IdentityAgent ~/agents/%r\n",
    "Host box\n UserKnownHostsFile none\n GlobalKnownHostsFile ~/one /two\n HostKeyAlias farm\n HashKnownHosts yes\n",
    "Host box\n UserKnownHostsFile ~/one %d/two-%k-%h\n",
    "Host box\n RevokedHostKeys ~/revoked\n PKCS11Provider none\n",
    "Host box\n PKCS11Provider /usr/lib/token.so\n",
    "Host box\n SecurityKeyProvider /usr/lib/key.so\n",
    "Host box\n ConnectTimeout 7\n ConnectionAttempts 3\n ServerAliveInterval 9\n ServerAliveCountMax 2\n",
    "Host box\n AddressFamily inet6\n BindAddress ::1\n NumberOfPasswordPrompts 1\n",
    "Host box\n PreferredAuthentications password,gssapi-with-mic,publickey\n KbdInteractiveAuthentication no\n",
    "Host box\n PasswordAuthentication no\n PubkeyAuthentication no\n",
    "Host box\n ProxyCommand sh -c 'connect %h %p' | tee log\n",
    "Host box\n GSSAPIAuthentication yes\n",
    *(f"Host box\n StrictHostKeyChecking {word}\n" for word in ("yes", "no", "off", "ask", "accept-new")),
]


@pytest.mark.parametrize("text", BOTH)
async def test_both_ways_of_asking_say_the_same(
    config: Callable[[str], SshOptions], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    if not shutil.which("ssh"):
        pytest.skip("needs OpenSSH's client")
    monkeypatch.setenv("MINE", "/mine")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/agent")
    given = config(text)
    theirs = await one(Address("box"), given)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    ours = await one(Address("box"), given)
    # Its own list of algorithms is a matter of each program, and some keys that ssh looks for by default are no more.
    same = replace(theirs, host_key_algorithms=(), session_type=False)
    if not any(word in text for word in ("IdentityFile",)):
        same = replace(same, identity_files=ours.identity_files)
    assert same == ours


@pytest.mark.parametrize(
    ("text", "keyword", "value"),
    [
        ("IdentityFile none", "identity_files", ()),
        ("CertificateFile none", "certificate_files", ()),
        ("IdentityAgent none", "agent", ""),
        ("ProxyCommand none", "proxy_command", ""),
        ("PreferredAuthentications password", "methods", ("password",)),
        ("StrictHostKeyChecking off", "strictness", "no"),
    ],
)
async def test_a_keyword_means(
    parser: str, config: Callable[[str], SshOptions], text: str, keyword: str, value: object
) -> None:
    assert getattr(await one(Address("box"), config(f"Host *\n {text}\n")), keyword) == value


@pytest.mark.parametrize("text", ["IdentityFile ~/%Z", "IdentityFile ${NO_SUCH_VARIABLE}"])
async def test_what_cannot_be_expanded_is_an_error(parser: str, config: Callable[[str], SshOptions], text: str) -> None:
    with pytest.raises(ConfigError, match=r"%Z|NO_SUCH_VARIABLE"):
        await one(Address("box"), config(f"Host *\n {text}\n"))


@pytest.mark.parametrize(
    ("jump", "address"),
    [
        ("ssh://you@gate.example.com:2022", ("gate.example.com", "you", 2022)),
        ("you@[::1]:2022", ("::1", "you", 2022)),
        ("[::1]", ("::1", "", 22)),
        ("gate,you@second:2022", ("second", "you", 2022)),
    ],
)
async def test_jump_hosts_are_understood_in_all_their_forms(
    parser: str, config: Callable[[str], SshOptions], jump: str, address: tuple[str, str, int]
) -> None:
    hops = await resolve(Address("box"), config(f"Host box\n ProxyJump {jump}\n"))
    host, user, port = address
    assert (hops[-2].host, hops[-2].port) == (host, port)
    assert hops[-2].user == (user or getpass.getuser())


async def test_keys_and_the_port_of_the_command_line_are_for_the_target_alone(
    parser: str, config: Callable[[str], SshOptions], tmp_path: Path
) -> None:
    key = str(tmp_path / "config")
    options = replace(config(CONFIG), jump="gate", port=2022, identity_files=(key,))
    gate, box = await resolve(Address("box"), options)
    assert (gate.port, box.port) == (22, 2022)
    assert key not in gate.identity_files
    assert box.identity_files[0] == key
