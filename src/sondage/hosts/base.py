"""Owns what a host is to the rest of sondage: something that can be listed and read, and nothing more.

Paths are bytes as the host has them. A host never writes, never runs anything but its own listing and reading
commands, and never raises for what one file does: a file's trouble travels with the file.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import Literal, Protocol, TypeAlias
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

TransportChoice: TypeAlias = Literal["auto", "asyncssh", "ssh"]

LARGE = 256 << 10
"""Bytes. Small files come many together; a larger one is best asked for when no small one is wanted any more."""
UNLISTED = -1
"""The size of a file that is asked for by its name alone, and may not be there. At most 1 MiB of it is taken."""


class RemoteFile(msgspec.Struct, frozen=True):
    """A regular file below the listed root. `path` is relative to it, `/` between, never `..`, never absolute.

    `size` in bytes; `mtime_ns`, `ctime_ns` in nanoseconds since 1970 by the *host's* clock (ctime 0 and inode 0
    where the transport cannot tell, as with SFTP, whose mtime has whole seconds only).
    """

    path: bytes
    size: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0

    @property
    def stamp(self) -> tuple[int, int, int, int]:
        """Equal stamps mean: not touched in between, up to the racy-timestamp rule."""
        return (self.size, self.mtime_ns, self.ctime_ns, self.inode)


INSTALLED = (b"site-packages", b"dist-packages")
"""Where installers put what is not the project's own, in environments of any name."""
ENVIRONMENT_MARKS = (b"pyvenv.cfg", b"conda-meta")
"""A root that holds one of these is an environment itself (PEP 405, conda): somebody asks for what is installed."""
PRUNED = (
    *(b".git", b".hg", b".svn", b"__pycache__", b"node_modules", b".venv", b"venv", b".tox", b".nox", b".mypy_cache"),
    *INSTALLED,
)


class ListRequest(msgspec.Struct, frozen=True):
    """What to list. `root` is absolute or `~`-relative as the user wrote it; patterns are file-name globs (`*.py`)."""

    root: bytes
    patterns: tuple[bytes, ...] = (b"*.py",)
    prune: tuple[bytes, ...] = PRUNED
    """Names of folders that are not descended into, or globs on them; the root itself is always read."""
    max_files: int = 200_000
    max_file_size: int = 16 * 1024 * 1024
    """Bytes; a larger file is listed in `Listing.too_large` and not read."""
    max_bytes: int = 1 << 30
    """Of all files that are to be read together."""
    max_seconds: float = 300.0
    """That the listing may take."""


class Listing(msgspec.Struct, frozen=True):
    """What a listing saw. It is only returned when it is whole: exit status and end marker were both right."""

    root: bytes
    """Absolute, as the host resolved it."""
    files: tuple[RemoteFile, ...]
    links: tuple[bytes, ...] = ()
    """Symbolic links that were not followed (dangling, looping, or leaving the root)."""
    too_large: tuple[RemoteFile, ...] = ()
    unreadable: int = 0
    """Entries the host refused to show."""
    suspicious: int = 0
    """Names dropped because no honest host sends them (absolute, `..`, empty, doubled)."""
    host_time_ns: int = 0
    """The host's clock when it listed; 0 where unknown."""
    notes: tuple[str, ...] = ()
    """What the user should hear once: a slower mode, noise on the channel. Untrusted text."""


class Fetched(msgspec.Struct, frozen=True):
    """One requested file: its bytes, or why there are none."""

    file: RemoteFile
    data: bytes | None
    problem: str = ""
    settled: bool = True
    """False when the file changed while it was read and a second try did not help; then `data` is not to be trusted."""


Batch: TypeAlias = list[Fetched]


class Traffic(msgspec.Struct):
    """What reaching the host has cost so far, for `index --json`."""

    commands: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0


class HostIdentity(msgspec.Struct, frozen=True):
    """Who answered. The cache is keyed by it, so that a rebuilt box behind an old address is another host."""

    kind: Literal["local", "ssh", "loopback"]
    label: str
    """As the user named it: `box`, `user@host:2222`, or the local machine's path."""
    user: str = ""
    host_key: str = ""
    """`SHA256:…`; empty for local folders."""
    transport: str = ""
    """For the status line: `tar over exec`, `sftp`, `local`."""


class Host(Protocol):
    """One open connection (or the local disk). All methods may raise `sondage.errors.HostError`."""

    @property
    def identity(self) -> HostIdentity: ...

    @property
    def traffic(self) -> Traffic: ...

    async def list(self, request: ListRequest) -> Listing:
        """Everything below `request.root`, or an error: never a part of it."""
        ...

    def fetch(self, root: bytes, files: Iterable[RemoteFile]) -> AsyncGenerator[Batch, None]:
        """The files in batches of about 1 MiB, in the order asked for.

        A file is taken from `files` when it is about to be asked for, so that what comes next can be decided late: what is
        on its way already is about what comes in a second. Others may list and fetch meanwhile.

        Every requested file appears exactly once, unless the transfer breaks off (`TransferError`): what was yielded
        before that is good.
        """
        ...

    async def ping(self) -> float:
        """Seconds of one round trip, for the status line."""
        ...

    async def ended(self) -> str:
        """Returns once the connection is there no more, with the reason (untrusted text); never for the local disk."""
        ...

    async def aclose(self) -> None: ...


class Target(msgspec.Struct, frozen=True):
    """A parsed TARGET. `address` is None for a local folder."""

    path: str
    address: Address | None = None

    def __str__(self) -> str:
        """A text that means this target to `hosts.target.parse_target`: a port fits into a URL only."""
        if self.address is None:
            return self.path
        if self.address.port is None:
            return f"{self.address}:{self.path}"
        user = f"{quote(self.address.user, safe='')}@" if self.address.user else ""
        path = quote(self.path.encode("utf-8", "surrogateescape"), safe="/~")
        if path == "~" or path.startswith("~/"):
            path = f"/{path}"
        elif path.startswith("/~"):
            path = f"/%7E{path[2:]}"
        return f"ssh://{user}{replace(self.address, user='')}{path}"


class Address(msgspec.Struct, frozen=True):
    host: str
    user: str = ""
    port: int | None = None

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{user}{host}" + (f":{self.port}" if self.port else "")


class SshOptions(msgspec.Struct, frozen=True):
    """`-F -p -i -J` as for ssh, whether anybody may be asked, and who speaks SSH."""

    config_file: str | None = None
    port: int | None = None
    identity_files: tuple[str, ...] = ()
    jump: str | None = None
    no_input: bool = False
    transport: TransportChoice = "auto"
    """`asyncssh`: we ourselves; `ssh`: the user's own program; `auto`: the program where only it can."""
    background: bool = False
    """Nobody has asked for it just now: no key is used that somebody would have to touch."""


class Question(msgspec.Struct, frozen=True):
    """Something only the user can answer while connecting. `text` is the server's or ours; show it safely."""

    kind: Literal["host_key", "password", "passphrase", "keyboard_interactive", "touch"]
    """`touch` wants no answer: it is to be shown, and the asker returns at once."""
    host: str
    """The hop that asks, by the name the user knows."""
    text: str
    instructions: str = ""
    echo: bool = False
    details: dict[str, str] = msgspec.field(default_factory=dict)
    """For `host_key`: `type`, `fingerprint`, `known_hosts` (the file a yes appends to)."""


class Asker(Protocol):
    """How a face answers questions. None means: no (host key), or give up (secrets). Answers are never logged."""

    async def __call__(self, question: Question) -> str | None: ...
