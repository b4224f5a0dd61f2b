"""The part of the SGLang wheel that serves models, read once for all tests of a process."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.modules import infer_layout
from sondage.core.classes.refs import ClassRef
from sondage.core.classes.world import Library
from sondage.core.source.extract import extract
from sondage.core.source.facts import FileFacts
from sondage.core.source.text import SourceText
from support.story import require_sglang

ABC = Path(__import__("abc").__file__)
"""The one module of the standard library that nearly every chain leads to."""


def sglang() -> Codebase:
    """`sglang/srt` of the wheel, with `abc` beside it. Skips the test where the wheel cannot be had."""
    return _read(require_sglang())


@lru_cache(maxsize=2)
def _read(folder: Path) -> Codebase:
    data = {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.glob("sglang/srt/**/*.py"))}
    facts: dict[str, FileFacts] = {path: extract(content) for path, content in data.items()}
    library = Library(path=str(ABC), module="abc", facts=extract(ABC.read_bytes()))
    hierarchy = Hierarchy.build(facts, infer_layout(list(data), facts, {}), (library,))
    data[str(ABC)] = ABC.read_bytes()
    words: dict[str, list[str]] = {}

    def paths_with_word(word: str) -> list[str]:
        if word not in words:
            raw = word.encode()
            found = [path for path in facts if raw in data[path]]
            words[word] = [path for path in found if re.search(rb"\b%s\b" % re.escape(raw), data[path])]
        return words[word]

    @lru_cache(maxsize=400)
    def text_of(path: str) -> SourceText | None:
        return SourceText(data[path]) if path in data else None

    return Codebase(hierarchy, text_of, paths_with_word)


def class_of(code: Codebase, name: str) -> ClassRef:
    found = code.hierarchy.find_class(name)
    assert isinstance(found, ClassRef), found
    return found
