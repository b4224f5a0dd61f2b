"""Owns the peers: which tools, how they are installed and started, and how they are asked the questions about calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peers_lsp import Server, ServerError, ServerGoneError

Question = dict[str, Any]
Answer = dict[str, Any]

START_LIMIT = 180.0
"""Seconds for a server to greet and to read its workspace."""
ANSWER_LIMIT = 30.0
"""Seconds for one question: longer than anybody waits for a jump."""


@dataclass(frozen=True)
class Peer:
    """One tool. `command` is run in its environment, `settings` are what an editor would be asked for."""

    name: str
    version: str
    command: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)


_PYRIGHT = {"diagnosticMode": "openFilesOnly", "typeCheckingMode": "off", "useLibraryCodeForTypes": True}
_JEDI_SERVER = str(Path(__file__).with_name("peers_jedi.py"))

PEERS = {
    peer.name: peer
    for peer in (
        Peer("jedi", "0.20.1", ("python", _JEDI_SERVER, "{cache}/jedi")),
        Peer(
            "basedpyright",
            "1.40.2",
            ("basedpyright-langserver", "--stdio"),
            {"basedpyright": {"analysis": _PYRIGHT}, "python": {"analysis": _PYRIGHT}},
        ),
        Peer("ty", "0.0.108", ("ty", "server"), {"ty": {}}),
        Peer("pyrefly", "1.5.0", ("pyrefly", "lsp"), {"python": {}, "pyrefly": {}}),
    )
}


def install(names: Sequence[str], home: Path) -> None:
    """Puts the peers, in the versions of `PEERS`, into an environment of their own unless they are there already."""
    python = home / "bin" / "python"
    if names and not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    if missing := [f"{name}=={PEERS[name].version}" for name in names if not _installed(PEERS[name], home)]:
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *missing], check=True)


def _installed(peer: Peer, home: Path) -> bool:
    return any(home.glob(f"lib/python*/site-packages/{peer.name}-{peer.version}.dist-info"))


def ask(
    peer: Peer, home: Path, root: Path, questions: Sequence[Question], report: Callable[[int], None]
) -> list[Answer]:
    """Answers in the format of `score.py`; `report` hears how many are done.

    A peer in a fixed version answers the same twice, and slowly: what it said is kept beside it. Troubles are not kept.
    """
    kept = home / f"answers-{peer.name}-{peer.version}.jsonl"
    known = {answer["id"]: answer for answer in map(json.loads, kept.open(encoding="utf-8"))} if kept.exists() else {}
    new = [question for question in questions if question["id"] not in known]
    with kept.open("a", encoding="utf-8") as out:
        for done, answer in enumerate(_ask_all(peer, home, root, new), 1 + len(questions) - len(new)):
            known[answer["id"]] = answer
            if "error" not in answer:
                out.write(json.dumps(answer) + "\n")
                out.flush()
            report(done)
    return [known[question["id"]] for question in questions]


def _ask_all(peer: Peer, home: Path, root: Path, questions: Sequence[Question]) -> Iterator[Answer]:
    """File by file, so that each is opened once."""
    session = _Session(peer, home, root)
    try:
        for question in sorted(questions, key=lambda one: (one["file"], one["pos"])):
            yield session.ask(question)
    finally:
        session.end()


class _Session:
    """A server with the one file that is open in it; started again when it ended or hung."""

    def __init__(self, peer: Peer, home: Path, root: Path) -> None:
        self._peer = peer
        self._home = home
        self._root = root
        self._server: Server | None = None
        self._file = ""
        self._source = b""

    def ask(self, question: Question) -> Answer:
        """The answer with its seconds; a question over which the server fails is not answered, `error` says why."""
        answer: Answer = {"id": question["id"], "answer": None}
        server = self._server or self._start()
        started = time.perf_counter()
        try:
            self._show(server, question["file"])
            line, column = question["pos"]
            before = self._source.split(b"\n")[line - 1][:column].decode("utf-8", "replace")
            answer["answer"] = server.definition(question["file"], line, before, ANSWER_LIMIT)
        except ServerGoneError as trouble:
            answer["error"] = str(trouble)
            self.end()
        except ServerError as trouble:
            answer["error"] = str(trouble)
        return answer | {"t": time.perf_counter() - started}

    def end(self) -> None:
        if self._server:
            self._server.close()
        self._server = None

    def _show(self, server: Server, file: str) -> None:
        if file == self._file:
            return
        if self._file:
            server.forget(self._file)
        self._file, self._source = file, (self._root / file).read_bytes()
        server.open(file, self._source.decode("utf-8", "replace"))

    def _start(self) -> Server:
        command = [part.format(cache=self._home) for part in self._peer.command]
        command[0] = str(self._home / "bin" / command[0])
        # One Python for all of them: the one of their environment.
        path = f"{self._home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "VIRTUAL_ENV": str(self._home)}
        self._server, self._file = Server(command, self._root, environment, self._peer.settings), ""
        self._server.start(START_LIMIT)
        return self._server
