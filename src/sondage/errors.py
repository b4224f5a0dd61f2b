"""Owns every error sondage raises on purpose, and the exit code each one ends a command with.

    SondageError                 what went wrong, where, and what to do next
    ├── UsageError          (2)  bad input: a target, a pattern, an option, a contract file
    │   └── ConfigError     (2)  a configuration or theme file, with file and line
    ├── HostError           (3)  anything between us and the host's bytes
    │   ├── ConnectError    (3)  no TCP connection, no SSH server, no answer in time
    │   ├── HostKeyUnknown  (3)  nobody has vouched for this key yet; carries the fingerprint
    │   ├── HostKeyChanged  (3)  another key than the recorded one, or a revoked one: hard stop
    │   ├── LoginRefused    (3)  the host took none of our credentials
    │   └── TransferError   (3)  a listing or a pull that broke off, or bytes that cannot be trusted
    └── StoreError          (4)  the local cache or journal cannot be written or read

Absence and doubt are not errors: they are answers (`sondage.core.answers`).
"""

from __future__ import annotations


class SondageError(Exception):
    """Base of all: `WHAT: WHERE (HINT)`. The texts may hold bytes of a host: show them through `core.safe`."""

    exit_code = 4

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        where = f": {self.where}" if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.what}{where}{hint}"


class UsageError(SondageError):
    exit_code = 2


class ConfigError(UsageError):
    pass


class HostError(SondageError):
    exit_code = 3


class ConnectError(HostError):
    pass


class HostKeyUnknown(HostError):
    """`key_type` as OpenSSH names it (`ssh-ed25519`), `fingerprint` as `SHA256:…`, `line` to append to known_hosts."""

    def __init__(
        self, what: str, where: str = "", hint: str = "", *, key_type: str, fingerprint: str, line: str
    ) -> None:
        super().__init__(what, where, hint)
        self.key_type = key_type
        self.fingerprint = fingerprint
        self.line = line


class HostKeyChanged(HostError):
    pass


class LoginRefused(HostError):
    pass


class TransferError(HostError):
    pass


class StoreError(SondageError):
    exit_code = 4
