"""Owns the tests of sessions: what was on the screen is kept and comes back, and what cannot be used is set aside."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.tui.driving import running, settle, typed, until
from tests.tui.fake import WRAPPER_, FakeDig

from sondage.tui import resuming
from sondage.tui.sessions import VERSION, SavedContract, SavedPlace, SavedSearch, SessionFolder, SessionState

STATE = SessionState(
    version=VERSION,
    target="box:/srv/engine",
    saved_at=900.0,
    active="source",
    left="classes",
    strip="log",
    zoomed=True,
    source=SavedPlace("engine/worker.py", 4, 7, 9, "Worker"),
    jumps=(SavedPlace("engine/worker.py", 4),),
    jump=0,
    queries=("forward", "a[/b]c \x1b[2J"),
    search=SavedSearch("forward", ("**/inner.py",), ignore_case=True),
    class_name=WRAPPER_,
    contract=SavedContract("Wrapper", "forward, load_weights", ("forward",)),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sessions"


# ------------------------------------------------------------ on disk


def test_state_comes_back_as_it_was_kept_for_the_user_alone(folder: Path) -> None:
    sessions = SessionFolder(folder)
    sessions.save("monday", STATE)
    assert sessions.load("monday") == (STATE, "")
    assert stat.S_IMODE((folder / "monday.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [item.name for item in folder.iterdir()] == ["monday.json"]


def test_session_that_was_never_kept_is_nothing_to_speak_of(folder: Path) -> None:
    assert SessionFolder(folder).load("monday") == (None, "")
    assert SessionFolder(folder).resumable(5) == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 0}', '{"version": 99, "target": "x"}', '{"version": 1, "target": 3}', "[" * 100_000],
    ids=["empty", "torn", "list", "older", "newer", "wrong type", "nested"],
)
def test_state_that_cannot_be_used_is_set_aside_with_a_note(folder: Path, text: str) -> None:
    sessions = SessionFolder(folder)
    sessions.save("monday", STATE)
    (folder / "monday.json").write_text(text)
    state, note = sessions.load("monday")
    assert state is None
    assert "set aside as monday.json.old-1" in note
    assert (folder / "monday.json.old-1").read_text() == text
    assert sessions.load("monday") == (None, "")


def test_link_in_the_place_of_a_state_is_not_followed(folder: Path, tmp_path: Path) -> None:
    sessions = SessionFolder(folder)
    sessions.save("monday", STATE)
    other = tmp_path / "other.json"
    (folder / "monday.json").rename(other)
    (folder / "monday.json").symlink_to(other)
    assert sessions.load("monday")[0] is None
    sessions.save("monday", STATE)
    assert not (folder / "monday.json").is_symlink()


def test_newest_sessions_are_offered_first_and_broken_ones_not(folder: Path) -> None:
    sessions = SessionFolder(folder)
    for name in ("monday", "tuesday"):
        sessions.save(name, STATE)
    (folder / "broken.json").write_text("{")
    (folder / "broken.json").chmod(0o600)
    found = sessions.resumable(5)
    assert {one.name for one in found} == {"monday", "tuesday"}
    assert found[0].target == "box:/srv/engine"


# ------------------------------------------------------------ in the app


async def test_session_is_gone_on_with_where_it_was_left(folder: Path) -> None:
    async with running(sessions=folder) as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "enter", "1", "j", "enter")
        await typed(pilot, "space", "colon", "text:contract Wrapper forward,nothing", "enter", "space", "3")
        left = app.panes.source.here
        places, read = list(app.desk.places.jumps.places), app.panes.contract.read  # type: ignore[union-attr]
        marked = dict(app.desk.places.marks.places)  # type: ignore[union-attr]
        assert len(places) > 1 and len(marked) == 1
    dig = FakeDig()
    async with running(dig, sessions=folder) as (app, pilot):
        assert app.arrangement.active == "source"
        assert app.panes.source.here == left
        assert app.desk.places.jumps.places == places  # type: ignore[union-attr]
        assert app.desk.places.marks.places == marked  # type: ignore[union-attr]
        assert app.panes.contract.view.class_name == WRAPPER_  # type: ignore[union-attr]
        assert app.panes.contract.read == read
        assert dig.log == []  # looking again is no new question
        await typed(pilot, "1")
        assert app.panes.search.pattern.value == "load_weights"
        await typed(pilot, "slash", "up", "up")
        assert app.panes.search.pattern.value == "load_weights"


async def test_state_waits_for_its_file_while_the_index_grows(folder: Path) -> None:
    async with running(sessions=folder) as (app, pilot):
        await typed(pilot, "colon", "text:open engine/worker.py:5", "enter")
    dig = FakeDig(seen=1)
    async with running(dig, sessions=folder) as (app, pilot):
        assert app.panes.source.here is None
        dig.arrive(3)
        await settle(pilot)
        assert app.panes.source.here is not None
        assert app.panes.source.here.path == "engine/worker.py"


async def test_session_that_was_left_at_another_target_shows_nothing_of_it(folder: Path) -> None:
    SessionFolder(folder).save("engine", replace(STATE, target="other:/srv"))
    async with running(sessions=folder) as (app, _):
        assert "the session was left at other:/srv" in app.status.said
        assert app.panes.source.here is None and not app.desk.places.jumps.places  # type: ignore[union-attr]
        assert app.panes.search.history == list(STATE.queries)


async def test_state_is_kept_a_moment_after_each_change(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resuming, "PAUSE", 0.01)
    async with running(sessions=folder) as (app, pilot):
        await typed(pilot, "slash", "text:forward", "enter")
        await until(pilot, (folder / "engine.json").exists)
        assert app.is_running


async def test_state_that_cannot_be_kept_is_told_and_nothing_else_is_lost(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("a file where the folder should be")
    dig = FakeDig()
    async with running(dig, sessions=folder) as (app, pilot):
        await typed(pilot, "slash", "text:forward", "enter")
        assert app.keeper is not None
        await app.keeper._keep_later()
        assert "the transcript is kept all the same" in app.status.said
    assert dig.closed


async def test_broken_state_is_told_and_the_app_starts(folder: Path) -> None:
    SessionFolder(folder).save("engine", STATE)
    (folder / "engine.json").write_text("{")
    async with running(sessions=folder) as (app, _):
        assert "was set aside as engine.json.old-1" in app.status.said


async def test_state_with_odd_values_is_shown_safely(folder: Path) -> None:
    SessionFolder(folder).save("engine", STATE)
    document = json.loads((folder / "engine.json").read_text())
    document |= {
        "jump": 77,
        "active": "nowhere",
        "class_name": "no.such.Class",
        "source": {"path": "gone.py", "line": -4},
    }
    (folder / "engine.json").write_text(json.dumps(document))
    async with running(sessions=folder) as (app, pilot):
        await typed(pilot, "escape", "escape", "apostrophe", "escape", "ctrl+o", "ctrl+o")
        assert app.is_running


async def test_session_is_renamed_with_its_transcript_and_its_state(folder: Path) -> None:
    dig = FakeDig()
    async with running(dig, sessions=folder) as (app, pilot):
        await typed(pilot, "slash", "text:forward", "enter", "colon", "text:session monday", "enter")
        assert dig.session == "monday"
        assert "the session is monday from now on" in app.status.said
    assert [item.name for item in folder.iterdir()] == ["monday.json"]


async def test_name_that_is_taken_is_refused_in_words(folder: Path) -> None:
    dig = FakeDig(taken=("monday",))
    async with running(dig, sessions=folder) as (app, pilot):
        await typed(pilot, "colon", "text:session monday", "enter")
        assert "there is a session of that name already: monday" in app.status.said
        assert dig.session == "engine"
