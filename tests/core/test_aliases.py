"""The names of a class, and the files in which they can stand for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from sondage.core.classes.aliases import Called
from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.refs import ClassRef
from sondage.core.classes.world import Mention
from sondage.core.source.extract import extract


def called(files: Mapping[str, str], name: str) -> Called:
    """How the class of a name is called where every file may mention everything."""

    def everywhere(mentions: Iterable[Mention] | None) -> Iterable[str]:
        return files

    hierarchy = Hierarchy.build({path: extract(text.encode()) for path, text in files.items()}, mentions=everywhere)
    ref = hierarchy.find_class(name)
    assert isinstance(ref, ClassRef)
    return hierarchy.members.aliases.of(ref)


@pytest.mark.parametrize(
    "text",
    [
        "from a import Base as Other",
        "import a\nOther = a.Base",
        "import a\nOther = a.Base if a.x else int",
        "import a\nOther = a.x or a.Base",
        "import a\nOther, more = a.Base, 1",
        "import a\nOther = a.Base[int]",
        "import a\nclass Holder:\n    Other = a.Base",
        "import a\nOther = with_metaclass(Meta, a.Base)",
        "import a\ndef make():\n    class Local: ...\n    Local = a.Base\n    return Local\nOther = make()",
        "import a\nFirst = a.Base\nOther = First",
    ],
)
def test_name_that_can_stand_for_the_class_is_one_of_its_names(text: str) -> None:
    assert {"Base", "Other"} <= called({"a.py": "class Base: ...\n", "b.py": text}, "Base").names


@pytest.mark.parametrize(
    "text",
    [
        "import a\nOther = a.Base()",
        "import a\nOther = [a.Base]",
        "import a\nOther = {'x': a.Base}",
        "import a\nOther = build(a.Base)",
        "import a\nOther = a.Base.name",
        "from a import Base\nfrom b import x as Other",
    ],
)
def test_object_of_the_class_or_a_list_of_it_is_no_name_of_it(text: str) -> None:
    assert called({"a.py": "class Base: ...\n", "b.py": text}, "Base").names == {"Base"}


def test_class_made_by_a_call_is_called_as_the_call_is_bound() -> None:
    files = {"a.py": "from collections import namedtuple\nPoint = namedtuple('Spot', 'x y')\nclass Low(Point): ...\n"}
    hierarchy = Hierarchy.build(
        {path: extract(text.encode()) for path, text in files.items()}, mentions=lambda _: files
    )
    low = hierarchy.find_class("Low")
    assert isinstance(low, ClassRef)

    assert "Point" in hierarchy.members.aliases.of(hierarchy.linear(low).order[1]).names
