"""Owns a real OpenSSH server for tests: on loopback, at a free port, as the user who runs the tests, with its own keys.

    with running_sshd(tmp_path) as server:
        target = server.target("/srv/tree")            # "box:/srv/tree"
        command = ["sondage", "-F", str(server.config), …]

`box` is the alias of the configuration file `server.config`, which names the key, the port and the known_hosts file.
"""

from __future__ import annotations

import getpass
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh
import pytest

PROGRAM = Path("/usr/sbin/sshd")
ALIAS = "box"


def require_sshd() -> None:
    """Skips the test, with the reason, on a machine without OpenSSH's server; in CI that is a failure."""
    if PROGRAM.exists():
        return
    reason = f"needs OpenSSH's server at {PROGRAM} (Debian: apt install openssh-server)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class Sshd:
    """A running server. Everything it and its client need lies below `folder`."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    lines: list[str] = field(default_factory=list)
    logged: threading.Condition = field(default_factory=threading.Condition)
    """Notified of each further line."""

    @property
    def config(self) -> Path:
        """A client configuration for `ssh -F` and `sondage -F`."""
        return self.folder / "client_config"

    @property
    def client_key(self) -> Path:
        return self.folder / "client_key"

    @property
    def host_key(self) -> asyncssh.SSHKey:
        return asyncssh.read_public_key(str(self.folder / "host_key.pub"))

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    @property
    def log(self) -> str:
        """What the server has logged so far, at level DEBUG1."""
        return "".join(self.lines)

    def target(self, path: str | os.PathLike[str]) -> str:
        return f"{ALIAS}:{os.fspath(path)}"

    def configure_client(self, *lines: str, key: Path | None = None) -> None:
        """Writes `config`; further lines belong to `Host box`."""
        own = [
            f"Host {ALIAS}",
            "HostName 127.0.0.1",
            f"Port {self.port}",
            f"User {getpass.getuser()}",
            f"IdentityFile {key or self.client_key}",
            "IdentitiesOnly yes",
            "IdentityAgent none",
            f"UserKnownHostsFile {self.known_hosts}",
            "GlobalKnownHostsFile /dev/null",
            "HashKnownHosts no",
        ]
        # ssh takes the first value it finds, so that the lines given here win.
        self.config.write_text("\n".join([own[0], *lines, *own[1:]]) + "\n")

    def trust(self, key: asyncssh.SSHKey | None = None) -> None:
        """Records the server's host key (or another one) as the known one."""
        public = (key or self.host_key).export_public_key().decode()
        self.known_hosts.write_text(f"[127.0.0.1]:{self.port} {public}")

    def sessions(self) -> list[int]:
        """The processes that serve its clients, and what those run."""
        return _descendants(self.process.pid)

    def wait_until_idle(self, seconds: float = 20) -> None:
        """Returns once nothing runs for a client any more; a failure names what still does."""
        end = time.monotonic() + seconds
        while left := self.sessions():
            if not _one_ends(left, end - time.monotonic()):
                names = [_command_line(pid) for pid in left]
                raise AssertionError(f"still running: {names}")

    def lead_over(self, port: int) -> None:
        """`box` is at another port from now on, where something stands in front of the server."""
        for file in (self.config, self.known_hosts):
            file.write_text(file.read_text().replace(str(self.port), str(port)))

    def kill_sessions(self) -> None:
        """Kills everything the server has started for its clients, as a crash would; the server itself stays."""
        self._send_sessions(signal.SIGKILL)

    def kill_servers(self) -> None:
        """Kills the server's own processes of the sessions, and nothing that they run."""
        self._send_sessions(signal.SIGKILL, lambda command: command.startswith("sshd"))

    def kill_commands(self) -> None:
        """Kills what the sessions run, and leaves the connections."""
        self._send_sessions(signal.SIGKILL, lambda command: not command.startswith("sshd"))

    def stop_sessions(self) -> None:
        """They stand still, as behind a line that is cut: nothing comes from them, and nobody hangs up."""
        self._send_sessions(signal.SIGSTOP)

    def _send_sessions(self, number: int, which: Callable[[str], bool] = lambda command: True) -> None:
        """`which` says of a command line whether it is meant."""
        for pid in self.sessions():
            if which(_command_line(pid)):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    def change_host_key(self) -> asyncssh.SSHKey:
        """As a machine does that was built anew behind the same address. Returns the new key."""
        listening = self._times_it_listened()
        (self.folder / "host_key").unlink()
        _make_key(self.folder / "host_key")
        self.process.send_signal(signal.SIGHUP)
        with self.logged:
            if not self.logged.wait_for(lambda: self._times_it_listened() > listening, 20):
                raise RuntimeError("sshd does not start again")
        return self.host_key

    def _times_it_listened(self) -> int:
        return sum("Server listening" in line for line in self.lines)


