"""Owns what the user's known_hosts files say about a host key, and the one line a yes adds to them.

Format: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT. As in OpenSSH, a line that cannot be read is passed over, a revoked key
is refused whatever else is said of it, and a key is *changed* as soon as another one is recorded for the host.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

DEFAULT_PORT = 22
_MARKERS = ("@cert-authority", "@revoked")


class Trust(Enum):
    KNOWN = "known"
    UNKNOWN = "unknown"
    CHANGED = "changed"
    REVOKED = "revoked"


class Entry(msgspec.Struct, frozen=True):
    """One line. `key` is the public key in its wire form (RFC 4253, 6.6); `place` is `FILE:LINE`."""

    marker: str
    hosts: str
    key_type: str
    key: bytes
    place: str

    def names(self, name: str) -> bool:
        if self.hosts.startswith("|1|"):
            return _hash_matches(self.hosts, name)
        patterns = self.hosts.lower().split(",")
        if any(pattern.startswith("!") and _matches(name, pattern[1:]) for pattern in patterns):
            return False
        return any(_matches(name, pattern) for pattern in patterns if not pattern.startswith("!"))


class Verdict(msgspec.Struct, frozen=True):
    trust: Trust
    entry: Entry | None = None
    """The line it rests on."""


class KnownHosts:
    """The lines that can speak of one host, which is looked up as `[name]:port`, or `name` for port 22.

    A line for the bare name vouches for another port too, but is no reason to call a key there changed
    (OpenSSH sshconnect.c, check_host_key).
    """

    def __init__(self, entries: Iterable[Entry], name: str, port: int = DEFAULT_PORT) -> None:
        self.name = lookup_name(name, port)
        everything = list(entries)
        self._exact = [entry for entry in everything if entry.names(self.name)]
        self._bare = [entry for entry in everything if entry.names(name.lower())] if port != DEFAULT_PORT else []

    def judge(self, key: bytes) -> Verdict:
        for entry in self.revoked:
            if entry.key == key:
                return Verdict(Trust.REVOKED, entry)
        plain = [entry for entry in self._exact if not entry.marker]
        for entry in (*plain, *(entry for entry in self._bare if not entry.marker)):
            if entry.key == key:
                return Verdict(Trust.KNOWN, entry)
        return Verdict(Trust.CHANGED, plain[0]) if plain else Verdict(Trust.UNKNOWN)

    def judge_authority(self, key: bytes) -> bool:
        """Whether host certificates signed by this key are to be believed."""
        if self.judge(key).trust is Trust.REVOKED:
            return False
        return any(entry.key == key for entry in self._authorities)

    @property
    def revoked(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in (*self._exact, *self._bare) if entry.marker == "@revoked")

    @property
    def has_authorities(self) -> bool:
        return bool(self._authorities)

    @property
    def _authorities(self) -> list[Entry]:
        return [entry for entry in (*self._exact, *self._bare) if entry.marker == "@cert-authority"]

    @property
    def keys(self) -> tuple[Entry, ...]:
        """What is recorded for the host itself; where nothing is for its port, what is for the bare name."""
        plain = [[entry for entry in entries if not entry.marker] for entries in (self._exact, self._bare)]
        return tuple(plain[0] or plain[1])

    @property
    def key_types(self) -> tuple[str, ...]:
        """Types of the recorded keys: asking for these first is what keeps a known host from looking changed."""
        return tuple(dict.fromkeys(entry.key_type for entry in (*self._exact, *self._bare) if not entry.marker))

    def with_key(self, key_type: str, key: bytes) -> KnownHosts:
        """The same, and this key is known for the host from now on."""
        other = KnownHosts((), "")
        other.name, other._bare = self.name, self._bare
        other._exact = [*self._exact, Entry("", self.name, key_type, key, "confirmed in this session")]
        return other


def lookup_name(name: str, port: int) -> str:
    return name.lower() if port == DEFAULT_PORT else f"[{name.lower()}]:{port}"


def fingerprint(key: bytes) -> str:
    """As `ssh-keygen -l` prints it: SHA-256 in base64 without padding."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")


def read_entries(files: Sequence[str]) -> list[Entry]:
    """Of all files that can be read; a missing one is empty."""
    entries: list[Entry] = []
    for file in files:
        try:
            text = Path(file).read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        parsed = (_parse_line(line, f"{file}:{number}") for number, line in enumerate(text.split("\n"), 1))
        entries.extend(entry for entry in parsed if entry)
    return entries


def damaged_lines(files: Sequence[str]) -> list[str]:
    """The places, as `FILE:LINE`, of lines that say something which cannot be read."""
    damaged: list[str] = []
    for file in files:
        try:
            lines = Path(file).read_bytes().decode("utf-8", "replace").split("\n")
        except OSError:
            continue
        said = ((number, line) for number, line in enumerate(lines, 1) if line.strip() and line.lstrip()[0] != "#")
        damaged += [f"{file}:{number}" for number, line in said if not _parse_line(line, "")]
    return damaged


def format_line(name: str, key_type: str, key: bytes, *, hashed: bool = False) -> str:
    if hashed:
        salt = os.urandom(20)
        digest = hmac.new(salt, name.encode(), hashlib.sha1).digest()
        name = f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"
    return f"{name} {key_type} {base64.b64encode(key).decode()}"


def append_line(file: Path, line: str) -> None:
    """Adds a line; a new file is 0600, a new folder 0700. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+b") as stream:
        size = stream.seek(0, os.SEEK_END)
        unfinished = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        stream.write((b"\n" if unfinished else b"") + line.encode() + b"\n")


def _parse_line(line: str, place: str) -> Entry | None:
    fields = line.split()
    marker = fields.pop(0) if fields and fields[0].startswith("@") else ""
    if len(fields) < 3 or fields[0].startswith("#") or (marker and marker not in _MARKERS):
        return None
    return parse_key(marker, fields[0], fields[1:], place)


def parse_key(marker: str, hosts: str, fields: Sequence[str], place: str) -> Entry | None:
    """`fields` are the type of a key, the key in base64, and perhaps a comment; None for anything else."""
    if len(fields) < 2 or fields[0].startswith("#"):
        return None
    try:
        return Entry(marker, hosts, fields[0], base64.b64decode(fields[1], validate=True), place)
    except binascii.Error:
        return None


def _matches(name: str, pattern: str) -> bool:
    """`*` and `?` only: brackets are part of `[host]:port`."""
    return fnmatchcase(name, re.sub(r"\[", "[[]", pattern))


def _hash_matches(field: str, name: str) -> bool:
    try:
        _, _, salt, digest = field.split("|")
        expected = hmac.new(base64.b64decode(salt), name.encode(), hashlib.sha1).digest()
        return hmac.compare_digest(base64.b64decode(digest), expected)
    except (ValueError, binascii.Error):
        return False
