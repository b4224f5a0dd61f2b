"""A session as evidence: what an entry holds, what is told of it, and how it stands when it is asked again."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sondage.core.contracts.contract import required
from sondage.core.transcripts.transcript import SCHEMA, Entry
from sondage.dig import Dig, SearchQuery, Settings
from sondage.dig.replaying import other_targets
from sondage.errors import UsageError
from support.memory_host import MemoryHost

from .conftest import TREE, Opening

QUESTIONS: dict[str, Callable[[Dig], Coroutine[Any, Any, Any]]] = {
    "search": lambda dig: dig.search(SearchQuery("def load", ("**/base.py",), word=True)),
    "symbols": lambda dig: dig.symbols("load", limit=3),
    "show a range": lambda dig: dig.show("pkg/base.py:2-3"),
    "show a method": lambda dig: dig.show("Base.load"),
    "mro": lambda dig: dig.mro("Model"),
    "subclasses": lambda dig: dig.subclasses("Base"),
    "jump": lambda dig: dig.jump("pkg/model.py", 6, 21),
    "callers": lambda dig: dig.callers("Base.load"),
    "overrides": lambda dig: dig.overrides("Model.save"),
    "locate": lambda dig: dig.locate("Wrap", ["load"]),
    "check": lambda dig: dig.check(["Model", "Wrap"], required(["load"], "loads")),
    "matrix": lambda dig: dig.matrix("subclasses:Base", required(["load"])),
    "derive": lambda dig: dig.derive(["pkg/wrap.py"], "Wrap.inner"),
    "derive a base": lambda dig: dig.derive_base("Base"),
    "derive siblings": lambda dig: dig.derive_siblings("subclasses:Base", least=0.4),
    "lint": lambda dig: dig.lint(["Model"]),
    "lint all": lambda dig: dig.lint(selector="subclasses:Base"),
    "assume": lambda dig: dig.assume("Model inherits Base"),
    "drift": lambda dig: dig.drift([dig], ["Model"], required(["load"])),
}


NAME_NO_LINE_THAT_MOVES = {"lint", "lint all", "derive", "derive a base", "derive siblings"}


@pytest.fixture
async def dig(opening: Opening) -> Dig:
    opened = await opening(session="story")
    await opened.refresh()
    return opened


def moved(path: bytes) -> dict[bytes, bytes]:
    return {path: b"import os\n\n" + TREE[path]}


# ------------------------------------------------------------------ what an entry holds


async def test_entry_says_who_wrote_it_and_what_it_took_for_given(dig: Dig) -> None:
    await dig.assume("Wrap.inner is Model")
    await dig.mro("Model")
    first, second = dig.entries()
    assert (first.assumptions, second.assumptions) == ((), ("pkg.wrap.Wrap.inner is pkg.model.Model",))
    assert second.written_by.startswith("sondage ")
    assert second.version == SCHEMA
    assert second.settings == {}


async def test_entry_names_the_settings_that_decide_on_the_tree(opening: Opening) -> None:
    opened = await opening(exclude=("**/wrap.py",), deps="never")
    await opened.refresh()
    await opened.mro("Model")
    assert opened.entries()[-1].settings == {"exclude": ["**/wrap.py"], "deps": "never"}
    assert Settings(**opened.entries()[-1].settings).deps == "never"


async def test_entry_names_the_commit_of_the_checkout(opening: Opening, host: MemoryHost) -> None:
    host.files[b"/srv/.git/HEAD"] = b"ref: refs/heads/main\n"
    host.files[b"/srv/.git/refs/heads/main"] = b"a" * 40
    opened = await opening(session="story")
    await opened.refresh()
    await opened.mro("Model")
    entry = opened.entries()[-1]
    assert (entry.commit, entry.checkout) == ("a" * 40, "/srv")


async def test_nobody_looks_for_a_commit_that_no_transcript_names(opening: Opening, host: MemoryHost) -> None:
    opened = await opening()
    await opened.refresh()
    assert not any(b".git" in path for path in host.asked)


# ------------------------------------------------------------------ the story


async def test_words_of_the_user_make_the_story(dig: Dig) -> None:
    dig.hypothesis("Wrap inherits\nBase")
    dig.note("look at it")
    await dig.mro("Wrap")
    claim, note, _ = dig.entries()
    dig.judge(claim.id, "refuted", "it holds one")
    dig.drop(note.id)

    story = dig.story()
    assert [step.entry.verb for step in story.steps] == ["hypothesis", "mro", "verdict"]
    assert [(one.claim, one.state, one.why) for one in story.ledger] == [
        ("Wrap inherits Base", "refuted", ("it holds one",))
    ]
    assert len(dig.entries()) == 5


async def test_entry_is_named_by_the_beginning_of_its_id(dig: Dig) -> None:
    dig.note("one")
    dig.drop(dig.entries()[0].id[:6])
    assert dig.story().steps == ()


@pytest.mark.parametrize("of", ["", "nothing", "zzzz"])
async def test_entry_that_is_not_there_cannot_be_dropped_or_judged(dig: Dig, of: str) -> None:
    dig.note("one")
    with pytest.raises(UsageError):
        dig.drop(of)
    with pytest.raises(UsageError):
        dig.judge(of, "holds")
    assert len(dig.entries()) == 1


async def test_only_a_claim_can_be_judged(dig: Dig) -> None:
    dig.note("one")
    with pytest.raises(UsageError, match="not a claim"):
        dig.judge(dig.entries()[0].id, "holds")


async def test_what_was_taken_for_given_holds_in_the_next_run_unless_it_was_judged_away(opening: Opening) -> None:
    first = await opening(session="story")
    await first.refresh()
    await first.assume("Wrap.inner is Model")
    await first.aclose()

    second = await opening(session="story")
    await second.refresh()
    await second.mro("Model")
    assert second.entries()[-1].assumptions == ("pkg.wrap.Wrap.inner is pkg.model.Model",)
    second.judge(second.entries()[0].id, "refuted")
    await second.aclose()

    third = await opening(session="story")
    await third.refresh()
    await third.mro("Model")
    assert third.entries()[-1].assumptions == ()


# ------------------------------------------------------------------ saving


@pytest.mark.parametrize(
    ("name", "begins"), [("x.md", "# "), ("x.txt", "# "), ("x.html", "<!doctype"), ("x.json", "{")]
)
async def test_form_is_that_of_the_name(dig: Dig, tmp_path: Path, name: str, begins: str) -> None:
    await dig.mro("Model")
    saved = dig.save_transcript(tmp_path / name)
    assert saved.read_text().startswith(begins)


async def test_what_was_redacted_is_said(opening: Opening, host: MemoryHost, tmp_path: Path) -> None:
    host.write({b"pkg/more.py": b'password = "hunter2"\n'})
    dig = await opening()
    await dig.refresh()
    await dig.show("pkg/more.py:1")
    saved = dig.save_transcript(tmp_path / "x.md")
    assert "hunter2" not in saved.read_text()
    assert any("redacted: 1 password" in note for note in dig.take_notes())


async def test_nothing_is_overwritten_and_no_link_followed(dig: Dig, tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("mine")
    (tmp_path / "link.md").symlink_to("elsewhere")
    for name in ("there.md", "link.md"):
        with pytest.raises(UsageError, match="not overwritten"):
            dig.save_transcript(tmp_path / name)
    assert (tmp_path / "there.md").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()


# ------------------------------------------------------------------ again


async def asked(dig: Dig, name: str) -> Entry:
    await QUESTIONS[name](dig)
    return dig.entries()[-1]


@pytest.mark.parametrize("name", QUESTIONS)
async def test_every_question_can_be_asked_again_and_is_the_same(dig: Dig, name: str) -> None:
    entry = await asked(dig, name)
    before = len(dig.entries())
    one = await dig.replay(entry, {"box:/srv/tree": dig})
    assert (one.state, one.differences, one.moves) == ("same", (), ())
    assert len(dig.entries()) == before

    await dig.ask_again(entry, {"box:/srv/tree": dig})
    again = dig.entries()[-1]
    assert (again.verb, again.arguments, again.answer) == (entry.verb, entry.arguments, entry.answer)


@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - NAME_NO_LINE_THAT_MOVES))
async def test_lines_that_were_pushed_down_have_moved(dig: Dig, host: MemoryHost, name: str) -> None:
    entry = await asked(dig, name)
    host.write(moved(b"pkg/base.py") | moved(b"pkg/model.py"))
    await dig.refresh()
    one = await dig.replay(entry, {"box:/srv/tree": dig})
    assert (one.state, one.differences) == ("moved", ())
    assert {(move.new_line - move.line) for move in one.moves} == {2}


async def test_what_reads_otherwise_has_changed(dig: Dig, host: MemoryHost) -> None:
    shown, located = await asked(dig, "show a range"), await asked(dig, "locate")
    host.write(
        {b"pkg/base.py": TREE[b"pkg/base.py"].replace(b"return 1", b"return 7").replace(b"load(self", b"load(me")}
    )
    await dig.refresh()
    assert (await dig.replay(shown)).differences == (
        "-    def load(self):",
        "-        return 1",
        "+    def load(me):",
        "+        return 7",
    )
    one = await dig.replay(located)
    assert one.state == "changed"
    assert "pkg/base.py: now def load(me):" in one.differences


async def test_what_is_not_there_any_more_is_gone(dig: Dig, host: MemoryHost) -> None:
    entries = [await asked(dig, name) for name in ("mro", "show a method", "jump", "locate", "search", "derive")]
    host.write({b"pkg/base.py": b"", b"pkg/model.py": b"", b"pkg/wrap.py": b"x = 1\n"})
    await dig.refresh()
    assert [(await dig.replay(entry)).state for entry in entries] == ["gone"] * 6


async def test_entry_is_asked_with_what_it_took_for_given_and_with_nothing_else(dig: Dig) -> None:
    without = await asked(dig, "locate")
    await dig.assume("Wrap.inner is Base")
    given = await asked(dig, "locate")
    assert [(await dig.replay(entry)).state for entry in (without, given)] == ["same", "same"]
    await dig.locate("Wrap", ["load"])
    assert dig.entries()[-1].assumptions == given.assumptions != ()


async def test_words_of_the_user_and_broken_entries_are_no_questions(dig: Dig) -> None:
    dig.note("one")
    note = dig.entries()[-1]
    broken = Entry(id="x", time="", verb="search", arguments={"pattern": 3})
    for entry in (note, broken, Entry(id="y", time="", verb="mro"), Entry(id="z", time="", verb="jump")):
        with pytest.raises(UsageError):
            await dig.ask_again(entry)
    with pytest.raises(UsageError):
        await dig.replay(note)
    assert "not compared" in (await dig.replay(broken)).differences[0]


async def test_entry_that_compares_with_a_target_that_is_not_open_is_not_called_changed(dig: Dig) -> None:
    await dig.assume("Model.load unchanged since box:/old", {"box:/old": dig})
    with pytest.raises(UsageError, match="not open"):
        await dig.replay(dig.entries()[-1])
    assert (await dig.replay(dig.entries()[-1], {"box:/old": dig})).state == "same"


def test_targets_that_are_compared_with_are_named() -> None:
    drift = Entry(id="1", time="", verb="drift", arguments={"targets": ["a:/x", "b:/x", "c:/x"]})
    since = Entry(id="2", time="", verb="assume", arguments={"claim": "K.m unchanged since d:/x"})
    plain = Entry(id="3", time="", verb="assume", arguments={"claim": "K inherits L"})
    assert other_targets([drift, since, plain]) == ("b:/x", "c:/x", "d:/x")
