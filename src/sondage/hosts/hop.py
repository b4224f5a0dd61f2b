"""Owns one server on the way to a target: everything that the user's SSH configuration says of it, as values."""

from __future__ import annotations

import getpass
import hashlib
import os
import pwd
import re
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import asyncssh
import msgspec

from sondage.errors import ConfigError
from sondage.hosts.base import Address
from sondage.hosts.known_hosts import DEFAULT_PORT, Entry

Values: TypeAlias = Mapping[str, Sequence[str]]
"""What `ssh -G` prints: by keyword in lower case, one value a line."""

Strictness: TypeAlias = Literal["yes", "ask", "accept-new", "no"]

METHODS = ("publickey", "keyboard-interactive", "password")
"""Of logging in, in OpenSSH's order."""


class Hop(msgspec.Struct, frozen=True):
    """`label` is what the user calls it. Names and meanings of the rest: ssh_config(5)."""

    label: str
    host: str
    port: int
    user: str
    key_alias: str = ""
    """Looked up in known_hosts instead of the host, and without the port (HostKeyAlias)."""
    user_known_hosts: tuple[str, ...] = ()
    global_known_hosts: tuple[str, ...] = ()
    revoked_keys: str = ""
    """A file of keys that are never believed (RevokedHostKeys)."""
    host_key_algorithms: tuple[str, ...] = ()
    hash_known_hosts: bool = False
    strictness: Strictness = "ask"
    """What becomes of a key that nobody has vouched for (StrictHostKeyChecking)."""
    identity_files: tuple[str, ...] = ()
    certificate_files: tuple[str, ...] = ()
    identities_only: bool = False
    agent: str = ""
    methods: tuple[str, ...] = METHODS
    secret_tries: int = 3
    proxy_command: str = ""
    family: socket.AddressFamily = socket.AF_UNSPEC
    bind_address: str = ""
    connect_timeout: float | None = None
    """Seconds from the first packet to the verified host key; None: the usual limits."""
    connect_tries: int = 1
    alive_seconds: int = 0
    """Between two signs of life that are asked for; 0: as often as usual (ssh would not ask at all)."""
    alive_count: int = 3
    control_path: str = ""
    tickets: bool = False
    """GSSAPIAuthentication."""
    session_type: bool = False
    """Whether the `ssh` of this machine knows SessionType and its like (OpenSSH 8.7)."""
    only_ssh: str = ""
    """The keyword of what only the program `ssh` can do; empty where there is none."""
    keys: tuple[asyncssh.SSHKey, ...] = ()
    """Keys that are in no file; only the demo's own server has such."""
    background: bool = False
    """As in `hosts.base.SshOptions`."""
    vouched: tuple[Entry, ...] = ()
    """Host keys that are known without a file."""

    @property
    def may_want_touch(self) -> bool:
        """Whether what signs is a device or a card, which may wait for its user."""
        return self.only_ssh in ("PKCS11Provider", "SecurityKeyProvider")

    @property
    def where(self) -> str:
        """For messages."""
        return self.label if self.label == self.host else f"{self.label} ({self.host}:{self.port})"

    @property
    def known_name(self) -> tuple[str, int]:
        """Under which name and port its keys are recorded."""
        return (self.key_alias, DEFAULT_PORT) if self.key_alias else (self.host, self.port)


def make_hop(address: Address, values: Values) -> Hop:
    """Raises ConfigError for what cannot be expanded."""
    host = first(values, "hostname") or address.host
    port = int(first(values, "port") or address.port or DEFAULT_PORT)
    user = first(values, "user") or address.user or getpass.getuser()
    alias = first(values, "hostkeyalias")
    texts = _Texts(address.host, host, port, user, alias, first(values, "proxyjump"))
    proxy = first(values, "proxycommand")
    return Hop(
        label=str(address),
        host=host,
        port=port,
        user=user,
        key_alias=alias,
        user_known_hosts=texts.paths(first(values, "userknownhostsfile").split()),
        global_known_hosts=texts.paths(first(values, "globalknownhostsfile").split()),
        revoked_keys="".join(texts.paths([first(values, "revokedhostkeys")])),
        host_key_algorithms=tuple(filter(None, first(values, "hostkeyalgorithms").split(","))),
        hash_known_hosts=is_yes(values, "hashknownhosts"),
        strictness=_strictness(first(values, "stricthostkeychecking")),
        identity_files=texts.paths(values.get("identityfile", ())),
        certificate_files=texts.paths(values.get("certificatefile", ())),
        identities_only=is_yes(values, "identitiesonly"),
        agent=_agent(first(values, "identityagent"), texts),
        methods=_methods(values),
        secret_tries=_number(values, "numberofpasswordprompts") or 3,
        proxy_command="" if proxy.lower() == "none" else texts.expand(proxy),
        family=_FAMILIES.get(first(values, "addressfamily"), socket.AF_UNSPEC),
        bind_address=first(values, "bindaddress"),
        connect_timeout=_number(values, "connecttimeout") or None,
        connect_tries=max(1, _number(values, "connectionattempts")),
        alive_seconds=_number(values, "serveraliveinterval"),
        alive_count=max(1, _number(values, "serveralivecountmax") or 3),
        control_path="".join(texts.paths([first(values, "controlpath")])),
        tickets=is_yes(values, "gssapiauthentication"),
        session_type="sessiontype" in values,
        only_ssh=_only_ssh(values),
    )


