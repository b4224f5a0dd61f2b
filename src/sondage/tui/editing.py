"""Owns opening a file in the user's own editor: a read-only copy in a private folder, at the line, gone when it is closed.

The words of `$VISUAL` or `$EDITOR` are split as a shell would, but no shell runs them; nothing of the host is among them
but the name of the copy, of which only letters, digits and `._-` are kept.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sondage.core.late import late_pattern
from sondage.errors import UsageError

DEFAULT = "vi"
"""POSIX.1-2017 asks for it to be there."""
_PLUS_LINE = frozenset({"vi", "view", "ex", "nano", "pico", "emacs", "emacsclient", "kak", "joe", "jed"})
"""Editors that take `+LINE FILE`."""
_VIM = frozenset({"vim", "nvim", "gvim", "rvim"})
_VIM_OPTIONS = ("-R", "--cmd", "set nomodeline")
"""Modelines are lines of the file that vim would act on: they are the host's, not the user's."""
_LINE_BEHIND = frozenset({"hx", "helix", "subl", "zed", "micro"})
"""Editors that take `FILE:LINE`."""
_GOTO = frozenset({"code", "code-insiders", "codium", "cursor"})
_WAITS = frozenset({*_GOTO, "subl", "zed"})
"""Editors with a window of their own, which have to be told to wait until the file is closed."""
_UNSAFE = late_pattern(r"[^A-Za-z0-9._-]+")
_LONGEST = 100
"""Characters of a file name."""


def editor_of(environment: Mapping[str, str]) -> list[str]:
    """The words of the user's editor. Raises `UsageError` where they cannot be read."""
    written = environment.get("VISUAL") or environment.get("EDITOR") or DEFAULT
    try:
        words = shlex.split(written)
    except ValueError as error:
        raise UsageError("the editor cannot be read", written, f"{error} in $VISUAL or $EDITOR") from None
    if not words:
        raise UsageError("no editor", "", "set $VISUAL or $EDITOR")
    return words


def command_of(words: list[str], file: str, line: int) -> list[str]:
    """The editor's words with the file, at the line where the editor is known."""
    name = Path(words[0]).name.removesuffix(".exe")
    wait = ["--wait"] if name in _WAITS and not {"--wait", "-w"} & set(words) else []
    if name in _GOTO:
        return [*words, *wait, "--goto", f"{file}:{line}"]
    if name in _LINE_BEHIND:
        return [*words, *wait, f"{file}:{line}"]
    if name in _VIM or _is_vim(words[0]):
        return [*words, *_VIM_OPTIONS, f"+{line}", file]
    return [*words, f"+{line}", file] if name in _PLUS_LINE else [*words, file]


def _is_vim(program: str) -> bool:
    """Whether another name, `vi` as a rule, leads to it here: `vi` → `/etc/alternatives/vi` → `vim.basic`."""
    found = shutil.which(program)
    return found is not None and Path(found).resolve().name.partition(".")[0] in _VIM


def safe_name(path: str) -> str:
    """The last part of a path as the name of a file here: never hidden, never an option, never a path."""
    name = _UNSAFE.sub("_", path.rpartition("/")[2])[-_LONGEST:].lstrip("-.")
    return name or "source"


def open_copy(data: bytes, path: str, line: int, environment: Mapping[str, str]) -> None:
    """Runs the editor on a copy and waits until it is closed. Raises `UsageError` where it cannot be run, or fails."""
    words = editor_of(environment)
    with tempfile.TemporaryDirectory(prefix="sondage-read-only-copy-") as folder:
        copy = Path(folder, safe_name(path))
        copy.write_bytes(data)
        copy.chmod(0o400)
        try:
            ended = subprocess.run(command_of(words, str(copy), line), check=False)
        except OSError as error:
            raise UsageError(
                "the editor cannot be run", words[0], f"{error.strerror}; set $VISUAL or $EDITOR"
            ) from None
    if ended.returncode:
        raise UsageError("the editor failed", words[0], f"it ended with {ended.returncode}")
