"""Owns what is raised where our own login ends and the program `ssh` would get further."""

from __future__ import annotations

from sondage.errors import HostError

TICKET = "a Kerberos ticket is enough to log in"
DEVICE = "a key is on a security key"
ALGORITHM = "the server wants an algorithm that only ssh may have"
HUNG_UP = "the server hung up before it showed its key"


class SshWanted(HostError):
    """`reason` says what `ssh` can do; `error` is what went wrong, for where `ssh` is not to be used."""

    def __init__(self, reason: str, error: HostError) -> None:
        super().__init__(error.what, error.where, error.hint)
        self.reason = reason
        self.error = error
