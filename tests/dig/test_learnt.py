"""What one process has worked out about a tree, and the next makes use of: with the same answers as from the beginning."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest

from dig.conftest import Opening
from sondage.core.answers.classes import MroAnswer
from sondage.core.answers.text import Excerpt
from sondage.core.classes import settled
from sondage.dig import Dig, SearchQuery
from sondage.dig.sources import KeptSource, LostSourceError
from sondage.errors import TransferError
from support.memory_host import MemoryHost

MANY = {b"pkg/part%03d.py" % number: b"class Part%d:\n    def go(self): ...\n" % number for number in range(60)}


def sources_read(dig: Dig) -> set[str]:
    """The paths whose bytes are here."""
    files = dig._state.index.files
    return {path for path, file in files.items() if not isinstance(file, KeptSource) or file.is_here}


async def known(opening: Opening, host: MemoryHost) -> None:
    """The tree was indexed, and the process has ended."""
    host.files.update(MANY)
    dig = await opening()
    await dig.refresh()
    await dig.aclose()
    host.asked.clear()


def damage(source: bytes, tmp_path: Path) -> None:
    """What only a failing disk, or somebody else, can do to the cache."""
    with sqlite3.connect(next(tmp_path.glob("cache/**/*.sqlite3"))) as db:
        db.execute("UPDATE sources SET packed = x'00' WHERE digest = ?", (hashlib.sha256(source).digest(),))


async def test_question_about_a_known_tree_reads_the_sources_on_its_way_alone(
    opening: Opening, host: MemoryHost
) -> None:
    await known(opening, host)
    dig = await opening()
    await dig.look()

    answer = await dig.mro("Model", members=True)

    assert isinstance(answer, MroAnswer)
    assert [step.class_ for step in answer.order] == ["pkg.model.Model", "pkg.base.Base", "object"]
    assert sources_read(dig) <= {"pkg/base.py", "pkg/model.py", "pkg/wrap.py"}
    assert host.asked == []


async def test_layout_of_a_known_tree_is_not_worked_out_again(
    opening: Opening, host: MemoryHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    await known(opening, host)
    monkeypatch.delattr(settled, "settled_layout")
    dig = await opening()

    await dig.look()

    assert dig.module_of("pkg/model.py") == "pkg.model"


async def test_what_changed_since_is_part_of_the_answer(opening: Opening, host: MemoryHost) -> None:
    await known(opening, host)
    host.write({b"pkg/base.py": b"class Base:\n    def late(self): ...\n", b"pkg/new.py": b"class New: ...\n"})
    del host.files[b"pkg/part007.py"]
    looked, refreshed = await opening(), await opening()

    await looked.look()
    answers = [await looked.locate("Model", ["load", "late"]), await looked.mro("New"), await looked.mro("Part7")]
    await refreshed.refresh()

    assert host.asked == [b"pkg/base.py", b"pkg/new.py"]
    assert answers == [
        await refreshed.locate("Model", ["load", "late"]),
        await refreshed.mro("New"),
        await refreshed.mro("Part7"),
    ]


async def test_file_that_moves_to_another_root_bears_another_name(opening: Opening, host: MemoryHost) -> None:
    await known(opening, host)
    host.files = {b"src/" + path: data for path, data in host.files.items()}
    dig = await opening()

    await dig.look()

    assert dig.module_of("src/pkg/model.py") == "pkg.model"


async def test_known_tree_is_searched_as_a_new_one(opening: Opening, host: MemoryHost) -> None:
    host.files.update(MANY)
    new = await opening()
    await new.look()
    found = await new.search(SearchQuery("Part1[0-9]"))
    await new.aclose()
    await known(opening, host)
    dig = await opening()
    await dig.look()

    assert await dig.search(SearchQuery("Part1[0-9]")) == found


async def test_source_that_the_cache_has_lost_is_fetched_again(
    opening: Opening, host: MemoryHost, tmp_path: Path
) -> None:
    await known(opening, host)
    dig = await opening()
    await dig.look()
    damage(host.files[b"pkg/model.py"], tmp_path)

    answer = await dig.mro("Model")

    assert isinstance(answer, MroAnswer) and answer.complete
    assert b"pkg/model.py" in host.asked
    await dig.aclose()
    offline = await opening(offline=True)
    await offline.look()
    assert await offline.mro("Model") == answer


async def test_source_that_the_cache_has_lost_is_missed_aloud_where_the_host_is_not_asked(
    opening: Opening, host: MemoryHost, tmp_path: Path
) -> None:
    await known(opening, host)
    dig = await opening(offline=True)
    await dig.look()
    damage(host.files[b"pkg/model.py"], tmp_path)

    with pytest.raises(LostSourceError, match="not in the cache any more"):
        await dig.mro("Model")


async def test_what_a_broken_refresh_had_brought_is_known_from_then_on(opening: Opening, host: MemoryHost) -> None:
    await known(opening, host)
    before = dict(host.files)
    host.write({b"pkg/base.py": b"class Base:\n    def late(self): ...\n", b"pkg/part007.py": b"class Other: ...\n"})
    host.batch, host.breaks_after = 1, 1
    dig = await opening()
    with pytest.raises(TransferError):
        await dig.look()
    host.breaks_after = None
    host.files[b"pkg/part007.py"] = before[b"pkg/part007.py"]
    del host.changed[b"pkg/part007.py"]

    await (await opening()).look()
    offline = await opening(offline=True)
    await offline.look()

    assert host.asked == [b"pkg/base.py"]
    assert isinstance(await offline.show("pkg.base.Base.late"), Excerpt)


async def test_layout_that_took_all_facts_is_kept_too(
    opening: Opening, host: MemoryHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settled, "settled_layout", lambda *_: None)
    whole, later = await opening(), await opening()
    await whole.look()
    assert whole._state.index.shelf is None

    await later.look()

    assert later._state.index.shelf is not None
    assert await later.mro("Model", members=True) == await whole.mro("Model", members=True)


async def test_changed_import_can_change_the_names_of_modules(
    opening: Opening, host: MemoryHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.files = {b"code/a/b.py": b"", b"code/a/c.py": b"", b"m.py": b"x = 1\n"}
    first = await opening()
    await first.refresh()
    assert first.module_of("code/a/b.py") == "code.a.b"
    await first.aclose()
    host.write({b"m.py": b"import a.b\nfrom a.c import x\n"})
    monkeypatch.delattr(settled, "settled_layout")
    looked, refreshed = await opening(), await opening()

    await looked.look()
    await refreshed.refresh()

    assert looked._state.index.shelf is not None
    assert looked.module_of("code/a/b.py") == refreshed.module_of("code/a/b.py") == "a.b"
