"""Small trees in memory: a code base from a few sources, and jumps whose expectations stand in the sources as comments.

A line `x.go()  #: Engine.go` expects that the last call before the mark reaches exactly `Engine.go`; several targets
are separated by commas, nothing after the mark means that no answer is right. `#!` expects the one answer to be proved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent

from sondage.core.answers.calls import Resolution
from sondage.core.classes.codebase import Codebase, Pin
from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.modules import infer_layout
from sondage.core.inference.calls import resolve
from sondage.core.source.extract import extract
from sondage.core.source.text import SourceText

_MARK = re.compile(r"#([:!]) ?(.*)$")
_CALLED = re.compile(r"(\w+)\s*\(")


def codebase(files: Mapping[str, str], pins: tuple[Pin, ...] = ()) -> Codebase:
    """A code base of these files (path → source)."""
    data = {path: dedent(source).encode() for path, source in files.items()}
    facts = {path: extract(content) for path, content in data.items()}
    hierarchy = Hierarchy.build(facts, infer_layout(list(data), facts, {}))

    def paths_with_word(word: str) -> list[str]:
        return [path for path, content in data.items() if re.search(rb"\b%s\b" % word.encode(), content)]

    return Codebase(hierarchy, lambda path: SourceText(data[path]) if path in data else None, paths_with_word, pins)


def jump(code: Codebase, path: str, line: int, name: str) -> Resolution:
    """The jump from the last call of a name on a line."""
    text = code.text_of(path)
    assert text is not None
    written = text.line(line).partition("#")[0]
    places = [match.start() for match in re.finditer(rf"\b{name}\b", written)]
    return resolve(code, path, line, places[-1] + 1)


def marked(code: Codebase, path: str) -> Iterator[tuple[int, str, str, str]]:
    """Line, called name, mark and expectation of each marked line."""
    text = code.text_of(path)
    assert text is not None
    for number, line in enumerate(text.lines, start=1):
        mark = _MARK.search(line)
        if mark:
            yield number, _CALLED.findall(line[: mark.start()])[-1], mark[1], mark[2].strip()


def check(files: Mapping[str, str] | str, pins: tuple[Pin, ...] = ()) -> None:
    """Every marked line of every file is answered as it says."""
    code = codebase({"app.py": files} if isinstance(files, str) else files, pins)
    count = 0
    for path in code.hierarchy.files():
        for number, name, mark, expected in marked(code, path):
            count += 1
            found = jump(code, path, number, name)
            names = [_short(answer.owner, answer.name) for answer in found.answers]
            assert names == [one.strip() for one in expected.split(",") if one.strip()], (number, name, found)
            if mark == "!":
                assert [answer.certainty for answer in found.answers] == ["proved"], (number, name, found)
    assert count, "no line is marked"


def _short(owner: str, name: str) -> str:
    """`Engine.go` for a method, `go` for a function: modules are written in small letters here."""
    last = owner.rpartition(".")[2]
    return f"{last}.{name}" if last[:1].isupper() else name
