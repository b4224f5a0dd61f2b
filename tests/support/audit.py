"""Owns looking over a server's shoulder: what ran on it, what it wrote, what was left behind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.sshd import Sshd

WRITERS = (
    "creat,mkdir,mkdirat,mknod,mknodat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,"
    "chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,utime,utimes,utimensat,futimesat,setxattr,"
    "fsetxattr,lsetxattr,removexattr,bind,connect"
)
_LINE = re.compile(r"(?P<pid>\d+) +(?P<call>.*)")
_CHILD = re.compile(r"(?:<\.\.\. )?(?:clone3?|v?fork)\b.*= (?P<child>\d+)$")
_EXEC = re.compile(r'execve\("(?P<program>[^"]*)"')
_OPEN = re.compile(r'open(?:at)?\((?:AT_FDCWD, )?"(?P<path>[^"]*)", (?P<flags>[A-Z_|]+)')


@dataclass
class Audit:
    """Of the processes that a server has started for its clients; its own are left out once they are known."""

    programs: set[str] = field(default_factory=set)
    """The names of what was executed."""
    writes: list[str] = field(default_factory=list)
    """Calls that could have changed something, as strace shows them."""

    def read(self, trace: Path) -> None:
        running: dict[str, str] = {}
        for line in trace.read_text(errors="replace").splitlines():
            match = _LINE.match(line)
            if match is None:
                continue
            pid, call = match["pid"], match["call"]
            if child := _CHILD.match(call):
                running.setdefault(child["child"], running.get(pid, "sshd"))
            elif (program := _EXEC.match(call)) and "ENOENT" not in call:
                running[pid] = Path(program["program"]).name
                self.programs.add(running[pid])
            elif not running.get(pid, "sshd").startswith("sshd") and _changes(call):
                self.writes.append(f"{running[pid]}: {call}")


def _changes(call: str) -> bool:
    opened = _OPEN.match(call)
    if opened:
        writing = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"} & set(opened["flags"].split("|"))
        return bool(writing) and opened["path"] not in ("/dev/null", "/dev/tty")
    return bool(re.match(rf"(?:{WRITERS.replace(',', '|')})\(", call)) and "/var/run/nscd" not in call


@contextmanager
def audited(server: Sshd, folder: Path) -> Iterator[Audit]:
    """Everything the server and what it starts do from here on; `Audit` is filled when it is left."""
    if not shutil.which("strace"):
        pytest.skip("needs strace (Debian: apt install strace)")
    trace = folder / "trace"
    calls = f"execve,clone,clone3,fork,vfork,open,openat,{WRITERS}"
    command = [
        "strace",
        "-f",
        "-qq",
        "-o",
        trace,
        "-e",
        f"trace=?{calls.replace(',', ',?')}",
        "-p",
        str(server.process.pid),
    ]
    audit = Audit()
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        if not _attached(server, process):
            pytest.skip("strace may not attach here")
        yield audit
        process.terminate()
        process.wait()
    audit.read(trace)


def _attached(server: Sshd, process: subprocess.Popen[bytes]) -> bool:
    while process.poll() is None:
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        if re.search(r"^TracerPid:\s+[1-9]", status, re.MULTILINE):
            return True
    return False


def left_behind(server: Sshd) -> list[str]:
    """The command lines of what runs for clients of this server, also when it has lost its parent since."""
    mark = f" 127.0.0.1 {server.port}\0".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200])
        except OSError:
            continue
    return found


def snapshot(*folders: Path) -> dict[str, tuple[int, ...]]:
    """Everything below, with what changes at any write: not the times of reading."""
    seen = {}
    for folder in folders:
        for path in [folder, *folder.rglob("*")]:
            status = path.lstat()
            seen[os.fspath(path)] = (
                status.st_ino,
                status.st_size,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_mode,
            )
    return seen
