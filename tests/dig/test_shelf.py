"""Questions to an index that reads facts when it is led to them: answered as by the index of them all, or not at all."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from textwrap import dedent
from typing import Any

import pytest

from sondage.core.answers.certainty import Candidates
from sondage.dig import questions
from sondage.dig.index import Index
from sondage.dig.shelf import Shelf, TooMuchError
from support.lazily import lazy_index, sources, whole_index
from support.story import require_sglang

CALL = re.compile(rb"\b(\w+)\(")

TREES = {
    "put on from outside under another name": {
        "a.py": "class Base:\n    def go(self): ...\n",
        "b.py": "from a import Base as Other\nOther.stop = lambda self: None\n",
        "c.py": "import a\ndef later():\n    a.Base.go = 1\nsetattr(a.Base, 'wait', 2)\n",
        "d.py": "from a import Base\nclass Model(Base):\n    def run(self):\n        self.stop()\n        self.go()\n",
    },
    "handed on by a package and its stars": {
        "p/__init__.py": "from .inner import *\nfrom p.deep.part import Hidden as Shown\n",
        "p/inner.py": "__all__ = ['Open']\nclass Open:\n    def go(self): ...\nclass Closed: ...\n",
        "p/deep/__init__.py": "",
        "p/deep/part.py": "class Hidden:\n    def go(self): ...\n",
        "m.py": "from p import *\nfrom p import Shown\nclass One(Open, Shown):\n    def run(self):\n        self.go()\n",
        "n.py": "import p\nclass Two(p.Open): ...\np.Open.late = 1\n",
    },
    "defined under conditions": {
        "a.py": "try:\n    from fast import Base\nexcept ImportError:\n    from slow import Base\n",
        "slow.py": "import sys\nif sys.version_info > (3,):\n  class Base:\n    def go(self): ...\nelse:\n  class Base: ...\n",
        "fast.py": "import missing\nclass Base:\n    def stop(self): ...\n",
        "m.py": "from a import Base\nclass Model(Base):\n    def run(self):\n        return self.go()\n",
    },
    "another name by assignment, made by a function, with bases given anew": {
        "a.py": "class Base:\n  def go(self): ...\ndef make():\n  class Local(Base):\n    def on(self): ...\n  return Local\n",
        "b.py": "import a\nAlias = a.Base\nMade = a.make()\nfirst, second = a.Base, int\n",
        "c.py": "from b import Alias as Re, Made, first\nclass Low(Re): ...\nclass Lower(Made): ...\nclass Third(first): ...\n",
        "d.py": "from c import Low\nclass New: ...\nRenamed = 1\n",
        "e.py": "from c import Lower\nfrom d import New\nLower.__bases__ = (New,)\nfrom b import Made\nMade.extra = 1\n",
    },
    "one name for many things": {
        "a.py": "class X:\n    def go(self): ...\nEntry = X\n",
        "b.py": "class X:\n    def go(self): ...\nEntry = X\n",
        "c.py": "from a import Entry\nclass Low(Entry):\n    def run(self):\n        self.go()\n",
        "d.py": "import b\nb.Entry.patched = 1\ndef f(x: b.X):\n    x.go()\n    x.patched\n",
    },
    "names that are no plain bytes": {
        "a.py": "class Caf\u00e9:\n    def \ufb01nd(self): ...\n",
        "b.py": "from a import Caf\u00e9\nclass Low(Caf\u00e9):\n    def run(self):\n        self.find()\nLow.\ufb01x = 1\n",
        "c.py": "from b import Low\nsetattr(Low, 'lo' 'ad', 1)\nsetattr(Low, 's\\x61ve', 1)\n",
    },
    "a module that renames itself": {
        "a.py": "__name__ = 'other.name'\nclass Base:\n    def go(self): ...\n",
        "b.py": "from a import Base\nclass Low(Base):\n    def run(self): self.go()\n",
    },
}


def asked(index: Index, files: Mapping[str, bytes]) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Every question about every class, member and call."""
    for ref in index.hierarchy.classes():
        last = ref.name.rpartition(".")[2]
        yield "mro", questions.mro, (ref.name, True)
        yield "mro by its last name", questions.mro, (last, False)
        yield "subclasses", questions.subclasses, (ref.name,)
        for member in index.hierarchy.own_members(ref):
            yield "locate", questions.locate, (ref.name, [member, "nowhere"])
            yield "show", questions.show, (f"{last}.{member}",)
            yield "overrides", questions.overrides, (f"{ref.name}.{member}",)
    for path, data in files.items():
        for call in CALL.finditer(data):
            line = data.count(b"\n", 0, call.start()) + 1
            column = call.start() - data.rfind(b"\n", 0, call.start())
            yield "jump", questions.jump, (path, line, column)


