"""Owns the tests of walking: along the MRO, between definitions of one member, over the outline, to marks, to reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.driving import running, screen_text, settle, typed
from tests.tui.fake import CORE, INNER_, SPARSE, FakeDig, line_of
from textual.pilot import Pilot

from sondage.core.answers.classes import OverrideRow, OverridesAnswer
from sondage.tui.app import SondageApp
from sondage.tui.models.contract import ContractView
from sondage.tui.models.contract_table import as_markdown
from sondage.tui.models.demand import Demand
from sondage.tui.models.overrides import definitions, ring_of, spots_of_overrides
from sondage.tui.models.source import names_on, receiver_at
from sondage.tui.panes.messages import ContractAsked, PlaceAsked

INNER_PY, WRAPPER_PY, WORKER_PY = "engine/models/inner.py", "engine/models/wrapper.py", "engine/worker.py"
SPARSE_LOAD = line_of(INNER_PY, "class Sparse") + 1
CORE_LOAD = line_of(INNER_PY, "def load_weights")


def place(app: SondageApp) -> tuple[str, int]:
    here = app.panes.source.here
    assert here is not None
    return here.path, here.line


async def stand(app: SondageApp, pilot: Pilot[int], path: str, line: int) -> None:
    app.put(PlaceAsked(path, line))
    await settle(pilot)


# ------------------------------------------------------------ classes


async def test_levels_say_which_definition_wins_and_which_it_hides() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:super...load_weights", "enter", "c")
        shown = [line.rstrip() for line in screen_text(app).split("\n")]
        assert any("0 Sparse" in line and line.endswith("✓ wins") for line in shown)
        assert any("1 Core" in line and line.endswith("hidden") for line in shown)
        assert any("WeightsMixin" in line and line.endswith("no load_weights") for line in shown)


async def test_members_say_what_they_override_and_whether_the_signature_differs() -> None:
    dig = FakeDig()
    real = dig._signature
    dig._signature = lambda row: "(self)" if row.line == SPARSE_LOAD else real(row)  # type: ignore[method-assign]
    async with running(dig) as (app, pilot):
        await app.typed("class Sparse")
        await settle(pilot)
        assert "over Core" in screen_text(app) and "! signature" in screen_text(app)
        await typed(pilot, "i")
        inherited = next(line for line in screen_text(app).split("\n") if "load_weights" in line)
        assert "! signature" in inherited and "Sparse" in inherited


async def test_subclasses_say_how_many_members_they_override() -> None:
    async with running() as (app, pilot):
        await app.typed("class Core")
        await settle(pilot)
        await typed(pilot, "s")
        shown = screen_text(app).split("\n")
        assert any("Sparse" in line and "overrides 1" in line for line in shown)
        assert any("Inner" in line and "overrides 0" in line for line in shown)


async def test_bases_are_gone_through_and_a_class_without_one_says_so() -> None:
    async with running() as (app, pilot):
        await app.typed("class Core")
        await settle(pilot)
        await typed(pilot, "b")
        first = app.panes.classes.level
        await typed(pilot, "b")
        assert (first, app.panes.classes.level) == (1, 2)
        await app.typed("class WeightsMixin")
        await settle(pilot)
        await typed(pilot, "b")
        assert "no base" in app.status.said


async def test_open_end_is_looked_for_again_and_what_stays_open_is_said() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await app.typed("class Core")
        await settle(pilot)
        await typed(pilot, "f")
        assert ("look_again", {}) in dig.asked
        assert "still open: torch is not in the index" in app.status.said
        dig.online = False
        await typed(pilot, "f")
        assert "R connects" in app.status.said


async def test_all_definitions_of_a_member_are_listed_like_hits() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:def load_weights", "enter", "c")
        await typed(pilot, "o")
        found = app.panes.search.found
        assert found is not None and "definitions of" in found.title
        assert dig.log[-1].verb == "overrides"
        await typed(pilot, "enter", "n")
        assert app.arrangement.active == "source"


# ------------------------------------------------------------ source


async def test_definition_above_is_one_key_away_and_its_signature_compared() -> None:
    async with running() as (app, pilot):
        await stand(app, pilot, INNER_PY, SPARSE_LOAD)
        await typed(pilot, "d")
        assert place(app) == (INNER_PY, CORE_LOAD)
        assert app.status.said == "Core.load_weights, the same signature"
        await typed(pilot, "d")
        assert "overrides nothing" in app.status.said


async def test_from_a_class_the_key_for_the_definition_above_leads_to_its_base() -> None:
    async with running() as (app, pilot):
        await stand(app, pilot, INNER_PY, line_of(INNER_PY, "class Inner"))
        await typed(pilot, "d")
        assert place(app) == (INNER_PY, line_of(INNER_PY, "class Core"))
        await stand(app, pilot, INNER_PY, 1)
        await typed(pilot, "d")
        assert "no class around" in app.status.said


async def test_overrides_are_stepped_through_round_and_round() -> None:
    async with running() as (app, pilot):
        await stand(app, pilot, INNER_PY, CORE_LOAD)
        await typed(pilot, "u")
        assert place(app) == (INNER_PY, SPARSE_LOAD)
        assert app.status.said == "Sparse.load_weights: definition 2 of 2"
        await typed(pilot, "u")
        assert place(app) == (INNER_PY, CORE_LOAD)


async def test_override_that_none_overrides_leads_to_its_siblings() -> None:
    async with running() as (app, pilot):
        await stand(app, pilot, INNER_PY, SPARSE_LOAD)
        await typed(pilot, "u")
        assert place(app) == (INNER_PY, CORE_LOAD)
        await stand(app, pilot, WORKER_PY, line_of(WORKER_PY, "def is_eagle3"))
        await typed(pilot, "u")
        assert "nothing overrides it" in app.status.said


async def test_who_defines_a_name_on_the_mro_is_chosen_from() -> None:
    async with running() as (app, pilot):
        await stand(app, pilot, INNER_PY, SPARSE_LOAD)
        await typed(pilot, "B")
        assert "load_weights on the MRO of Sparse" in screen_text(app)
        await typed(pilot, "down", "enter")
        assert place(app) == (INNER_PY, CORE_LOAD)


async def test_why_tells_the_reasons_and_moves_only_when_asked() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        call = line_of(WRAPPER_PY, "self.language_model.load_weights")
        await stand(app, pilot, WRAPPER_PY, call)
        recorded = len(dig.log)
        await typed(pilot, "K")
        shown = screen_text(app)
        assert "Why load_weights" in shown and "constructor call" in shown and "Inner inherits it from Core" in shown
        await typed(pilot, "escape")
        assert place(app) == (WRAPPER_PY, call) and len(dig.log) == recorded
        await app.typed("why")
        await settle(pilot)
        await typed(pilot, "enter")
        assert place(app)[0] == INNER_PY


async def test_outline_leads_to_a_definition_with_its_lines_framed() -> None:
    async with running() as (app, pilot):
        await stand(app, pilot, INNER_PY, CORE_LOAD)
        await typed(pilot, "o", "text:set_layers", "enter")
        first = line_of(INNER_PY, "def set_layers_to_capture")
        assert place(app) == (INNER_PY, first)
        assert app.panes.source.view.frame is not None and app.panes.source.view.frame.last == first + 2


async def test_contract_is_derived_from_the_name_under_the_caret() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await stand(app, pilot, WORKER_PY, line_of(WORKER_PY, "embed, head ="))
        await typed(pilot, "C")
        asked = next(arguments for verb, arguments in dig.asked if verb == "derive")
        assert asked == {"consumers": [f"{WORKER_PY}:Worker"], "receiver": "self.target_worker.model_runner.model"}
        assert app.arrangement.active == "contract"


@pytest.mark.parametrize(
    ("line", "name", "receiver"),
    [
        ("x = self.worker.model.run(a)", "run", "self.worker.model"),
        ("x = self.worker.model.run(a)", "model", "self.worker.model"),
        ("x = self.worker.model.run(a)", "a", "a"),
        ("self.run()", "run", ""),
        ("f(self)", "self", ""),
        ("y = a . b .c()", "c", "a.b"),
    ],
)
def test_receiver_is_read_up_to_the_name(line: str, name: str, receiver: str) -> None:
    found = [one for one in names_on(line) if line[one.start : one.end] == name]
    assert receiver_at(line, found[-1]) == receiver


# ------------------------------------------------------------ marks and jumps


async def test_places_are_marked_with_letters_and_gone_to_by_them() -> None:
    async with running() as (app, pilot):
        await stand(app, pilot, INNER_PY, CORE_LOAD)
        await typed(pilot, "space")
        await typed(pilot, "slash", "text:get_embed_and_head -g **/worker.py", "enter", "space")
        assert app.status.said.startswith(f"marked b: {WORKER_PY}:")
        await typed(pilot, "apostrophe", "text:a ", "enter")
        assert place(app) == (INNER_PY, CORE_LOAD)
        await typed(pilot, "space")
        assert app.status.said == "mark a taken away"


async def test_jump_list_names_what_stands_there_and_the_palette_begins_with_it() -> None:
    async with running() as (app, pilot):
        await stand(app, pilot, INNER_PY, CORE_LOAD)
        await stand(app, pilot, WORKER_PY, line_of(WORKER_PY, "def is_eagle3"))
        await typed(pilot, "apostrophe")
        assert "Core.load_weights" in screen_text(app) and "Worker.is_eagle3" in screen_text(app)
        await typed(pilot, "escape", "p")
        assert "recent    Worker.is_eagle3" in screen_text(app)
        await typed(pilot, "down", "enter")
        assert place(app) == (INNER_PY, CORE_LOAD)


async def test_symbol_typed_at_one_go_with_its_enter_is_what_is_gone_to() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "p")
        picker = app.screen
        picker.prompt.value = "Sparse"  # type: ignore[attr-defined]
        await pilot.press("enter")
        await settle(pilot)
        view = app.panes.classes.view
        assert view is not None and view.answer.class_ == SPARSE


# ------------------------------------------------------------ overrides, contracts


ANSWER = OverridesAnswer(
    "m.B.f",
    "m.B",
    "m.py",
    10,
    "(self)",
    (
        OverrideRow("m.A", "m.py", 2, "up", "(self, x)", False),
        OverrideRow("builtins.object", "", 0, "up", "", None),
        OverrideRow("m.C", "n.py", 5, "down", "(self)", True),
    ),
    ("torch is not indexed",),
)


def test_definitions_without_source_and_what_was_not_read_are_not_dropped() -> None:
    spots = spots_of_overrides(ANSWER, lambda path: None)
    assert [(spot.path, spot.line) for spot in spots.spots] == [("m.py", 10), ("m.py", 2), ("n.py", 5)]
    assert spots.notes == ("builtins.object: no source", "torch is not indexed")
    assert "! another signature" in spots.spots[1].text
    assert [place.spec for place in ring_of(ANSWER)] == ["m.py:10", "n.py:5"]
    assert [one.class_ for one in definitions(ANSWER)] == ["m.B", "m.A", "builtins.object"]


async def test_contract_is_exported_as_a_table_and_nothing_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running() as (app, pilot):
        app.put(ContractAsked("Wrapper", Demand(names=("forward", "get_embed_and_head"))))
        await settle(pilot)
        await typed(pilot, "E")
        await typed(pilot, "E")
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == ["contract-Wrapper-2.md", "contract-Wrapper.md"]
        text = (tmp_path / names[1]).read_text()
        assert "| ✗ | `get_embed_and_head` | `held` |" in text and f"{INNER_PY}:" in text


def test_pipe_in_a_name_does_not_end_a_cell_of_the_table() -> None:
    view = ContractView("a|b", ("x",))
    assert "`a|b`" in as_markdown(view, "t")


async def test_another_class_is_chosen_for_the_same_contract() -> None:
    async with running() as (app, pilot):
        app.put(ContractAsked("Core", Demand(names=("forward",))))
        await settle(pilot)
        await typed(pilot, "S")
        assert "Inner" in screen_text(app) and "Sparse" in screen_text(app)
        await typed(pilot, "enter")
        view = app.panes.contract.view
        assert view is not None and view.class_name == INNER_ != CORE and view.verdicts


async def test_entry_can_be_left_out_of_what_is_saved() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:forward", "enter", "5", "D")
        assert dig.log[-1].verb == "drop" and dig.log[-1].arguments == {"of": "e0"}
        assert "left out" in screen_text(app)
