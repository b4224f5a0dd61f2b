"""Answers before everything is parsed: the sources are here, and facts are worked out where a question leads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from dig.conftest import Opening
from sondage.core.answers.classes import MroAnswer
from sondage.core.answers.contracts import LocateAnswer
from sondage.dig import SearchQuery, Settings, open_dig, pipeline, shelf
from sondage.errors import HostError
from sondage.hosts.base import Target
from sondage.worker import encoded_facts
from support.memory_host import MemoryHost

MANY = {b"pkg/part%03d.py" % number: b"class Part%d:\n    def go(self): ...\n" % number for number in range(60)}


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Parsing beside the transfer waits for it."""
    event = threading.Event()

    def waiting(sources: Sequence[bytes]) -> list[bytes]:
        event.wait(30)
        return encoded_facts(sources)

    monkeypatch.setattr("sondage.worker.encoded_facts", waiting)
    monkeypatch.setattr(pipeline, "SMALL", 0)
    yield event
    event.set()


async def test_question_after_a_look_is_answered_as_after_a_refresh(opening: Opening, host: MemoryHost) -> None:
    host.files.update(MANY)
    looked, refreshed = await opening(), await opening()

    await looked.look()
    await refreshed.refresh()

    assert looked.coverage.whole
    for ask in (lambda dig: dig.mro("Model", members=True), lambda dig: dig.locate("Model", ["load", "nowhere"])):
        assert await ask(looked) == await ask(refreshed)
    assert await looked.jump("pkg/model.py", 6, 21) == await refreshed.jump("pkg/model.py", 6, 21)


async def test_what_a_question_had_parsed_is_not_parsed_again(opening: Opening, host: MemoryHost) -> None:
    host.files.update(MANY)
    first = await opening()
    await first.look()
    assert isinstance(await first.mro("Model"), MroAnswer)
    await first.aclose()

    summary = await (await opening()).refresh()

    assert summary.complete
    assert 0 < summary.parsed < summary.files == 65


async def test_search_that_does_not_say_what_hits_stand_in_parses_nothing(
    opening: Opening, host: MemoryHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.files.update(MANY)
    dig = await opening()
    await dig.look()
    with monkeypatch.context() as patched:
        patched.delattr(shelf.Shelf, "_parsed")
        few = await dig.search(SearchQuery("def go", symbols=False))
    whole = await dig.search(SearchQuery("def go"))

    assert [replace(hit, symbol="") for hit in whole.hits] == list(few.hits)
    assert few.total == whole.total == 60
    assert whole.hits[0].symbol == "Part0.go"


async def test_sources_that_a_look_brought_are_not_fetched_again(opening: Opening, host: MemoryHost) -> None:
    await (await opening()).look()
    host.asked.clear()

    summary = await (await opening()).refresh()

    assert host.asked == []
    assert summary.complete and summary.parsed == 5


async def test_question_that_takes_too_many_files_waits_for_them_all(
    opening: Opening, host: MemoryHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "ALLOWANCE", 300)
    host.files.update(MANY)
    dig = await opening()
    await dig.look()

    rows = await dig.classes()

    assert len(rows) == 63
    assert dig.coverage.whole


async def test_local_root_is_read_from_its_disk_and_no_copy_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text("class Base: ...\n")
    (root / "b.py").write_text("from a import Base\nclass Model(Base): ...\n")
    first = await open_dig(Target(str(root)), Settings())
    await first.look()
    assert isinstance(await first.mro("Model"), MroAnswer)
    await first.aclose()
    (root / "a.py").write_text("class Other: ...\nclass Base(Other): ...\n")

    again = await open_dig(Target(str(root)), Settings())
    await again.look()
    answer = await again.mro("Model")
    await again.aclose()

    assert isinstance(answer, MroAnswer)
    assert [step.class_ for step in answer.order] == ["b.Model", "a.Base", "a.Other", "object"]
    offline = await open_dig(Target(str(root)), Settings(offline=True))
    looked = await offline.look()
    await offline.aclose()
    assert looked.files == 0


async def test_app_is_answered_while_nothing_is_parsed_yet(
    opening: Opening, host: MemoryHost, release: threading.Event
) -> None:
    host.files.update(MANY)
    dig = await opening(engine="threads")
    pulled = asyncio.Event()
    dig.listen(lambda: pulled.set() if dig.coverage.files_seen == 65 else None)
    refreshing = asyncio.ensure_future(dig.refresh())
    await pulled.wait()

    found = await dig.locate("Model", ["load"])

    assert not refreshing.done()
    assert isinstance(found, LocateAnswer)
    assert (found.verdicts[0].verdict, found.verdicts[0].certainty) == ("inherited", "proved")
    release.set()
    assert (await refreshing).complete
    assert await dig.locate("Model", ["load"]) == found


async def test_app_is_told_how_little_a_large_question_rests_on(
    opening: Opening, host: MemoryHost, release: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "ALLOWANCE", 500)
    host.files.update(MANY)
    dig = await opening(engine="threads")
    pulled = asyncio.Event()
    dig.listen(lambda: pulled.set() if dig.coverage.files_seen == 65 else None)
    refreshing = asyncio.ensure_future(dig.refresh())
    await pulled.wait()

    few = await dig.classes()

    assert not refreshing.done()
    assert len(few) < 63
    assert not dig.coverage.whole
    release.set()
    await refreshing
    assert len(await dig.classes()) == 63


async def test_refresh_that_ends_while_parsing_is_completed_by_the_next(
    opening: Opening, host: MemoryHost, release: threading.Event
) -> None:
    host.files.update(MANY)
    dig = await opening(engine="threads")
    pulled = asyncio.Event()
    dig.listen(lambda: pulled.set() if dig.coverage.files_seen == 65 else None)
    refreshing = asyncio.ensure_future(dig.refresh())
    await pulled.wait()
    refreshing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await refreshing
    release.set()
    host.asked.clear()

    summary = await (await opening(engine="threads")).refresh()

    assert summary.complete and summary.files == 65
    assert host.asked == []


async def test_look_that_breaks_off_raises_and_the_next_fetches_the_rest(opening: Opening, host: MemoryHost) -> None:
    host.breaks_after = 1
    with pytest.raises(HostError):
        await (await opening()).look()
    host.breaks_after = None
    host.asked.clear()

    looked = await (await opening()).look()

    assert looked.complete and looked.files == 5
    assert len(host.asked) == 3


async def test_file_that_cannot_be_read_is_named_after_a_look(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await host.lose(b"pkg/more.py")

    assert (await dig.look()).unreadable == ("pkg/more.py: no longer there",)
