"""Owns the forms in which lines of a file can be copied: for a reader, for a shell, for Python, for a document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sondage.core.transcripts import shell
from sondage.core.transcripts.markdown import code
from sondage.tui.models.source import Place


def copy_forms(place: Place, lines: Sequence[str], module: str, symbol: str) -> list[tuple[str, str]]:
    """(what it is, the text) for lines of a file; `module` and `symbol` are empty where they are not known."""
    first, last = place.span
    path = f"./{place.path}" if place.path.startswith("-") else place.path
    sed = shell.command(["sed", "-n", f"{first}p" if first == last else f"{first},{last}p", path])
    forms = [("path:line", place.spec), ("text", "\n".join(lines)), ("sed command", sed or "")]
    name = ".".join(filter(None, (module, symbol)))
    forms += [("full name", name), ("import", _import(module, symbol))]
    forms.append(("Markdown", _markdown(place, lines, symbol)))
    return [(what, text) for what, text in forms if text]


def _import(module: str, symbol: str) -> str:
    """How Python gets at it: a member through the class or function at the top of the file."""
    if not module:
        return ""
    top = symbol.partition(".")[0]
    return f"from {module} import {top}" if top else f"import {module}"


def _markdown(place: Place, lines: Sequence[str], symbol: str) -> str:
    """The place on a line of its own and the lines as a block, with a fence longer than any run in them."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    title = " ".join(map(code, filter(None, (place.spec, symbol))))
    return "\n".join([title, "", f"{fence}python", *lines, fence])
