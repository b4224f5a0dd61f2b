"""Owns the reading of a TARGET as the user wrote it. Nothing hostile gets past here to a program or a connection.

HOST:PATH, USER@HOST:PATH           scp's form; PATH is absolute, `~/…`, or relative to the home folder as in scp
ssh://[USER@]HOST[:PORT]/PATH       IPv6 in brackets; `/~/` is the home folder; %-escapes in USER and PATH
./x  ../x  /x  ~/x  or a folder     on this machine
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from sondage.core.late import late_pattern
from sondage.errors import UsageError
from sondage.hosts.base import Address, Target

_HINT = "HOST:PATH, USER@HOST:PATH, ssh://HOST/PATH, or a folder such as ./src"
# Stricter than OpenSSH, which lets some of these through and refuses the rest (ssh.c, valid_hostname and
# valid_ruser): a host name reaches command lines of `ssh` and, through the user's own configuration, of a shell.
_HOST = late_pattern(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,254}")
_IPV6 = late_pattern(r"[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9._-]{1,32})?")
_USER = late_pattern(r"[A-Za-z0-9_.+=@\\][A-Za-z0-9_.+=@\\%#~,-]{0,254}")
_CONTROL = late_pattern(r"[\x00-\x1f\x7f-\x9f]")


def parse_target(text: str, *, is_folder: Callable[[str], bool] = lambda path: Path(path).is_dir()) -> Target:
    """Raises UsageError before anything has been started or looked up."""
    if not text or "\0" in text:
        raise UsageError("not a target", repr(text), _HINT)
    if text.startswith("ssh://"):
        return _parse_url(text)
    if text in (".", "..", "~") or text.startswith(("./", "../", "/", "~/")):
        return Target(text)
    host, colon, path = _split(text)
    if colon:
        return Target(_remote_path(path, text), parse_address(host))
    if is_folder(text):
        return Target(text)
    raise UsageError("not a target", repr(text), _HINT)


def parse_address(text: str) -> Address:
    """`[USER@]HOST[:PORT]`, as in a URL or a list of jump hosts; IPv6 in brackets. Raises UsageError."""
    user, at, rest = text.rpartition("@")
    match = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(?::(\d{1,5}))?", rest)
    if match is None:
        raise UsageError("not a host", repr(text))
    host = match[1]
    return Address(_checked_host(host), _checked_user(user) if at else "", _checked_port(match[2]))


def folder_of(host: str, path: str) -> Target:
    """A folder of `[USER@]HOST[:PORT]`; `path` as behind scp's colon. Raises UsageError."""
    return Target(_remote_path(path, path), parse_address(host))


def _split(text: str) -> tuple[str, str, str]:
    """At the first colon that no slash and no open bracket comes before, as scp does."""
    match = re.match(r"((?:[^/:\[]*@)?(?:\[[^\]/]*\]|[^/:\[]*)):(.*)\Z", text, re.DOTALL)
    return (match[1], ":", match[2]) if match else (text, "", "")


def _parse_url(text: str) -> Target:
    authority, _, path = text.removeprefix("ssh://").partition("/")
    user, at, rest = authority.rpartition("@")
    address = parse_address(f"{unquote(user)}{at}{rest}")
    # An encoded `~` is a folder of that name.
    home = path == "~" or path.startswith("~/")
    return Target(_remote_path(("" if home else "/") + unquote(path, errors="surrogateescape"), text), address)


def _remote_path(path: str, text: str) -> str:
    if "\0" in path:
        raise UsageError("not a path", repr(text))
    if path in ("", "~", "~/", "."):
        return "~"
    if path.startswith(("/", "~/")):
        return path
    if path.startswith("~"):
        raise UsageError("another user's home folder cannot be named", repr(text), "write its absolute path")
    return f"~/{path}"


def _checked_host(host: str) -> str:
    if host.startswith("["):
        if _IPV6.fullmatch(host[1:-1]) or _HOST.fullmatch(host[1:-1]):
            return host[1:-1]
    elif _HOST.fullmatch(host):
        return host
    raise UsageError("not a host name", _quoted(host), "letters, digits, dots, dashes; IPv6 in brackets")


def _checked_user(user: str) -> str:
    if _USER.fullmatch(user):
        return user
    raise UsageError("not a user name", _quoted(user))


def _checked_port(digits: str | None) -> int | None:
    if digits is None:
        return None
    if 0 < int(digits) < 65536:
        return int(digits)
    raise UsageError("not a port", digits, "1 to 65535")


def _quoted(text: str) -> str:
    return repr(_CONTROL.sub("?", text[:80]))
