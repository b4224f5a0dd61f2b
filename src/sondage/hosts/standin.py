"""Owns the reading of the user's SSH configuration where no `ssh` is there to say what it means: asyncssh's parser does.

It knows less: no trailing comments, no time units, not every `Match`. What it does not understand is an error with file
and line. A keyword that it does not know is passed over; those that decide on trust are made known to it here.
"""

from __future__ import annotations

import getpass
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from asyncssh.config import ConfigParseError, SSHClientConfig, SSHConfig

from sondage.errors import ConfigError
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.hop import Values, home

_SYSTEM_FILE = "/etc/ssh/ssh_config"
_NO_FILE = ("none", "/dev/null")
_DEFAULT_KEYS = ("id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk")
_GLOBAL_FILES = ("/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")
_STRINGS = ("StrictHostKeyChecking", "HashKnownHosts", "RevokedHostKeys", "SecurityKeyProvider")
_NUMBERS = ("ConnectionAttempts", "NumberOfPasswordPrompts")
_LISTS = ("UserKnownHostsFile", "GlobalKnownHostsFile", "IdentityFile", "CertificateFile")
_HINT = "OpenSSH's client, where it is installed, reads all of it"


class _Config(SSHClientConfig):
    """Tokens and variables are left to `hosts.hop`, because in an included file they would be expanded too early."""

    _percent_expand: set[str] = set()  # noqa: RUF012 -- asyncssh declares it as one of the instance
    _handlers = SSHClientConfig._handlers | {
        name.lower(): (name, handler)
        for names, handler in ((_STRINGS, SSHConfig._set_string), (_NUMBERS, SSHConfig._set_int))
        for name in names
    }

    @property
    def place(self) -> str:
        """The line that is being read."""
        return f"{self._path}:{self._line_no}"

    def parse(self, path: Path) -> None:
        """A file, and what it includes. Raises ConfigError."""
        try:
            super().parse(path)
        except ConfigParseError as error:
            what = str(error).removeprefix(f"{self._path} line {self._line_no}: ")
            raise ConfigError(f"the SSH configuration is not understood: {what}", self.place, _HINT) from None
        except RecursionError:
            raise ConfigError("the SSH configuration includes itself", self.place) from None
        except UnicodeDecodeError:
            raise ConfigError("the SSH configuration is not UTF-8", _undecodable(self._path), _HINT) from None
        except OSError as error:
            raise ConfigError("the SSH configuration cannot be read", str(self._path), error.strerror or "") from None


def read_configuration(address: Address, options: SshOptions) -> Values:
    """What the configuration says of an address, in the words of `ssh -G`. Raises ConfigError with file and line."""
    given = _read(address, options).get_options(False)
    values = {name.lower(): [_text(value)] for name, value in given.items() if name not in _LISTS}
    folder = Path(home(), ".ssh")
    known = [str(folder / "known_hosts"), str(folder / "known_hosts2")]
    values["userknownhostsfile"] = [" ".join(_strings(given, "UserKnownHostsFile", known))]
    values["globalknownhostsfile"] = [" ".join(_strings(given, "GlobalKnownHostsFile", _GLOBAL_FILES))]
    keys = [str(folder / name) for name in _DEFAULT_KEYS]
    values["identityfile"] = [*options.identity_files, *_strings(given, "IdentityFile", keys)]
    values["certificatefile"] = _strings(given, "CertificateFile", ())
    if options.jump:
        values["proxyjump"] = [options.jump]
    return values


def _read(address: Address, options: SshOptions) -> SSHConfig:
    user, port = address.user or (), address.port or options.port or ()
    who = (getpass.getuser(), user, address.host, port)
    files = _files(options)
    config = _Config.load(None, files, False, False, False, *who)
    return _Config.load(config, files, False, False, True, *who) if config.has_match_final() else config


def _files(options: SshOptions) -> list[Path]:
    """As ssh: the one that was named, or the user's and then the system's."""
    if options.config_file in _NO_FILE:
        return []
    if options.config_file:
        if not Path(options.config_file).exists():
            raise ConfigError("no such configuration file", options.config_file)
        return [Path(options.config_file)]
    return [path for path in (Path(home(), ".ssh", "config"), Path(_SYSTEM_FILE)) if path.exists()]


def _text(value: object) -> str:
    if isinstance(value, socket.AddressFamily):
        return {socket.AF_INET: "inet", socket.AF_INET6: "inet6"}.get(value, "any")
    if value is None:
        return "none"
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _strings(given: Mapping[str, object], name: str, default: Sequence[str]) -> list[str]:
    """A list that is there and empty was written as `none`."""
    value = given.get(name)
    return [str(item) for item in value] or ["none"] if isinstance(value, list) else list(default)


def _undecodable(file: Path) -> str:
    for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            return f"{file}:{number}"
    return str(file)
