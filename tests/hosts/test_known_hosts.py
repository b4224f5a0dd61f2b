"""What known_hosts files say about a key, line by line, and the line that a yes adds."""

from __future__ import annotations

import base64
import stat
import subprocess
from pathlib import Path

import pytest

from sondage.hosts.known_hosts import KnownHosts, Trust, append_line, fingerprint, format_line, read_entries

KEY, OTHER = b"first key", b"second key"
GOOD, BAD = base64.b64encode(KEY).decode(), base64.b64encode(OTHER).decode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "known_hosts"


def judge(file: Path, text: str, name: str = "box", port: int = 22, key: bytes = KEY) -> Trust:
    file.write_text(text)
    return KnownHosts(read_entries([str(file)]), name, port).judge(key).trust


@pytest.mark.parametrize(
    "line",
    [
        "box ssh-ed25519 {}",
        "BOX ssh-ed25519 {} a comment",
        "other,box ssh-ed25519 {}",
        "b?x ssh-ed25519 {}",
        "* ssh-ed25519 {}",
        "  box\tssh-ed25519 {}",
    ],
)
def test_a_key_is_known_by(file: Path, line: str) -> None:
    assert judge(file, line.format(GOOD)) is Trust.KNOWN


@pytest.mark.parametrize(
    "line",
    ["other ssh-ed25519 {}", "!box,* ssh-ed25519 {}", "# box ssh-ed25519 {}", "box ssh-ed25519", "@what box k {}", ""],
)
def test_a_key_stays_unknown_after(file: Path, line: str) -> None:
    assert judge(file, line.format(GOOD)) is Trust.UNKNOWN


def test_a_damaged_line_is_passed_over(file: Path) -> None:
    assert judge(file, f"box ssh-ed25519 ***\n\xff\nbox ssh-ed25519 {GOOD}\n") is Trust.KNOWN


def test_another_recorded_key_means_changed_and_names_the_line(file: Path) -> None:
    file.write_text(f"# mine\nbox ssh-ed25519 {BAD}\n")
    verdict = KnownHosts(read_entries([str(file)]), "box").judge(KEY)
    assert verdict.trust is Trust.CHANGED
    assert verdict.entry is not None
    assert (verdict.entry.key, verdict.entry.place) == (OTHER, f"{file}:2")


def test_a_revoked_key_is_refused_even_where_it_is_also_recorded(file: Path) -> None:
    assert judge(file, f"box k {GOOD}\n@revoked * k {GOOD}\n") is Trust.REVOKED


def test_a_key_revoked_for_the_port_is_refused_though_the_bare_name_has_it(file: Path) -> None:
    assert judge(file, f"@revoked [box]:2222 k {GOOD}\nbox k {GOOD}\n", port=2222) is Trust.REVOKED


def test_the_bare_name_vouches_for_another_port(file: Path) -> None:
    assert judge(file, f"box k {GOOD}", port=2222) is Trust.KNOWN


def test_the_bare_name_is_no_reason_to_call_the_key_of_another_port_changed(file: Path) -> None:
    assert judge(file, f"box k {BAD}", port=2222) is Trust.UNKNOWN


def test_a_port_is_part_of_the_name(file: Path) -> None:
    assert judge(file, f"[box]:2222 k {GOOD}", port=2222) is Trust.KNOWN
    assert judge(file, f"[box]:2222 k {GOOD}", port=2223) is Trust.UNKNOWN


@pytest.mark.parametrize("name", ["box", "[box]:2222"])
def test_hashed_names_are_found(file: Path, name: str) -> None:
    port = 2222 if "]" in name else 22
    assert judge(file, format_line(name, "k", KEY, hashed=True), port=port) is Trust.KNOWN
    assert name not in file.read_text()


def test_authorities_are_told_apart_from_keys(file: Path) -> None:
    file.write_text(f"@cert-authority *.example.com k {GOOD}\n")
    known = KnownHosts(read_entries([str(file)]), "a.example.com")
    assert known.judge(KEY).trust is Trust.UNKNOWN
    assert known.has_authorities
    assert known.judge_authority(KEY)
    assert not known.judge_authority(OTHER)


def test_a_revoked_authority_is_not_believed(file: Path) -> None:
    file.write_text(f"@cert-authority * k {GOOD}\n@revoked * k {GOOD}\n")
    assert not KnownHosts(read_entries([str(file)]), "box").judge_authority(KEY)


def test_a_missing_file_is_empty(tmp_path: Path) -> None:
    assert read_entries([str(tmp_path / "nowhere")]) == []


def test_a_confirmed_key_is_known_and_another_is_changed_then() -> None:
    known = KnownHosts((), "box").with_key("k", KEY)
    assert known.judge(KEY).trust is Trust.KNOWN
    assert known.judge(OTHER).trust is Trust.CHANGED


def test_a_new_file_is_private(tmp_path: Path) -> None:
    file = tmp_path / "new" / "known_hosts"
    append_line(file, "box k AAAA")
    assert file.read_text() == "box k AAAA\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_line_is_added_after_a_last_line_without_an_end(file: Path) -> None:
    file.write_text("one k AAAA")
    append_line(file, "two k BBBB")
    assert file.read_text() == "one k AAAA\ntwo k BBBB\n"


def test_fingerprints_are_those_of_ssh_keygen(tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    shown = subprocess.run(["ssh-keygen", "-lf", tmp_path / "key"], check=True, capture_output=True, text=True)
    blob = base64.b64decode((tmp_path / "key.pub").read_text().split()[1])
    assert fingerprint(blob) == shown.stdout.split()[1]