_FAMILIES = {"inet": socket.AF_INET, "inet6": socket.AF_INET6}


def first(values: Values, key: str) -> str:
    found = values.get(key)
    return found[0] if found else ""


def is_yes(values: Values, key: str) -> bool:
    return first(values, key) in ("yes", "true")


def home() -> str:
    """The home folder as OpenSSH has it: that of the password database, whatever `$HOME` says."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return str(Path.home())


def _number(values: Values, key: str) -> int:
    """0 where there is none."""
    text = first(values, key)
    return int(text) if text.isdecimal() else 0


def _strictness(text: str) -> Strictness:
    if text in ("yes", "true"):
        return "yes"
    if text in ("no", "off", "false"):
        return "no"
    return "accept-new" if text == "accept-new" else "ask"


def _methods(values: Values) -> tuple[str, ...]:
    keywords = {
        "pubkeyauthentication": "publickey",
        "kbdinteractiveauthentication": "keyboard-interactive",
        "passwordauthentication": "password",
    }
    switched_off = {method for keyword, method in keywords.items() if first(values, keyword) in ("no", "false")}
    preferred = (
        first(values, "preferredauthentications").split(",") if "preferredauthentications" in values else METHODS
    )
    return tuple(method for method in preferred if method in METHODS and method not in switched_off)


def _only_ssh(values: Values) -> str:
    """Libraries that sign, lists of revoked keys in a binary form, proxies that hand on an open socket."""
    own = {"pkcs11provider": "PKCS11Provider", "revokedhostkeys": "RevokedHostKeys"}
    for key, keyword in own.items():
        if first(values, key).lower() not in ("", "none"):
            return keyword
    if is_yes(values, "proxyusefdpass"):
        return "ProxyUseFdpass"
    built_in = first(values, "securitykeyprovider").lower() in ("", "none", "internal", "$ssh_sk_provider")
    return "" if built_in else "SecurityKeyProvider"


def _agent(text: str, texts: _Texts) -> str:
    """The path of its socket; empty where none is to be asked (ssh_config(5), IdentityAgent)."""
    if text == "none":
        return ""
    if text in ("", "SSH_AUTH_SOCK"):
        return os.environ.get("SSH_AUTH_SOCK", "")
    if text.startswith("$") and not text.startswith("${"):
        return os.environ.get(text[1:], "")
    return "".join(texts.paths([text]))


class _Texts:
    """Paths and commands as the configuration writes them, and what they stand for here (ssh_config(5), TOKENS)."""

    def __init__(self, alias: str, host: str, port: int, user: str, key_alias: str, jump: str) -> None:
        local = socket.gethostname()
        jump = "" if jump.lower() == "none" else jump
        self._tokens = {
            "%": "%",
            "C": hashlib.sha1(f"{local}{host}{port}{user}{jump}".encode(errors="surrogateescape")).hexdigest(),
            "d": home(),
            "h": host,
            "i": str(os.getuid()),
            "j": jump,
            "k": key_alias or alias,
            "L": local.split(".", maxsplit=1)[0],
            "l": local,
            "n": alias,
            "p": str(port),
            "r": user,
            "u": getpass.getuser(),
        }

    def paths(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Each once. `none` means no such file; of a known_hosts file it never turns the checking off."""
        wanted = [text for text in texts if text and text.lower() != "none"]
        return tuple(dict.fromkeys(self._path(text) for text in wanted))

    def _path(self, text: str) -> str:
        path = re.sub(r"\$\{(\w+)\}", self._variable, self.expand(text))
        if path == "~" or path.startswith("~/"):
            return home() + path[1:]
        return os.path.expanduser(path)  # noqa: PTH111 -- pathlib raises for a user that is not there

    def _variable(self, match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise ConfigError("a variable of the SSH configuration is not set", match[0])
        return os.environ[match[1]]

    def expand(self, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            if match[1] not in self._tokens:
                raise ConfigError("unknown token in the SSH configuration", repr(match[0]))
            return self._tokens[match[1]]

        return re.sub(r"%(.)", value, text)
