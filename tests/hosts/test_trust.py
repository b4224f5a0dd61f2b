"""Host keys: what is believed, what is asked, what is refused, and what a configuration can switch off."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncssh
import pytest

from sondage.errors import ConfigError, HostError, HostKeyChanged, HostKeyUnknown
from sondage.hosts.base import Address
from sondage.hosts.client import Client
from sondage.hosts.hop import Hop
from sondage.hosts.interview import Interview
from sondage.hosts.known_hosts import KnownHosts
from sondage.hosts.ssh import open_ssh
from support.sshd import Sshd, running_sshd

from .conftest import request
from .logins import Answers, log_in, make_key, options, works


async def test_an_unknown_host_key_stops_before_any_credential_is_sent(server: Sshd) -> None:
    with pytest.raises(HostKeyUnknown) as unknown:
        await log_in(server)
    assert unknown.value.key_type == "ssh-ed25519"
    assert unknown.value.fingerprint == server.host_key.get_fingerprint()
    assert "userauth-request" not in server.log
    assert server.known_hosts.read_text() == ""


@pytest.mark.parametrize("answer", [None, "no", "", "YES", "y"])
async def test_anything_but_yes_means_no(server: Sshd, answer: str | None) -> None:
    with pytest.raises(HostKeyUnknown):
        await log_in(server, Answers([answer]))
    assert "userauth-request" not in server.log
    assert server.known_hosts.read_text() == ""


async def test_yes_records_the_key_and_goes_on_and_nobody_is_asked_again(server: Sshd) -> None:
    asker = Answers(["yes"])
    assert await works(server, asker)
    (question,) = asker.asked
    assert (question.kind, question.host) == ("host_key", "box")
    assert question.details == {
        "type": "ssh-ed25519",
        "fingerprint": server.host_key.get_fingerprint(),
        "known_hosts": str(server.known_hosts),
    }
    line = server.known_hosts.read_text().split()
    assert line[:2] == [f"[127.0.0.1]:{server.port}", "ssh-ed25519"]
    assert await works(server)
    # What was recorded is what ssh itself understands.
    plain = ["ssh", "-F", str(server.config), "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "box", "true"]
    done = await asyncio.to_thread(subprocess.run, plain, check=False, capture_output=True)
    assert done.returncode == 0


async def test_a_hashed_entry_is_written_where_the_configuration_wants_it(server: Sshd) -> None:
    server.configure_client("HashKnownHosts yes")
    assert await works(server, Answers(["yes"]))
    assert server.known_hosts.read_text().startswith("|1|")
    assert await works(server)


async def test_without_a_file_a_yes_counts_for_this_connection(server: Sshd) -> None:
    server.configure_client("UserKnownHostsFile none")
    assert await works(server, Answers(["yes"]))
    with pytest.raises(HostKeyUnknown):
        await log_in(server)


async def test_strict_checking_refuses_without_asking(server: Sshd) -> None:
    server.configure_client("StrictHostKeyChecking yes")
    asker = Answers(["yes"])
    with pytest.raises(HostKeyUnknown):
        await log_in(server, asker)
    assert asker.asked == []


async def test_a_changed_host_key_is_a_hard_stop_that_names_both_and_the_line(server: Sshd) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519")
    server.trust(other)
    asker = Answers(["yes"])
    with pytest.raises(HostKeyChanged) as changed:
        await log_in(server, asker)
    for part in (server.host_key.get_fingerprint(), other.get_fingerprint(), f"{server.known_hosts}:1"):
        assert part in str(changed.value)
    assert asker.asked == []
    assert "userauth-request" not in server.log


async def test_a_revoked_host_key_is_a_hard_stop(server: Sshd) -> None:
    server.trust()
    recorded = server.known_hosts.read_text()
    server.known_hosts.write_text(recorded + "@revoked * " + recorded.split(" ", 1)[1])
    with pytest.raises(HostKeyChanged, match="revoked"):
        await log_in(server)


async def test_another_type_of_key_than_the_recorded_one_is_asked_for_first(tmp_path: Path) -> None:
    rsa = make_key(tmp_path / "rsa_host", "", "-t", "rsa")
    with running_sshd(tmp_path / "sshd", f"HostKey {rsa}") as server:
        server.trust(asyncssh.read_public_key(f"{rsa}.pub"))
        assert await works(server)


async def test_the_verifiers_are_plain_functions_that_return_a_bool() -> None:
    key = asyncssh.generate_private_key("ssh-ed25519").convert_to_public()
    hop, interview = Hop("box", "box", 22, "me"), Interview(None, "box")
    for verifier in (Client.validate_host_public_key, Client.validate_host_ca_key):
        assert not inspect.iscoroutinefunction(verifier)
        assert verifier(Client(hop, KnownHosts((), "box"), interview), "box", "", 22, key) is False
    known = KnownHosts((), "box").with_key(key.get_algorithm(), key.public_data)
    assert Client(hop, known, interview).validate_host_public_key("box", "", 22, key) is True


# ------------------------------------------------------------------ certificates


@contextmanager
def certified(tmp_path: Path, *terms: str) -> Iterator[Sshd]:
    """A server whose host key is signed on these terms by an authority that the client trusts, and by nothing else."""
    authority, key = make_key(tmp_path / "ca"), make_key(tmp_path / "host", "", "-t", "ecdsa")
    sign = ["ssh-keygen", "-q", "-s", authority, "-I", "host", "-h", *terms, f"{key}.pub"]
    subprocess.run(sign, check=True)
    lines = (f"HostKey {key}", f"HostCertificate {key}-cert.pub")
    with running_sshd(tmp_path / "certified", *lines, trusted=False) as server:
        server.known_hosts.write_text(f"@cert-authority 127.0.0.1 {(tmp_path / 'ca.pub').read_text()}")
        yield server


async def test_a_certificate_is_good_for_the_name_behind_any_port(tmp_path: Path) -> None:
    with certified(tmp_path, "-n", "127.0.0.1") as server:
        assert await works(server)


@pytest.mark.parametrize(
    "terms",
    [("-n", "elsewhere"), ("-n", "127.0.0.1", "-V", "20200101:20210101"), ("-n", "127.0.0.1", "-V", "+1d:+2d")],
    ids=["another name", "expired", "not yet"],
)
async def test_a_certificate_that_is_not_good_is_refused(tmp_path: Path, terms: tuple[str, ...]) -> None:
    with certified(tmp_path, *terms) as server:
        with pytest.raises(HostKeyChanged, match="certificate"):
            await log_in(server, Answers(["yes"]))
        assert "userauth-request" not in server.log


@pytest.mark.parametrize("revoked", ["ca.pub", "host.pub"])
async def test_a_certificate_over_or_by_a_revoked_key_is_refused(tmp_path: Path, revoked: str) -> None:
    with certified(tmp_path, "-n", "127.0.0.1") as server:
        with server.known_hosts.open("a") as file:
            file.write(f"@revoked * {(tmp_path / revoked).read_text()}")
        with pytest.raises(HostError):
            await log_in(server, Answers(["yes"]))
        assert "userauth-request" not in server.log


# ------------------------------------------------------------------ how strict the configuration is


async def notes_of(server: Sshd) -> tuple[str, ...]:
    host = await log_in(server)
    listing = await host.list(request(server.folder, patterns=(b"client_config",)))
    await host.aclose()
    return listing.notes


async def test_new_keys_are_accepted_aloud_where_the_configuration_says_so(server: Sshd) -> None:
    server.configure_client("StrictHostKeyChecking accept-new")
    (note,) = await notes_of(server)
    for part in ("box", "accept-new", str(server.known_hosts), server.host_key.get_fingerprint()):
        assert part in note
    assert await notes_of(server) == ()


async def test_accept_new_accepts_no_changed_key(server: Sshd) -> None:
    server.trust(asyncssh.generate_private_key("ssh-ed25519"))
    server.configure_client("StrictHostKeyChecking accept-new")
    with pytest.raises(HostKeyChanged):
        await log_in(server)


@pytest.mark.parametrize("word", ["no", "off"])
async def test_checking_that_is_switched_off_is_spoken_of_each_time(server: Sshd, word: str) -> None:
    server.configure_client(f"StrictHostKeyChecking {word}")
    for _ in range(2):
        (note,) = await notes_of(server)
        assert "was not checked" in note
        assert server.host_key.get_fingerprint() in note
    assert server.known_hosts.read_text() == ""


async def test_a_changed_key_under_switched_off_checking_is_spoken_of_with_both_and_nothing_is_overwritten(
    server: Sshd,
) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519")
    server.trust(other)
    before = server.known_hosts.read_text()
    server.configure_client("StrictHostKeyChecking no")
    (note,) = await notes_of(server)
    for part in ("HAS CHANGED", server.host_key.get_fingerprint(), other.get_fingerprint(), f"{server.known_hosts}:1"):
        assert part in note
    assert server.known_hosts.read_text() == before


async def test_a_revoked_key_is_a_hard_stop_even_then(server: Sshd) -> None:
    server.configure_client("StrictHostKeyChecking no")
    server.known_hosts.write_text(f"@revoked * {server.host_key.export_public_key().decode()}")
    with pytest.raises(HostKeyChanged, match="revoked"):
        await log_in(server)


@pytest.mark.parametrize("file", ["none", "/dev/null"])
async def test_no_file_of_known_hosts_is_not_the_same_as_no_checking(server: Sshd, file: str) -> None:
    server.configure_client(f"UserKnownHostsFile {file}")
    with pytest.raises(HostKeyUnknown):
        await log_in(server)


async def test_a_key_revoked_for_the_port_is_refused_though_the_bare_name_has_it(server: Sshd) -> None:
    key = server.host_key.export_public_key().decode()
    server.known_hosts.write_text(f"@revoked [127.0.0.1]:{server.port} {key}127.0.0.1 {key}")
    with pytest.raises(HostKeyChanged, match=f"revoked.*{server.known_hosts}:1"):
        await log_in(server)


async def test_a_list_of_revoked_keys_counts(trusted: Sshd, tmp_path: Path) -> None:
    (tmp_path / "revoked").write_text(f"# stolen\n{trusted.host_key.export_public_key().decode()}")
    trusted.configure_client(f"RevokedHostKeys {tmp_path / 'revoked'}")
    with pytest.raises(HostKeyChanged, match=f"revoked.*{tmp_path / 'revoked'}:2"):
        await log_in(trusted, transport="asyncssh")


@pytest.mark.parametrize("content", [b"SSHKRL\n\0", None], ids=["binary", "missing"])
async def test_a_list_of_revoked_keys_that_cannot_be_read_stops_everything(
    trusted: Sshd, tmp_path: Path, content: bytes | None
) -> None:
    if content:
        (tmp_path / "revoked").write_bytes(content)
    trusted.configure_client(f"RevokedHostKeys {tmp_path / 'revoked'}")
    with pytest.raises(ConfigError, match="revoked host keys"):
        await log_in(trusted, transport="asyncssh")


async def test_a_damaged_line_is_named_when_the_key_is_not_found(server: Sshd) -> None:
    server.known_hosts.write_text(f"\n# comment\n[127.0.0.1]:{server.port} ssh-ed25519 AAA!\n")
    with pytest.raises(HostKeyUnknown, match=f"cannot be read: {server.known_hosts}:3"):
        await log_in(server)


async def test_a_key_is_looked_up_under_its_alias(server: Sshd) -> None:
    server.configure_client("HostKeyAlias farm")
    server.known_hosts.write_text(f"farm {server.host_key.export_public_key().decode()}")
    assert await works(server)


async def test_two_aliases_of_one_host_are_one_host(trusted: Sshd) -> None:
    lines = trusted.config.read_text().replace("Host box", "Host other")
    trusted.config.write_text(trusted.config.read_text() + lines)
    identities = []
    for alias in ("box", "other"):
        host = await open_ssh(Address(alias), options(trusted), None)
        identities.append(host.identity)
        await host.aclose()
    one, other = identities
    assert (one.kind, one.host_key, one.user) == (other.kind, other.host_key, other.user)
    assert (one.label, other.label) == ("box", "other")
