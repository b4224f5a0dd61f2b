"""Owns a small language client: one server behind a pipe, asked where the name at a position is defined."""

from __future__ import annotations

import itertools
import json
import queue
import subprocess
import threading
import time
import urllib.parse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

Message = dict[str, Any]

METHOD_NOT_FOUND = -32601
"""JSON-RPC 2.0, section 5.1."""
PLEASE_ASK_AGAIN = {-32801, -32802}
"""LSP 3.17, ErrorCodes: ContentModified and ServerCancelled."""
ATTEMPTS = 3

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]},
    "textDocument": {"definition": {"linkSupport": True}, "synchronization": {}},
    "window": {"workDoneProgress": True},
    "workspace": {"configuration": True, "workspaceFolders": True},
}


class ServerError(Exception):
    """The server said that it cannot answer."""


class ServerGoneError(ServerError):
    """The server ended, or gave no answer within the time that it had: it has to be started again."""


class Server:
    """A running server. Positions go in as lines from 1 and byte columns from 0; places come out with lines from 1."""

    def __init__(self, command: Sequence[str], root: Path, env: Mapping[str, str], settings: Message) -> None:
        self._root = root
        self._settings = settings
        self._process = subprocess.Popen(
            command, cwd=root, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdin and self._process.stdout
        self._stdin = self._process.stdin
        self._inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        threading.Thread(target=_read_all, args=(self._process.stdout, self._inbox), daemon=True).start()
        self._numbers = itertools.count(1)
        self._working: set[str | int] = set()
        self._encoding = "utf-16"

    # ------------------------------------------------------------------ life

    def start(self, limit: float) -> None:
        """Greets the server and waits, at most `limit` seconds, until it reports no work any more."""
        self.greet(limit)
        self._settle(quiet=3, limit=limit)

    def greet(self, limit: float) -> None:
        """As `start`, without the wait for it to come to rest."""
        answer = self._request(
            "initialize",
            {
                "processId": None,
                "rootUri": self._root.as_uri(),
                "workspaceFolders": self._folders(),
                "capabilities": CAPABILITIES,
                "initializationOptions": self._settings,
            },
            limit,
        )
        self._encoding = answer["capabilities"].get("positionEncoding", "utf-16")
        self._notify("initialized", {})

    def close(self) -> None:
        """Takes leave; a server that does not go within five seconds is ended."""
        try:
            self._request("shutdown", None, 5)
            self._notify("exit", None)
            self._process.wait(5)
        except (ServerError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()

    # ------------------------------------------------------------------ questions

    def open(self, path: str, text: str) -> None:
        """Shows the server a file, `path` relative to the root."""
        item = {"uri": self._uri(path), "languageId": "python", "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": item})

    def forget(self, path: str) -> None:
        self._notify("textDocument/didClose", {"textDocument": {"uri": self._uri(path)}})

    def definition(self, path: str, line: int, before: str, limit: float) -> list[Message]:
        """`[{"file", "line"}, …]` for the name behind the text `before` of a line. Raises `ServerError`."""
        question = {
            "textDocument": {"uri": self._uri(path)},
            "position": {"line": line - 1, "character": self._width(before)},
        }
        found = self._request("textDocument/definition", question, limit) or []
        places = [_place(one) for one in (found if isinstance(found, list) else [found])]
        return [place for index, place in enumerate(places) if place not in places[:index]]

    def _width(self, text: str) -> int:
        if self._encoding == "utf-8":
            return len(text.encode())
        return len(text) if self._encoding == "utf-32" else len(text.encode("utf-16-le")) // 2

    def _uri(self, path: str) -> str:
        return (self._root / path).as_uri()

    def _folders(self) -> list[Message]:
        return [{"uri": self._root.as_uri(), "name": self._root.name}]

    # ------------------------------------------------------------------ messages

    def _request(self, method: str, params: Any, limit: float) -> Any:
        deadline = time.monotonic() + limit
        for _ in range(ATTEMPTS):
            answer = self._exchange(method, params, deadline)
            error = answer.get("error")
            if not error:
                return answer.get("result")
            if error.get("code") not in PLEASE_ASK_AGAIN:
                break
        raise ServerError(str(error.get("message", "")).partition("\n")[0])

    def _exchange(self, method: str, params: Any, deadline: float) -> Message:
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        while time.monotonic() < deadline:
            message = self._next(deadline)
            if message and message.get("id") == number and "method" not in message:
                return message
        self._notify("$/cancelRequest", {"id": number})
        raise ServerGoneError("no answer in time")

    def _settle(self, quiet: float, limit: float) -> None:
        """Until nothing was said for `quiet` seconds and no work is under way, or `limit` seconds have passed."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            if self._next(time.monotonic() + quiet) is None and not self._working:
                return

    def _next(self, deadline: float) -> Message | None:
        """The next message, its own questions answered; None when there is none before the deadline."""
        try:
            message = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None
        if message is None:
            raise ServerGoneError("the server ended")
        if message.get("method") == "$/progress":
            self._note_progress(message["params"])
        elif "method" in message and "id" in message:
            self._reply(message)
        return message

    def _note_progress(self, params: Message) -> None:
        kind = params["value"].get("kind") if isinstance(params.get("value"), dict) else None
        if kind == "begin":
            self._working.add(params["token"])
        elif kind == "end":
            self._working.discard(params["token"])

    def _reply(self, message: Message) -> None:
        method, params = message["method"], message.get("params") or {}
        reply: Message = {"id": message["id"]}
        if method == "workspace/configuration":
            reply["result"] = [self._section(item.get("section") or "") for item in params["items"]]
        elif method == "workspace/workspaceFolders":
            reply["result"] = self._folders()
        elif method in {"window/workDoneProgress/create", "client/registerCapability", "client/unregisterCapability"}:
            reply["result"] = None
        else:
            reply["error"] = {"code": METHOD_NOT_FOUND, "message": method}
        self._send(reply)

    def _section(self, name: str) -> Any:
        value: Any = self._settings
        for part in filter(None, name.split(".")):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def _notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: Message) -> None:
        try:
            write_message(self._stdin, message)
        except OSError as error:
            raise ServerGoneError("the server ended") from error


def write_message(stream: IO[bytes], message: Message) -> None:
    """Writes one message with its header (LSP 3.17, Base Protocol)."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    stream.flush()


def read_message(stream: IO[bytes]) -> Message | None:
    """Reads one message; None at the end of the stream."""
    size = 0
    for line in iter(stream.readline, b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
        elif not line.strip() and size:
            body = stream.read(size)
            return json.loads(body) if len(body) == size else None
    return None


def _read_all(stream: IO[bytes], inbox: queue.SimpleQueue[Message | None]) -> None:
    while (message := read_message(stream)) is not None:
        inbox.put(message)
    inbox.put(None)


def _place(found: Message) -> Message:
    """A Location or a LocationLink as file and line (of the name, where the server tells it from the whole)."""
    uri = found.get("uri") or found["targetUri"]
    where = found.get("range") or found.get("targetSelectionRange") or found["targetRange"]
    parts = urllib.parse.urlsplit(uri)
    file = urllib.parse.unquote(parts.path) if parts.scheme == "file" else uri
    return {"file": file, "line": where["start"]["line"] + 1}
