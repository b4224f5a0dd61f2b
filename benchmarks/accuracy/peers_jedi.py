"""Owns a minimal language server around jedi's own `goto`, so that one client can ask every peer.

Run by the Python that jedi is installed for: `python peers_jedi.py CACHE_FOLDER`. Columns are code points (utf-32).
"""

from __future__ import annotations

import sys
import urllib.parse
from pathlib import Path
from typing import Any

import jedi
from peers_lsp import read_message, write_message


class Jedi:
    """Open files by their path; nothing else is remembered."""

    def __init__(self) -> None:
        self._project: jedi.Project | None = None
        self._open: dict[Path, jedi.Script] = {}

    def answer(self, method: str, params: dict[str, Any]) -> Any:
        if method == "initialize":
            root = _path(params["rootUri"])
            self._project = jedi.Project(root, added_sys_path=[str(root)], smart_sys_path=False)
            return {"capabilities": {"positionEncoding": "utf-32"}}
        if method == "textDocument/didOpen":
            item = params["textDocument"]
            path = _path(item["uri"])
            self._open[path] = jedi.Script(item["text"], path=path, project=self._project)
        elif method == "textDocument/didClose":
            self._open.pop(_path(params["textDocument"]["uri"]), None)
        elif method == "textDocument/definition":
            return self._definition(_path(params["textDocument"]["uri"]), **params["position"])
        return None

    def _definition(self, path: Path, line: int, character: int) -> list[dict[str, Any]]:
        names = self._open[path].goto(line + 1, character, follow_imports=True, follow_builtin_imports=True)
        return [
            {"uri": name.module_path.as_uri(), "range": {"start": {"line": name.line - 1, "character": name.column}}}
            for name in names
            if name.module_path and name.line
        ]


def _path(uri: str) -> Path:
    return Path(urllib.parse.unquote(urllib.parse.urlsplit(uri).path))


def main() -> None:
    jedi.settings.cache_directory = sys.argv[1]
    server = Jedi()
    while message := read_message(sys.stdin.buffer):
        if message["method"] == "exit":
            return
        reply: dict[str, Any] = {"id": message.get("id")}
        try:
            reply["result"] = server.answer(message["method"], message.get("params") or {})
        except Exception as error:  # whatever jedi raises over one question is the answer to that question
            reply["error"] = {"code": 1, "message": f"{type(error).__name__}: {error}"}
        if "id" in message:
            write_message(sys.stdout.buffer, reply)


if __name__ == "__main__":
    main()
