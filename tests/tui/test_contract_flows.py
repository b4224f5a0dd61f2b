"""Owns the tests of what a user does with contracts: derive, choose, read, step on, lint, claim, compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tui.driving import running, screen_text, settle, typed
from tests.tui.fake import CORE, IN, WO, WR, WRAPPER_, FakeDig, line_of

from sondage.core.answers.certainty import Coverage
from sondage.dig import Settings, open_dig
from sondage.hosts.base import Address, Question, Target
from sondage.tui.app import SondageApp
from sondage.tui.drift import DriftScreen
from sondage.tui.models.contract import ContractView
from sondage.tui.peek import PeekScreen
from sondage.tui.screens import QuestionScreen

DERIVE = "--from engine/worker.py:Worker --on self.target_worker.model_runner.model"


def view_of(app: SondageApp) -> ContractView:
    view = app.panes.contract.view
    assert view is not None
    return view


def place(app: SondageApp) -> tuple[str, int]:
    here = app.panes.source.here
    assert here is not None
    return here.path, here.line


async def derived(app: SondageApp, pilot: Any, line: str = f"contract Wrapper {DERIVE}") -> None:
    await app.typed(line)
    await settle(pilot)


# ------------------------------------------------------------ deriving


async def test_derived_contract_is_put_to_the_class_and_both_are_recorded() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await derived(app, pilot)
        assert view_of(app).class_name == WRAPPER_
        assert [entry.verb for entry in dig.log] == ["derive", "check"]
        assert app.panes.contract.list.value == "get_embed_and_head"


async def test_base_is_a_contract() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot, "contract Wrapper --base Core")
        assert "load_weights" in view_of(app).names


async def test_contract_without_a_class_waits_for_one() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot, f"contract {DERIVE}")
        assert view_of(app).summary[0] == "put to no class yet"
        await app.typed("class Core")
        await settle(pilot)
        await typed(pilot, "c")
        assert view_of(app).class_name == CORE and view_of(app).verdicts


async def test_demand_can_be_typed_into_the_pane() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "4", "i", "text:Wrapper", "enter", f"text:{DERIVE}", "enter")
        assert view_of(app).contract is not None
        assert view_of(app).verdicts


async def test_half_a_demand_says_what_is_missing() -> None:
    async with running() as (app, _):
        await app.typed("contract Wrapper --from engine/worker.py")
        assert "give both" in app.status.said


async def test_consumer_and_receiver_are_chosen_from_lists() -> None:
    async with running() as (app, pilot):
        await app.typed("contract Wrapper forward")
        await settle(pilot)
        await typed(pilot, "f", "text:Worker")
        await typed(pilot, "enter")
        assert "self.target_worker.model_runner" in screen_text(app)
        await typed(pilot, "text:self.draft_runner.model", "enter")
        demand = view_of(app).demand
        assert (demand.consumers, demand.receiver) == (("engine/worker.py:Worker",), "self.draft_runner.model")
        assert view_of(app).class_name == WRAPPER_


async def test_consumer_that_is_not_there_is_said_in_the_pane() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot, "contract Wrapper --from engine/none.py --on self.x")
        assert "no such consumer" in screen_text(app)


async def test_contract_is_derived_as_soon_as_its_consumer_arrives() -> None:
    dig = FakeDig(seen=1)
    async with running(dig) as (app, pilot):
        await derived(app, pilot)
        assert "asked again as the index grows" in view_of(app).problem
        dig.arrive(3)
        await settle(pilot)
        assert view_of(app).counted == "2 of 5 ✓"
        assert [entry.verb for entry in dig.log] == ["derive", "check"]


async def test_derived_items_are_ticked_while_the_index_grows_without_deriving_again() -> None:
    files = dict(reversed(FakeDig().files_given.items()))
    dig = FakeDig(files, seen=1)
    async with running(dig) as (app, pilot):
        await derived(app, pilot)
        assert {verdict.mark for verdict in view_of(app).verdicts} == {"?"}
        asked = sum(verb == "derive" for verb, _ in dig.asked)
        dig.arrive()
        await settle(pilot)
        assert sum(verb == "derive" for verb, _ in dig.asked) == asked
        dig.arrive(2)
        await settle(pilot)
        assert not view_of(app).growing and view_of(app).located == 2


# ------------------------------------------------------------ reading


async def test_use_in_the_proof_leads_to_the_consumer() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot)
        await typed(pilot, "w", "G", "enter")
        assert place(app) == (WO, line_of(WO, "embed, head"))


async def test_next_step_is_said_and_taken() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot)
        assert "next" in screen_text(app) and "self.language_model" in screen_text(app)
        await typed(pilot, "t")
        assert place(app) == (IN, line_of(IN, "def get_embed_and_head"))


async def test_absent_member_steps_on_to_the_matrix_of_its_siblings() -> None:
    files = {
        **FakeDig().files_given,
        "engine/models/other.py": "class Other:\n    def get_dim(self):\n        return 1\n",
    }
    async with running(FakeDig(files)) as (app, pilot):
        await derived(app, pilot, "contract Wrapper get_dim")
        assert "1 class defines it, such as Other" in screen_text(app)
        await typed(pilot, "t")
        assert app.screen.id == "matrix"


async def test_read_items_bear_their_dot_beside_the_mark() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot)
        await typed(pilot, "space")
        assert "✗?• get_embed_and_head" in screen_text(app)


# ------------------------------------------------------------ lint and claims


async def test_lint_is_listed_and_its_place_gone_to() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await app.typed("lint Core")
        await settle(pilot)
        assert "Core has no logits_processor" in screen_text(app)
        await typed(pilot, "enter")
        assert place(app) == (IN, line_of(IN, "self.logits_processor"))
        assert dig.log[0].verb == "lint"


async def test_lint_without_a_name_takes_the_class_at_hand() -> None:
    async with running() as (app, pilot):
        await app.typed("lint")
        await settle(pilot)
        assert "no class at hand" in app.status.said
        await app.typed("class Wrapper")
        await settle(pilot)
        await app.typed("lint")
        await settle(pilot)
        assert "nothing asked for that is not there" in app.status.said


async def test_claim_is_answered_in_the_status_line_with_its_evidence_listed() -> None:
    dig = FakeDig()
    async with running(dig, size=(140, 40)) as (app, pilot):
        await app.typed("assume Wrapper inherits Inner")
        await settle(pilot)
        assert app.status.said.startswith("refuted: Wrapper inherits Inner")
        await typed(pilot, "enter")
        assert place(app) == (WR, line_of(WR, "self.language_model ="))
        assert dig.log[0].verb == "assume"


async def test_claim_about_another_target_opens_it() -> None:
    other = FakeDig(target=Target("/srv/old", Address("box")))
    async with running(others={"box:/srv/old": other}) as (app, pilot):
        await app.typed("assume Core.forward unchanged since box:/srv/old")
        await settle(pilot)
        assert app.status.said.startswith("holds")
    assert other.closed


# ------------------------------------------------------------ drift

NEW = "box:/srv/engine-new"


def newer(**changes: Any) -> FakeDig:
    return FakeDig(target=Target("/srv/engine-new", Address("box")), **changes)


async def test_drift_shows_both_sides_of_what_changed_and_closes_the_other_target() -> None:
    dig, other = FakeDig(), newer()
    async with running(dig, size=(110, 34), others={NEW: other}) as (app, pilot):
        await derived(app, pilot)
        await app.typed(f"drift {NEW}")
        await settle(pilot)
        shown = screen_text(app)
        assert isinstance(app.screen, DriftScreen)
        assert "3 of 6 members changed" in shown
        assert "✗ held" in shown and "✓ forwarded" in shown and "≠ verdict: held → forwarded" in shown
        await typed(pilot, "a")
        assert len(app.screen.list.rows.stops) == 3
        await typed(pilot, "enter")
        assert place(app) == (IN, line_of(IN, "def get_embed_and_head"))
        assert dig.log[-2].verb == "drift" and other.log == []
    assert other.closed


async def test_other_target_may_ask_its_user() -> None:
    other = newer()
    answered: list[str | None] = []

    async def opening(asker: Any) -> FakeDig:
        answered.append(await asker(Question("password", "box", "Password:")))
        return other

    async with running(others={NEW: opening}) as (app, pilot):
        await derived(app, pilot)
        await app.typed(f"drift {NEW}")
        for _ in range(20):
            await pilot.pause()
            if isinstance(app.screen, QuestionScreen):
                break
        await typed(pilot, "text:open", "enter")
        assert answered == ["open"]
        assert isinstance(app.screen, DriftScreen)


async def test_target_that_was_not_read_whole_says_so() -> None:
    other = newer(seen=2)
    async with running(others={NEW: other}) as (app, pilot):
        await derived(app, pilot)
        await app.typed(f"drift {NEW}")
        await settle(pilot)
        assert other.coverage == Coverage(2, 4)
        assert "only 2 of 4 files read" in screen_text(app)


async def test_places_of_every_target_can_be_opened_from_drift() -> None:
    async with running(others={NEW: newer()}) as (app, pilot):
        await derived(app, pilot, "contract Wrapper get_embed_and_head")
        await app.typed(f"drift {NEW}")
        await settle(pilot)
        await typed(pilot, "o", "text:wrapper.py:24", "enter")
        assert isinstance(app.screen, PeekScreen)
        assert app.screen.view.line == 24 and app.screen.target == NEW
        await typed(pilot, "j", "y")
        assert app.clipboard == f"{NEW}/engine/models/wrapper.py:25"
        await typed(pilot, "q", "o", "enter")
        assert place(app) == (IN, line_of(IN, "def get_embed_and_head"))


async def test_keys_of_a_screen_are_listed_there_and_enter_runs_them() -> None:
    async with running(others={NEW: newer()}) as (app, pilot):
        await derived(app, pilot)
        await app.typed(f"drift {NEW}")
        await settle(pilot)
        await typed(pilot, "question_mark", "text:changed")
        assert "All or changed" in screen_text(app)
        assert "Transcript" not in screen_text(app)
        await typed(pilot, "enter")
        assert isinstance(app.screen, DriftScreen) and app.screen.only_changed


async def test_drift_without_a_contract_says_what_to_do() -> None:
    async with running() as (app, pilot):
        await app.typed("drift box:/other")
        await settle(pilot)
        assert "no contract yet" in app.status.said


# ------------------------------------------------------------ the log


async def test_matrix_and_contract_are_asked_again_from_the_log() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot)
        await app.typed("matrix all")
        await settle(pilot)
        await typed(pilot, "escape", "5", "G", "enter")
        assert app.screen.id == "matrix"
        await typed(pilot, "escape", "5", "g", "g", "enter")
        assert view_of(app).demand.consumers == ("engine/worker.py:Worker",)


# ------------------------------------------------------------ with the real service


async def test_contract_is_derived_judged_and_compared_on_a_real_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, forwards in (("old", False), ("new", True)):
        root = tmp_path / name / "app"
        root.mkdir(parents=True)
        (root / "__init__.py").write_text("")
        (root / "inner.py").write_text("class Inner:\n    def head(self):\n        return 1\n")
        forward = "\n    def head(self):\n        return self.inner.head()\n" if forwards else ""
        outer = "from app.inner import Inner\n\nclass Outer:\n    def __init__(self):\n        self.inner = Inner()\n"
        (root / "outer.py").write_text(outer + forward + "\nEntryClass = [Outer]\n")
        worker = "from app.outer import Outer\n\nclass Worker:\n    def __init__(self, model: Outer):\n"
        (root / "worker.py").write_text(worker + "        self.model = model\n        self.model.head()\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    settings = Settings(session=None, engine="threads")
    digs = {n: await open_dig(Target(str(tmp_path / n)), settings) for n in ("old", "new")}
    async with running(digs["old"], target="old", others={"new": digs["new"]}) as (app, pilot):  # type: ignore[arg-type]
        await derived(app, pilot, "contract Outer --from app/worker.py:Worker --on self.model")
        assert [(v.member, v.verdict) for v in view_of(app).verdicts] == [("head", "held")]
        await app.typed("matrix registered:EntryClass")
        await settle(pilot)
        assert app.screen.id == "matrix"
        await typed(pilot, "escape")
        await app.typed("drift new")
        await settle(pilot)
        assert "✗ held" in screen_text(app) and "✓ forwarded" in screen_text(app)


async def test_nothing_is_said_of_others_before_they_were_looked_at() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot)
        pane = app.panes.contract
        pane._others = {}
        assert pane.step.text == "looking how other classes do it…"


async def test_keys_of_the_panes_do_nothing_under_a_screen() -> None:
    async with running() as (app, pilot):
        await derived(app, pilot)
        await app.typed("matrix all")
        await settle(pilot)
        await typed(pilot, "colon", "p", "slash", "tab")
        assert app.screen.id == "matrix" and not app.command_line.display
        assert app.arrangement.active == "contract"
