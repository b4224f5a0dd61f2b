"""What a refresh keeps, fetches again, and shows when it breaks off."""

from __future__ import annotations

import asyncio

import pytest

from sondage.config import paths
from sondage.core.answers.classes import MroAnswer
from sondage.core.answers.contracts import LocateAnswer
from sondage.core.answers.index import Progress
from sondage.errors import TransferError
from support.memory_host import MemoryHost

from .conftest import TREE, Opening


async def test_first_refresh_reads_and_parses_every_file(opening: Opening) -> None:
    dig = await opening()

    summary = await dig.refresh()

    assert (summary.files, summary.parsed, summary.reused, summary.complete) == (5, 5, 0, True)
    assert (summary.classes, summary.functions) == (3, 5)
    assert dig.files() == sorted(path.decode() for path in TREE)


async def test_second_opening_of_an_unchanged_tree_fetches_and_parses_nothing(
    opening: Opening, host: MemoryHost
) -> None:
    await (await opening()).refresh()
    host.asked.clear()

    dig = await opening()
    summary = await dig.refresh()

    assert host.asked == []
    assert (summary.parsed, summary.reused) == (0, 5)
    assert isinstance(await dig.mro("Model"), MroAnswer)


async def test_only_what_changed_is_fetched_again(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()
    host.asked.clear()

    host.write({b"pkg/base.py": b"class Base:\n    pass\n"})
    await dig.refresh()

    assert host.asked == [b"pkg/base.py"]
    found = await dig.locate("Model", ["load"])
    assert isinstance(found, LocateAnswer)
    assert found.verdicts[0].verdict == "absent"


async def test_a_file_that_is_gone_from_the_host_is_gone_from_the_answers(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()

    del host.files[b"pkg/more.py"]
    summary = await dig.refresh()

    assert summary.files == 4
    assert "pkg/more.py" not in dig.files()


async def test_a_first_pull_that_breaks_off_leaves_a_usable_part_and_is_completed_by_the_next(
    opening: Opening, host: MemoryHost
) -> None:
    dig = await opening()
    host.breaks_after = 1

    with pytest.raises(TransferError):
        await dig.refresh()

    assert (dig.coverage.files_seen, dig.coverage.files_listed) == (2, 5)
    assert not dig.coverage.whole
    assert isinstance(await dig.mro("Base"), MroAnswer)
    found = await dig.locate("Base", ["load"])
    assert isinstance(found, LocateAnswer)
    assert (found.verdicts[0].verdict, found.verdicts[0].certainty) == ("own", "possible")
    assert "only 2 of 5 files have been read" in found.verdicts[0].why
    assert host.closed

    host.breaks_after = None
    host.asked.clear()
    summary = await dig.refresh()

    assert summary.complete
    assert len(host.asked) == 3


async def test_a_first_pull_that_the_user_stops_is_completed_by_the_next(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    reading: list[asyncio.Task[object]] = []

    def stop_after_the_first_batch(progress: Progress) -> None:
        if progress.stage == "pull" and progress.files_done > host.batch:
            reading[0].cancel()

    reading.append(asyncio.ensure_future(dig.refresh(stop_after_the_first_batch)))
    with pytest.raises(asyncio.CancelledError):
        await reading[0]
    arrived = list(host.asked)
    host.asked.clear()
    summary = await dig.refresh()

    assert summary.complete and summary.files == 5
    assert len(set(arrived) - set(host.asked)) >= host.batch


async def test_a_broken_refresh_never_replaces_a_whole_index(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()
    before = dig.revision

    host.write({b"pkg/base.py": b"class Base:\n    pass\n", b"pkg/more.py": b"", b"pkg/wrap.py": b""})
    host.breaks_after = 1
    with pytest.raises(TransferError):
        await dig.refresh()

    assert dig.revision == before
    found = await dig.locate("Model", ["load"])
    assert isinstance(found, LocateAnswer)
    assert found.verdicts[0].verdict == "inherited"


async def test_after_a_broken_refresh_the_cache_holds_the_older_index_whole(opening: Opening, host: MemoryHost) -> None:
    await (await opening()).refresh()
    host.write(dict.fromkeys(TREE, b"x = 1\n"))
    host.breaks_after = 1
    with pytest.raises(TransferError):
        await (await opening()).refresh()

    offline = await opening(offline=True)
    summary = await offline.refresh()

    assert summary.complete
    assert [offline.source(path.decode()) is not None for path in TREE] == [True] * 5
    assert {offline.source(path.decode()).utf8 for path in TREE} == set(TREE.values())  # type: ignore[union-attr]


@pytest.mark.parametrize("anew", [False, True])
async def test_after_a_broken_refresh_only_the_rest_is_fetched(opening: Opening, host: MemoryHost, anew: bool) -> None:
    dig = await opening()
    await dig.refresh()
    host.write(dict.fromkeys(TREE, b"x = 1\n"))
    host.breaks_after = 1
    with pytest.raises(TransferError):
        await dig.refresh()
    there = set(host.asked[-2:])

    host.breaks_after = None
    host.asked.clear()
    if anew:
        dig = await opening()
    summary = await dig.refresh()

    assert summary.complete
    assert set(host.asked) == set(TREE) - there
    assert {dig.source(path.decode()).utf8 for path in TREE} == {b"x = 1\n"}  # type: ignore[union-attr]


async def test_what_a_broken_refresh_brought_is_fetched_again_where_it_changed_since(
    opening: Opening, host: MemoryHost
) -> None:
    dig = await opening()
    host.breaks_after = 1
    with pytest.raises(TransferError):
        await dig.refresh()
    host.breaks_after = None
    first = host.asked[0]
    host.write({first: b"y = 2\n"})
    host.asked.clear()

    dig = await opening()
    await dig.refresh()

    assert first in host.asked
    assert len(host.asked) == 4
    assert dig.source(first.decode()).utf8 == b"y = 2\n"  # type: ignore[union-attr]


async def test_offline_answers_come_from_the_cache_without_a_connection(opening: Opening, host: MemoryHost) -> None:
    await (await opening()).refresh()
    host.asked.clear()

    dig = await opening(offline=True)
    summary = await dig.refresh()

    assert (summary.files, summary.complete, dig.online) == (5, True, False)
    assert dig.indexed_at is not None


async def test_another_host_key_is_another_host(opening: Opening, host: MemoryHost) -> None:
    await (await opening()).refresh()
    host.host_key = "SHA256:two"
    host.asked.clear()

    dig = await opening()
    await dig.refresh()

    assert len(host.asked) == 5
    assert any("another host" in note for note in dig.take_notes())


async def test_excluded_files_are_not_read(opening: Opening, host: MemoryHost) -> None:
    dig = await opening(exclude=("**/more.py",))

    summary = await dig.refresh()

    assert summary.files == 4
    assert b"pkg/more.py" not in host.asked


async def test_progress_starts_with_the_first_batch_and_ends_with_done(opening: Opening) -> None:
    steps: list[Progress] = []

    await (await opening()).refresh(steps.append)

    stages = [step.stage for step in steps if step.stage != "parse"]  # what is parsed by then, is not waited for
    assert stages == ["connect", "list", "pull", "pull", "pull", "pull", "done"]
    assert [step.files_done for step in steps if step.stage == "pull"] == [0, 2, 4, 5]


async def test_a_listener_sees_the_index_grow(opening: Opening, host: MemoryHost) -> None:
    host.files.update({b"pkg/part%03d.py" % number: b"class C%d: pass\n" % number for number in range(200)})
    dig = await opening()
    seen: list[int] = []
    dig.listen(lambda: seen.append(dig.coverage.files_seen))

    await dig.refresh()

    assert len(seen) >= 3
    assert seen == sorted(seen)
    assert seen[-1] == 205


async def test_a_file_that_cannot_be_read_is_named_with_the_reason(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await host.lose(b"pkg/more.py")
    summary = await dig.refresh()

    assert summary.unreadable == ("pkg/more.py: no longer there",)
    assert not summary.complete


async def test_without_a_home_the_session_works_and_says_that_nothing_is_kept(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(paths, "_listed_home", lambda: None)

    dig = await opening()
    summary = await dig.refresh()

    assert summary.complete
    assert any("not kept" in note and "HOME" in note for note in dig.take_notes())