@contextmanager
def running_sshd(folder: Path, *lines: str, trusted: bool = True) -> Iterator[Sshd]:
    """A server with further lines of sshd_config (they win). `trusted`: its host key is in known_hosts."""
    require_sshd()
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # the server insists on it, and shares it with any other
    for name in ("host_key", "client_key"):
        _make_key(folder / name)
    for _ in range(5):
        server = _start(folder, lines)
        if server:
            break
    else:
        raise RuntimeError("sshd does not start")
    server.configure_client()
    server.known_hosts.write_text("")
    if trusted:
        server.trust()
    try:
        yield server
    finally:
        server.kill_sessions()
        server.process.terminate()
        server.process.wait(10)


def _make_key(path: Path) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_private_key(str(path))
    key.write_public_key(str(path) + ".pub")
    path.chmod(0o600)


def _start(folder: Path, lines: Sequence[str]) -> Sshd | None:
    """None when another process took the port first."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = [
        f"Port {port}",
        "ListenAddress 127.0.0.1",
        f"HostKey {folder / 'host_key'}",
        f"PidFile {folder / 'sshd.pid'}",
        f"AuthorizedKeysFile {folder / 'client_key.pub'}",
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        "PermitRootLogin prohibit-password",
        "PermitUserRC no",
        "MaxStartups 100",
        "LogLevel DEBUG1",
        "Subsystem sftp internal-sftp",
    ]
    config = folder / "sshd_config"
    # Of most keywords the first line counts, of MaxStartups the last.
    given = {line.split()[0] for line in lines if line.startswith("MaxStartups")}
    config.write_text("\n".join([*lines, *(line for line in own if line.split()[0] not in given)]) + "\n")
    process = subprocess.Popen([PROGRAM, "-D", "-e", "-f", config], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    server = Sshd(folder, port, process)
    threading.Thread(target=_follow, args=(server,), daemon=True).start()
    with server.logged:
        server.logged.wait_for(lambda: server._times_it_listened() or process.poll() is not None, 20)
    return server if process.poll() is None else None


def _follow(server: Sshd) -> None:
    """Collects the log, to its end."""
    assert server.process.stderr
    for line in server.process.stderr:
        with server.logged:
            server.lines.append(line.decode("utf-8", "replace"))
            server.logged.notify_all()
    server.process.wait()
    with server.logged:
        server.logged.notify_all()


def _one_ends(pids: Sequence[int], seconds: float) -> bool:
    """Waits until one of some processes has ended (pidfd_open(2): its descriptor can be read then)."""
    with ExitStack() as stack:
        ends = []
        for pid in pids:
            try:
                ends.append(os.pidfd_open(pid))
            except ProcessLookupError:
                return True
            stack.callback(os.close, ends[-1])
        return bool(select.select(ends, [], [], max(seconds, 0))[0])


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return "gone meanwhile"


def _descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] == "Z":  # ended, and only not asked about yet
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    queue = [pid]
    while queue:
        children = parents.get(queue.pop(), [])
        found += children
        queue += children
    return found
