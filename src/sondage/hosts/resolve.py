"""Owns the question what an address means: the user's SSH configuration, as `ssh` itself reads it.

Where `ssh` is installed it answers (`ssh -G`), so that Include, Match, tokens and defaults mean what they mean to it.
Otherwise asyncssh's parser does, which knows less.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import re
import shutil
import signal
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import asyncssh
from asyncssh.config import ConfigParseError, SSHClientConfig

from sondage.errors import ConfigError, ConnectError, UsageError
from sondage.hosts import deadline
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.deadline import within
from sondage.hosts.known_hosts import DEFAULT_PORT, Entry
from sondage.hosts.names import shown
from sondage.hosts.target import parse_address

_JUMP_LIMIT = 8
_DEFAULT_KEYS = ("id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk")


@dataclass(frozen=True)
class Hop:
    """One server on the way, with everything that is configured for it. `label` is what the user calls it."""

    label: str
    host: str
    port: int
    user: str
    key_alias: str = ""
    """Looked up in known_hosts instead of the host, and without the port (HostKeyAlias)."""
    user_known_hosts: tuple[str, ...] = ()
    global_known_hosts: tuple[str, ...] = ()
    host_key_algorithms: tuple[str, ...] = ()
    hash_known_hosts: bool = False
    strict: bool = False
    """StrictHostKeyChecking yes: an unknown key is refused without asking."""
    identity_files: tuple[str, ...] = ()
    identities_only: bool = False
    agent: str = ""
    methods: frozenset[str] = frozenset({"publickey", "keyboard-interactive", "password"})
    proxy_command: str = ""
    family: socket.AddressFamily = socket.AF_UNSPEC
    keys: tuple[asyncssh.SSHKey, ...] = ()
    """Keys that are in no file; only the demo's own server has such."""
    vouched: tuple[Entry, ...] = ()
    """Host keys that are known without a file."""


async def resolve(address: Address, options: SshOptions) -> tuple[Hop, ...]:
    """The servers to go through, the target last. Raises UsageError, ConfigError, ConnectError."""
    _check_identity_files(options)
    return await _resolve(address, options, 0)


def _check_identity_files(options: SshOptions) -> None:
    """A key that was named on purpose must be there; ssh itself would only warn."""
    for file in options.identity_files:
        if not Path(file).expanduser().exists():
            raise UsageError("no such key file", file)


async def _resolve(address: Address, options: SshOptions, depth: int) -> tuple[Hop, ...]:
    if depth > _JUMP_LIMIT:
        raise ConfigError("jump hosts lead in a circle", str(address))
    values = await _ask_ssh(address, options) if shutil.which("ssh") else _ask_asyncssh(address, options)
    jump = _first(values, "proxyjump")
    hops: tuple[Hop, ...] = ()
    if jump and jump.lower() != "none":
        for text in jump.split(","):
            # The first jump host may have one of its own; the others are reached through the one before.
            inner = replace(options, port=None, jump=None if not hops else "none")
            hops = (*hops, *(await _resolve(parse_address(text.removeprefix("ssh://")), inner, depth + 1)))
    return (*hops, _hop(address, values))


async def _ask_ssh(address: Address, options: SshOptions) -> dict[str, list[str]]:
    arguments = ["ssh", "-G", *_flags(address, options), "--", address.host]
    process = await asyncio.create_subprocess_exec(
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # so that what a Match exec has started ends with it
    )
    try:
        late = ConnectError("ssh -G does not answer", address.host, "a Match exec in the configuration may hang")
        output, errors = await within(deadline.RESOLVE, process.communicate(), late)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode:
        raise ConfigError("ssh refuses its configuration", address.host, shown(errors))
    values: dict[str, list[str]] = {}
    for line in output.decode("utf-8", "surrogateescape").splitlines():
        key, _, value = line.partition(" ")
        values.setdefault(key.lower(), []).append(value)
    return values


def _flags(address: Address, options: SshOptions) -> list[str]:
    flags = ["-F", options.config_file] if options.config_file else []
    port = address.port or options.port
    flags += ["-p", str(port)] if port else []
    flags += ["-l", address.user] if address.user else []
    for file in options.identity_files:
        flags += ["-i", file]
    if options.jump:
        if options.jump != "none":
            for hop in options.jump.split(","):
                parse_address(hop)
        flags += ["-J", options.jump]
    return flags


