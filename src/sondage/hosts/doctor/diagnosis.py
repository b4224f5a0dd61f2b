"""Owns what `sondage doctor` says, as values: the steps of reaching a target, and what to do about one that failed.

It is meant to be pasted into a bug report: no secret is in it, homes are `~`, and of users only the first letter is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from sondage.errors import ConfigError, ConnectError, HostKeyChanged, HostKeyUnknown, LoginRefused, SondageError

StepState: TypeAlias = Literal["ok", "doubt", "failed"]


class Step(msgspec.Struct, frozen=True):
    """One step. The lines may hold what the host said: show them safely."""

    step: str
    state: StepState
    host: str = ""
    """The server on the way that it is about, by the name the user knows; empty for this machine."""
    resolved: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    """By the server."""
    refused: tuple[str, ...] = ()
    """By the server, or by us."""
    remedy: str = ""


class Diagnosis(msgspec.Struct, frozen=True):
    target: str
    steps: tuple[Step, ...]

    @property
    def healthy(self) -> bool:
        return all(step.state != "failed" for step in self.steps)


def remedy_for(error: SondageError) -> str:
    """What to do about an error of the way to the target; empty where nothing in general can be said."""
    if isinstance(error, ConfigError):
        return "look at that place of the SSH configuration: `ssh -G HOST` must succeed"
    if isinstance(error, HostKeyUnknown):
        return "compare the fingerprint with what the host's owner says, then connect once and say yes (or: ssh HOST)"
    if isinstance(error, HostKeyChanged):
        return (
            "ask the host's owner whether it was rebuilt; if so remove the old line (ssh-keygen -R HOST) and connect again,"
            " otherwise do not log in"
        )
    if isinstance(error, LoginRefused):
        return _login_remedy(error.hint)
    if isinstance(error, ConnectError):
        return connect_remedy(f"{error.what} {error.hint}".lower())
    return ""


def _login_remedy(reasons: str) -> str:
    if "nobody could be asked" in reasons:
        return "run it on a terminal without --no-input, or put the key into the agent: ssh-add"
    if "only" in reasons and "keys were tried" in reasons:
        return "name the right key with -i, or with IdentityFile and IdentitiesOnly yes"
    if "agent" in reasons:
        return "see what the agent holds (ssh-add -l), or name the key with -i"
    return (
        "see whether the key of this machine is in ~/.ssh/authorized_keys of that user, and whether the user is right"
    )


def connect_remedy(said: str) -> str:
    """`said` is what went wrong, in lower case."""
    hints = {
        "name is not known": "check the spelling, and HostName in the SSH configuration; a VPN may have to be up",
        "refused": "is an SSH server running there, at that port? -p, or Port in the SSH configuration, names another",
        "no ssh server answers": "is the host up, and is a firewall or a VPN in between? `ssh -v HOST` should hang as well",
        "unreachable": "is this machine connected, and is a VPN needed?",
        "no common algorithm": "the server is too old, or restricted: --transport ssh takes what your own ssh can",
        "during the login": "the server hung up: too many tries, or too many at once; wait a minute and try again",
        "proxy command": "run the ProxyCommand of the SSH configuration by hand",
        "jump host": "log in to the jump host and try the rest of the way from there: ssh -v HOST",
    }
    return next((hint for sign, hint in hints.items() if sign in said), "`ssh -v HOST` may say more")


def shareable(step: Step, homes: Iterable[str], users: Iterable[str]) -> Step:
    """The step as strangers may read it."""
    places = sorted({home for home in homes if home not in ("", "/")}, key=len, reverse=True)
    names = sorted({user for user in users if user not in ("", "root")}, key=len, reverse=True)

    def shorten(text: str) -> str:
        for place in places:
            text = re.sub(rf"{re.escape(place)}(?![\w.-])", "~", text)
        for name in names:
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", f"{name[0]}…", text)
        return text

    def each(lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(shorten(line) for line in lines)

    return replace(
        step,
        host=shorten(step.host),
        resolved=each(step.resolved),
        tried=each(step.tried),
        offered=each(step.offered),
        refused=each(step.refused),
        remedy=shorten(step.remedy),
    )
