"""What Dig answers, and that every committed answer is in the transcript before it is returned."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sondage.core.answers.calls import CallersAnswer, Resolution
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import MroAnswer
from sondage.core.answers.contracts import ContractReport, LocateAnswer
from sondage.core.answers.text import Excerpt
from sondage.core.contracts.contract import required
from sondage.dig import Dig, SearchQuery, recorder
from sondage.errors import StoreError, UsageError
from sondage.journal import read_entries

from .conftest import Opening


@pytest.fixture
async def dig(opening: Opening) -> Dig:
    opened = await opening(session="story")
    await opened.refresh()
    return opened


def on_disk(tmp_path: Path) -> list[str]:
    entries, problems = read_entries(tmp_path / "state" / "sondage" / "transcripts" / "story.jsonl")
    assert not problems
    return [entry.verb for entry in entries]


async def test_each_committed_question_is_an_entry_on_disk(dig: Dig, tmp_path: Path) -> None:
    await dig.search(SearchQuery("def load"))
    await dig.symbols("mod")
    await dig.show("pkg/base.py:1-2")
    await dig.mro("Model")
    await dig.subclasses("Base")
    await dig.locate("Model", ["load"])
    await dig.jump("pkg/model.py", 6, 21)
    await dig.callers("Base.load")
    await dig.check(["Wrap"], required(["load"]))
    dig.note("so it does not inherit")

    verbs = ["search", "symbols", "show", "mro", "subclasses", "locate", "jump", "callers", "check", "note"]
    assert on_disk(tmp_path) == verbs
    assert [entry.verb for entry in dig.entries()] == verbs


async def test_what_is_not_committed_leaves_no_trace(dig: Dig, tmp_path: Path) -> None:
    await dig.search(SearchQuery("def"), commit=False)
    dig.source("pkg/base.py")

    assert on_disk(tmp_path) == []


async def test_evidence_quotes_the_line_with_the_digest_of_its_file(dig: Dig) -> None:
    await dig.locate("Model", ["load"])

    (evidence,) = dig.entries()[-1].evidence
    assert (evidence.path, evidence.line, evidence.quote) == ("pkg/base.py", 2, "    def load(self):")
    source = dig.source("pkg/base.py")
    assert source is not None
    assert evidence.digest == source.digest


async def test_a_search_over_few_files_stands_as_grep(dig: Dig) -> None:
    await dig.search(SearchQuery("def (load|save)", ("**/base.py",)))

    entry = dig.entries()[-1]
    assert entry.looked_at == ("pkg/base.py",)
    assert entry.grep == ("-nE", "def (load|save)")
    assert entry.reach == ("box",)


async def test_rows_are_capped_in_the_transcript_and_the_full_count_stands_beside_them(
    dig: Dig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "MOST_ROWS", 2)

    answer = await dig.search(SearchQuery("def"))

    kept = dig.entries()[-1].answer
    assert len(answer.hits) == answer.total == 5
    assert (len(kept["hits"]), kept["total"]) == (2, 5)


async def test_a_transcript_that_cannot_be_written_never_withholds_an_answer(
    dig: Dig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreError("the transcript cannot be written, No space left on device")

    monkeypatch.setattr("sondage.journal.Journal.append", full)

    assert isinstance(await dig.mro("Model"), MroAnswer)
    assert any("No space left" in note for note in dig.take_notes())


async def test_method_of_the_parent_is_inherited_and_one_of_an_attribute_is_held(dig: Dig) -> None:
    report = await dig.check(["Model", "Wrap"], required(["load"]))

    assert isinstance(report, ContractReport)
    model, wrap = (result.items[0] for result in report.results)
    assert (model.verdict, model.owner) == ("inherited", "pkg.base.Base")
    assert (wrap.verdict, wrap.via) == ("held", "self.inner → Model → Base")
    assert [one.quote.strip() for one in wrap.evidence] == ["self.inner = Model()", "def load(self):"]
    assert report.met is False


async def test_jump_and_callers_are_each_others_way_back(dig: Dig) -> None:
    jump = await dig.jump("pkg/model.py", 6, 21)
    callers = await dig.callers("Base.load")

    assert isinstance(jump, Resolution)
    assert [(one.path, one.line) for one in jump.answers] == [("pkg/base.py", 2)]
    assert isinstance(callers, CallersAnswer)
    assert [(row.path, row.line, row.column) for row in callers.rows] == [("pkg/model.py", 6, 21)]


async def test_names_that_mean_nothing_come_back_as_candidates(dig: Dig) -> None:
    unknown = await dig.mro("Modle")
    nowhere = await dig.show("other/base.py:1")

    assert isinstance(unknown, Candidates)
    assert (unknown.reason, unknown.kind) == ("absent", "class")
    assert nowhere == Candidates("other/base.py", "file", "absent", ("pkg/base.py",))


@pytest.mark.parametrize("spec", ["Base.load", "pkg.base.Base.load", "Model.load"])
async def test_show_takes_the_name_of_a_method_also_an_inherited_one(dig: Dig, spec: str) -> None:
    shown = await dig.show(spec)

    assert isinstance(shown, Excerpt)
    assert (shown.path, shown.first_line, shown.last_line) == ("pkg/base.py", 2, 3)


@pytest.mark.parametrize("spec", ["pkg/base.py:0-2", "pkg/base.py:4-2", "pkg/base.py:900"])
async def test_a_range_that_cannot_be_is_refused(dig: Dig, spec: str) -> None:
    with pytest.raises(UsageError):
        await dig.show(spec)


async def test_an_excerpt_holds_the_exact_bytes(dig: Dig) -> None:
    shown = await dig.show("pkg/base.py:2,3")

    assert isinstance(shown, Excerpt)
    assert shown.data == b"    def load(self):\n        return 1\n"


async def test_the_saved_transcript_is_private_and_overwrites_nothing(dig: Dig, tmp_path: Path) -> None:
    await dig.locate("Wrap", ["load"])

    saved = dig.save_transcript(tmp_path / "story.md")

    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert "held" in saved.read_text()
    with pytest.raises(UsageError):
        dig.save_transcript(tmp_path / "story.md")


async def test_a_session_goes_on_where_it_was_left(opening: Opening) -> None:
    first = await opening(session="long")
    await first.refresh()
    await first.mro("Model")
    await first.aclose()

    again = await opening(session="long")

    assert [entry.verb for entry in again.entries()] == ["mro"]


async def test_locate_is_asked_of_the_index_that_has_grown(opening: Opening) -> None:
    dig = await opening()

    before = await dig.locate("Model", ["load"])
    await dig.refresh()
    after = await dig.locate("Model", ["load"])

    assert isinstance(before, Candidates)
    assert isinstance(after, LocateAnswer)
