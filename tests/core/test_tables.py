"""Tables that are filled as far as they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sondage.core.classes.modules import infer_layout
from sondage.core.classes.tables import Table
from sondage.core.classes.world import Mention, World
from sondage.core.source.extract import extract

FILES = {f"{name}.py": extract(f"class {name.upper()}: ...\nclass Both: ...\n".encode()) for name in "cab"}


def table(world: World, read: list[str]) -> Table[str, str]:
    def rows(path: str) -> Iterator[tuple[str, str]]:
        read.append(path)
        for scope in world.facts(path).scopes[1:]:
            yield scope.name, path

    return Table(world, rows)


def mentions(names: Iterable[Mention] | None) -> list[str]:
    return list(FILES) if names is None else [path for path in FILES if "Both" in names or path[0].upper() in names]


def test_without_mentions_all_files_are_read_once() -> None:
    read: list[str] = []
    found = table(World(FILES, infer_layout(list(FILES), FILES)), read)

    assert list(found.get("Both", ())) == ["a.py", "b.py", "c.py"]
    assert list(found.get("A", ())) == ["a.py"]
    assert read == ["a.py", "b.py", "c.py"]


def test_files_that_do_not_mention_a_name_are_not_read_for_it() -> None:
    read: list[str] = []
    found = table(World(FILES, infer_layout(list(FILES), FILES), mentions=mentions), read)

    assert list(found.get("B", ("B",))) == ["b.py"]
    assert read == ["b.py"]


def test_rows_are_in_the_order_of_files_in_whatever_order_these_were_read() -> None:
    read: list[str] = []
    found = table(World(FILES, infer_layout(list(FILES), FILES), mentions=mentions), read)
    found.get("C", ("C",))

    assert list(found.get("Both", ("Both",))) == ["a.py", "b.py", "c.py"]
    assert read == ["c.py", "a.py", "b.py"]
    assert found.all().keys() == {"A", "B", "C", "Both"}