@pytest.mark.parametrize("name", TREES)
def test_each_answer_is_that_of_all_facts(name: str) -> None:
    files = {path: dedent(text).encode() for path, text in TREES[name].items()}
    whole = whole_index(files)
    for kind, question, arguments in asked(whole, files):
        lazy = lazy_index(files)
        assert lazy is not None
        assert question(lazy, *arguments) == question(whole_index(files), *arguments), (kind, arguments)


def test_few_files_are_read_for_a_question_about_a_few_classes() -> None:
    files = {f"part{number}.py": b"class Part%d:\n    def go(self): ...\n" % number for number in range(100)}
    files["m.py"] = b"from part7 import Part7\nclass Model(Part7): ...\n"
    index = lazy_index(files)
    assert index is not None
    assert index.shelf is not None

    answer = questions.mro(index, "Model", True)

    assert not isinstance(answer, Candidates)
    assert [step.class_ for step in answer.order] == ["m.Model", "part7.Part7", "object"]
    assert set(index.shelf.fresh) == {"m.py", "part7.py"}


def test_question_that_needs_too_many_files_is_not_answered() -> None:
    files = {f"part{number}.py": b"class Part%d:\n    def go(self): ...\n" % number for number in range(100)}
    index = lazy_index(files)
    assert index is not None
    assert index.shelf is not None
    index.shelf.allowance = 1000

    with pytest.raises(TooMuchError):
        questions.subclasses(index, "object")
    assert index.shelf.fresh == {}


def test_facts_that_are_known_are_not_worked_out_again() -> None:
    files = sources({"a.py": b"class Base: ...\n"})
    first = Shelf(files, {}, lambda digests: {})
    assert first["a.py"].scopes[1].name == "Base"
    known = {files["a.py"].digest: first.take_fresh()["a.py"]}

    second = Shelf(files, {}, lambda digests: {digest: known[digest] for digest in digests if digest in known})

    assert second["a.py"] == first["a.py"]
    assert second.fresh == {}


# ------------------------------------------------------------------ a real tree


def compare(part: str, count: int, seed: int) -> dict[str, int]:
    """A sample of the questions about a part of SGLang. Returns how many were answered, by kind."""
    folder = require_sglang()
    files = {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.glob(f"{part}/**/*.py"))}
    whole, lazy = whole_index(files), lazy_index(files)
    assert lazy is not None
    chance = random.Random(seed)
    answered: dict[str, int] = {}
    for ref in chance.sample(list(whole.hierarchy.classes()), count):
        member = chance.choice([*whole.hierarchy.own_members(ref), "forward"])
        path, call = ref.path, chance.choice([*CALL.finditer(files[ref.path])])
        place = files[path].count(b"\n", 0, call.start()) + 1, call.start() - files[path].rfind(b"\n", 0, call.start())
        for kind, question, arguments in (
            ("mro", questions.mro, (ref.name, True)),
            ("locate", questions.locate, (ref.name, [member])),
            ("subclasses", questions.subclasses, (ref.name,)),
            ("show", questions.show, (f"{ref.name}.{member}",)),
            ("jump", questions.jump, (path, *place)),
        ):
            assert lazy.shelf is not None
            lazy.shelf.allowance = 2_000_000
            try:
                answer = question(lazy, *arguments)
            except TooMuchError:
                lazy = lazy_index(files)  # what was broken off may have left half of its work behind
                assert lazy is not None
                continue
            answered[kind] = answered.get(kind, 0) + 1
            assert answer == question(whole, *arguments), (kind, arguments)
    return answered


def test_sample_of_sglang_is_answered_as_by_all_facts() -> None:
    assert min(compare("sglang/srt/models", 10, 1).values()) > 2


@pytest.mark.long
def test_large_sample_of_sglang_is_answered_as_by_all_facts() -> None:
    assert min(compare("sglang/srt", 300, 2).values()) > 100