def _ask_asyncssh(address: Address, options: SshOptions) -> dict[str, list[str]]:
    """What asyncssh's parser says, in the words of `ssh -G`."""
    home = Path.home() / ".ssh"
    file = Path(options.config_file) if options.config_file else home / "config"
    paths = [file] if options.config_file not in ("none", "/dev/null") and file.exists() else []
    if options.config_file and not paths and options.config_file not in ("none", "/dev/null"):
        raise ConfigError("no such configuration file", options.config_file)
    port = address.port or options.port or ()
    try:
        config = SSHClientConfig.load(
            None, paths, False, False, False, getpass.getuser(), address.user or (), address.host, port
        )
    except (ConfigParseError, UnicodeDecodeError, RecursionError, OSError) as error:
        raise ConfigError("the SSH configuration cannot be read", str(file), str(error)) from None
    values: dict[str, list[str]] = {}
    for key in ("Hostname", "Port", "User", "HostKeyAlias", "ProxyJump", "ProxyCommand", "IdentityAgent"):
        if (value := config.get(key)) is not None:
            values[key.lower()] = [str(value)]
    if config.get("IdentitiesOnly"):
        values["identitiesonly"] = ["yes"]
    values["userknownhostsfile"] = [" ".join(_strings(config.get("UserKnownHostsFile"), [str(home / "known_hosts")]))]
    values["globalknownhostsfile"] = [" ".join(_strings(config.get("GlobalKnownHostsFile"), _global_files()))]
    defaults = [str(home / name) for name in _DEFAULT_KEYS]
    values["identityfile"] = [*options.identity_files, *_strings(config.get("IdentityFile"), defaults)]
    if options.jump:
        values["proxyjump"] = [options.jump]
    return values


def _global_files() -> list[str]:
    return ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]


def _strings(value: object, default: Sequence[str]) -> list[str]:
    return [str(item) for item in value] if isinstance(value, (list, tuple)) else list(default)


def _hop(address: Address, values: Mapping[str, Sequence[str]]) -> Hop:
    host = _first(values, "hostname") or address.host
    port = int(_first(values, "port") or address.port or DEFAULT_PORT)
    user = _first(values, "user") or address.user or getpass.getuser()
    tokens = _tokens(address.host, host, port, user)
    agent = _first(values, "identityagent")
    agent = os.environ.get("SSH_AUTH_SOCK", "") if agent in ("", "SSH_AUTH_SOCK") else agent
    agent = os.environ.get(agent[1:].strip("{}"), "") if agent.startswith("$") else agent
    proxy = _first(values, "proxycommand")
    return Hop(
        label=str(address),
        host=host,
        port=port,
        user=user,
        key_alias=_first(values, "hostkeyalias"),
        user_known_hosts=_files(_first(values, "userknownhostsfile"), tokens),
        global_known_hosts=_files(_first(values, "globalknownhostsfile"), tokens),
        host_key_algorithms=tuple(filter(None, _first(values, "hostkeyalgorithms").split(","))),
        hash_known_hosts=_first(values, "hashknownhosts") == "yes",
        strict=_first(values, "stricthostkeychecking") in ("yes", "true"),
        identity_files=tuple(dict.fromkeys(_path(file, tokens) for file in values.get("identityfile", ()))),
        identities_only=_first(values, "identitiesonly") == "yes",
        agent="" if agent == "none" else _path(agent, tokens),
        methods=_methods(values),
        proxy_command="" if proxy.lower() == "none" else _expand(proxy, tokens),
        family={"inet": socket.AF_INET, "inet6": socket.AF_INET6}.get(
            _first(values, "addressfamily"), socket.AF_UNSPEC
        ),
    )


def _methods(values: Mapping[str, Sequence[str]]) -> frozenset[str]:
    keywords = {
        "pubkeyauthentication": "publickey",
        "kbdinteractiveauthentication": "keyboard-interactive",
        "passwordauthentication": "password",
    }
    return frozenset(method for keyword, method in keywords.items() if _first(values, keyword) not in ("no", "false"))


def _first(values: Mapping[str, Sequence[str]], key: str) -> str:
    found = values.get(key)
    return found[0] if found else ""


def _files(text: str, tokens: Mapping[str, str]) -> tuple[str, ...]:
    """`none` means no such file; it never turns the checking off."""
    return tuple(_path(file, tokens) for file in text.split() if file.lower() != "none")


def _path(text: str, tokens: Mapping[str, str]) -> str:
    expanded = _expand(text, tokens)
    return str(Path(expanded).expanduser()) if expanded else ""


def _tokens(alias: str, host: str, port: int, user: str) -> dict[str, str]:
    """ssh_config(5), TOKENS, as far as paths and proxy commands use them."""
    local = socket.gethostname()
    return {
        "%": "%",
        "d": str(Path.home()),
        "h": host,
        "i": str(os.getuid()),
        "k": alias,
        "L": local.split(".")[0],
        "l": local,
        "n": alias,
        "p": str(port),
        "r": user,
        "u": getpass.getuser(),
    }


def _expand(text: str, tokens: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        try:
            return tokens[match[1]]
        except KeyError:
            raise UsageError("unknown token in the SSH configuration", repr(match[0])) from None

    return re.sub(r"%(.)", value, text)
