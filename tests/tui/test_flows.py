"""Owns the tests of what a user does with keys: search, open, jump, walk the hierarchy, put a contract, save."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.driving import app_on, running, screen_text, settle, typed
from tests.tui.fake import CORE, FILES, INNER_, SPARSE, WRAPPER_, FakeDig, line_of

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.index import Progress
from sondage.errors import ConnectError
from sondage.hosts.base import Question
from sondage.tui.app import SondageApp
from sondage.tui.models.demand import Demand
from sondage.tui.models.source import Frame
from sondage.tui.options import Wanted
from sondage.tui.panes.messages import CallersAsked, ContractAsked, JumpAsked, PlaceAsked, SearchAsked
from sondage.tui.picker import Picker
from sondage.tui.screens import QuestionScreen
from sondage.tui.welcome import WelcomeScreen

INNER_PY, WRAPPER_PY = "engine/models/inner.py", "engine/models/wrapper.py"


def said(app: SondageApp) -> str:
    return app.status.said


def place(app: SondageApp) -> tuple[str, int]:
    here = app.panes.source.here
    assert here is not None
    return here.path, here.line


# ------------------------------------------------------------ search


async def test_search_is_typed_and_its_hit_opened() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:get_embed_and_head", "enter")
        assert "2 hits in 2 files" in screen_text(app)
        await typed(pilot, "enter")
        assert app.arrangement.active == "source"
        assert place(app) == (INNER_PY, line_of(INNER_PY, "def get_embed_and_head"))
        assert [entry.verb for entry in dig.log] == ["search", "show"]


async def test_search_as_you_type_is_not_recorded() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:forward")
        await pilot.pause(0.3)
        await settle(pilot)
        assert app.panes.search.found is not None
        assert dig.log == []


async def test_glob_narrows_the_search_and_zero_hits_say_so() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:get_embed_and_head", "tab", "text:**/weights.py", "enter")
        assert "No line matches get_embed_and_head in 1 file" in screen_text(app)
        assert "only files of **/weights.py" in screen_text(app)


async def test_invalid_pattern_is_explained_in_place_and_the_last_answer_stays() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:forward", "enter", "slash", "text:forward(", "enter")
        assert "invalid pattern" in screen_text(app)
        assert app.panes.search.found is not None and app.panes.search.found.title == "forward"
        await typed(pilot, "slash", "text:forward", "enter")
        assert "invalid pattern" not in screen_text(app)


async def test_next_hit_is_gone_to_from_source_and_is_not_recorded() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:get_embed_and_head", "enter", "enter")
        before, recorded = place(app), len(dig.log)
        await typed(pilot, "n")
        assert place(app) != before
        assert app.arrangement.active == "source"
        await typed(pilot, "N")
        assert place(app) == before
        assert len(dig.log) == recorded


async def test_preview_follows_the_cursor_below_the_list_and_beside_it() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "j", "j", "j")
        assert app.panes.search.preview.path == WRAPPER_PY
        await pilot.resize_terminal(140, 40)
        await typed(pilot, "k", "k")
        assert app.panes.source.view.path == INNER_PY
        assert app.arrangement.active == "search"


async def test_earlier_patterns_come_back_with_the_arrow() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:forward", "enter", "slash", "text:embed", "enter", "slash", "up", "up")
        assert app.panes.search.pattern.value == "forward"


# ------------------------------------------------------------ source


async def test_range_is_framed_and_told_in_the_title() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:lm_head", "enter", "enter", "colon", "text:24,30", "enter")
        assert app.panes.source.view.frame == Frame(24, 30)
        assert "24-30 of 50" in screen_text(app)
        assert dig.log[-1].arguments == {"spec": f"{INNER_PY}:24,30"}
        await typed(pilot, "escape")
        assert app.panes.source.view.frame is None


async def test_range_without_an_open_file_says_what_to_do() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "colon", "text:3,9", "enter")
        assert "no file is open" in said(app)


async def test_range_can_be_selected_by_moving() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:def get_embed", "enter", "enter", "v", "j", "j", "enter")
        first = line_of(INNER_PY, "def get_embed_and_head")
        assert app.panes.source.view.frame == Frame(first, first + 2)


async def test_enter_on_a_call_goes_to_its_definition_and_says_why() -> None:
    async with running() as (app, pilot):
        call = line_of(WRAPPER_PY, "self.language_model.load_weights")
        app.put(PlaceAsked(WRAPPER_PY, call))
        await settle(pilot)
        assert app.panes.source.view.caret_name == "load_weights"
        await typed(pilot, "enter")
        assert place(app) == (INNER_PY, line_of(INNER_PY, "def load_weights"))
        assert "Core.load_weights, proved: self.language_model is an Inner" in said(app)
        await typed(pilot, "left_square_bracket")
        assert place(app) == (WRAPPER_PY, call)
        await typed(pilot, "right_square_bracket")
        assert place(app)[0] == INNER_PY


async def test_several_definitions_are_offered() -> None:
    async with running() as (app, pilot):
        line = line_of(WRAPPER_PY, "def forward")
        app.put(JumpAsked(WRAPPER_PY, line, 9))
        await settle(pilot)
        assert isinstance(app.screen, Picker)
        assert "2 possible definitions" in screen_text(app)
        await typed(pilot, "down", "enter")
        assert place(app) == (WRAPPER_PY, line)


async def test_what_cannot_be_resolved_is_said_and_nothing_moves() -> None:
    async with running() as (app, pilot):
        app.put(PlaceAsked(WRAPPER_PY, line_of(WRAPPER_PY, "self.config = config")))
        await settle(pilot)
        before = place(app)
        await typed(pilot, "g", "d")
        assert "nothing is known of" in said(app)
        assert place(app) == before


async def test_callers_are_listed_as_hits() -> None:
    async with running() as (app, pilot):
        app.put(PlaceAsked(INNER_PY, line_of(INNER_PY, "def get_embed_and_head")))
        await settle(pilot)
        await typed(pilot, "g", "r")
        assert app.arrangement.active == "search"
        assert "callers of Core.get_embed_and_head" in app.panes.search.found.title  # type: ignore[union-attr]
        assert "the receiver is not known" in screen_text(app)
        await typed(pilot, "enter")
        assert place(app)[0] == "engine/worker.py"


async def test_first_key_of_a_sequence_shows_what_can_follow() -> None:
    async with running() as (app, pilot):
        app.put(PlaceAsked(INNER_PY, 1))
        await settle(pilot)
        await typed(pilot, "g")
        line = "".join(part.text for part in app.status.content.left)
        assert "g…" in line and "r callers" in line and "d go to the definition" in line


async def test_names_on_a_line_are_stepped_through() -> None:
    async with running() as (app, pilot):
        app.put(PlaceAsked(WRAPPER_PY, line_of(WRAPPER_PY, "self.language_model.load_weights")))
        await settle(pilot)
        await typed(pilot, "h")
        assert app.panes.source.view.caret_name == "language_model"
        await typed(pilot, "l", "l")
        assert app.panes.source.view.caret_name == "language"


async def test_next_and_previous_definition() -> None:
    async with running() as (app, pilot):
        app.put(PlaceAsked(INNER_PY, 1))
        await settle(pilot)
        await typed(pilot, "right_curly_bracket", "right_curly_bracket")
        assert app.panes.source.symbol == "Core.__init__"
        await typed(pilot, "left_curly_bracket")
        assert app.panes.source.symbol == "Core"


# ------------------------------------------------------------ classes


async def test_class_of_a_hit_is_shown_with_its_open_end() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:super...load_weights", "enter", "c")
        view = app.panes.classes.view
        assert view is not None and view.answer.class_ == SPARSE
        assert "torch is not in the index" in screen_text(app)
        assert dig.log[-1].verb == "mro" and dig.log[-1].arguments == {"class": SPARSE}


async def test_walk_along_the_mro_takes_the_same_member_along() -> None:
    async with running(size=(140, 40)) as (app, pilot):
        await typed(pilot, "slash", "text:super...load_weights", "enter", "c")
        assert app.panes.classes.member == "load_weights"
        await typed(pilot, "J")
        assert place(app) == (INNER_PY, line_of(INNER_PY, "def load_weights"))
        await typed(pilot, "J")
        assert "torch.nn.Module cannot be shown: torch is not in the index" in said(app)
        await typed(pilot, "J")
        assert "WeightsMixin does not define load_weights itself" in said(app)
        await typed(pilot, "K", "K", "K")
        assert place(app) == (INNER_PY, line_of(INNER_PY, "class Sparse") + 1)


async def test_member_and_subclass_open_in_source() -> None:
    async with running() as (app, pilot):
        await app.typed("class Core")
        await settle(pilot)
        await typed(pilot, "d", "enter")
        assert place(app) == (INNER_PY, line_of(INNER_PY, "def __init__"))
        await typed(pilot, "2", "s", "C")
        assert app.panes.classes.view.answer.class_ == INNER_  # type: ignore[union-attr]


async def test_class_that_is_ambiguous_is_asked_for() -> None:
    dig = FakeDig()
    real = dig.mro

    async def mro(name: str, **options: object) -> object:
        if name == "Core":
            return Candidates(name, "class", "ambiguous", (CORE, "other.place.Core"))
        return await real(name, **options)  # type: ignore[arg-type]

    dig.mro = mro  # type: ignore[method-assign, assignment]
    async with running(dig) as (app, pilot):
        await app.typed("class Core")
        await settle(pilot)
        assert "Core is ambiguous" in screen_text(app)
        await typed(pilot, "enter")
        assert app.panes.classes.view.answer.class_ == CORE  # type: ignore[union-attr]


async def test_absent_class_offers_similar_names_and_is_recorded() -> None:
    async with running() as (app, pilot):
        await app.typed("class Nothing")
        await settle(pilot)
        assert "no class is called Nothing; similar names" in screen_text(app)


# ------------------------------------------------------------ contract


async def test_contract_of_a_class_is_typed_and_its_evidence_gone_to() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await app.typed("class Wrapper")
        await settle(pilot)
        await typed(pilot, "c", "text:forward, get_embed_and_head", "enter")
        view = app.panes.contract.view
        assert view is not None and view.class_name == WRAPPER_
        shown = screen_text(app)
        assert "✗? " in shown and "held" in shown and "1 of 2 ✓" in shown and "not met" in shown
        assert "via self.language_model → Inner → Core" in shown
        await typed(pilot, "enter")
        assert place(app) == (INNER_PY, line_of(INNER_PY, "def get_embed_and_head"))
        assert dig.log[-2].verb == "check"


async def test_items_are_ticked_as_they_are_located_while_the_index_grows() -> None:
    dig = FakeDig(seen=1)
    async with running(dig) as (app, pilot):
        app.put(ContractAsked("Wrapper", Demand(names=("forward", "get_embed_and_head"))))
        await settle(pilot)
        assert app.panes.contract.view is not None
        assert [v.mark for v in app.panes.contract.view.verdicts] == ["?", "?"]
        assert app.panes.contract.view.growing
        dig.arrive(3)
        await settle(pilot)
        assert [v.mark for v in app.panes.contract.view.verdicts] == ["✓", "✗"]
        assert not app.panes.contract.view.growing
        assert [entry.verb for entry in dig.log] == ["check", "check"]
        dig.arrive(0)
        await settle(pilot)
        assert len(dig.log) == 2


async def test_read_marks_stay_while_verdicts_come_anew() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        app.put(ContractAsked("Wrapper", Demand(names=("forward", "nothing"))))
        await settle(pilot)
        await typed(pilot, "space")
        assert app.panes.contract.read == {"nothing"}
        dig.seen, dig.revision = 4, 7
        app.grown()
        await settle(pilot)
        assert app.panes.contract.read == {"nothing"}
        assert "1 read" in screen_text(app)


async def test_place_in_a_file_that_is_still_to_come_is_shown_when_it_has_come() -> None:
    dig = FakeDig(seen=1)
    last = list(FILES)[-1]
    async with running(dig) as (app, pilot):
        app.put(PlaceAsked(last, 3))
        await settle(pilot)
        assert f"{last} comes next" in app.status.said
        assert app.panes.source.here is None
        dig.arrive(len(FILES))
        await settle(pilot)
        assert place(app) == (last, 3)
        assert f"{last} is here" in app.status.said


# ------------------------------------------------------------ log


async def test_transcript_is_saved_and_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:forward", "enter", "5", "w")
        assert "saved" in said(app)
        await typed(pilot, "w")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["engine-2.md", "engine.md"]


async def test_note_is_typed_into_the_log() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "5", "t", "text:look here", "enter")
        assert dig.log[-1].note == "look here"
        assert "look here" in screen_text(app)


async def test_entry_leads_to_what_it_showed() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:def get_embed", "enter", "enter", "1", "5", "enter")
        assert app.arrangement.active == "source"
        await typed(pilot, "5", "k", "enter")
        assert app.arrangement.active == "search"


# ------------------------------------------------------------ help, palette, copying


async def test_help_lists_what_works_here_and_enter_runs_it() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "5", "question_mark")
        assert "Keys in Log" in screen_text(app)
        await typed(pilot, "text:note", "enter", "text:from help", "enter")
        assert app.panes.log.entries[-1].note == "from help"


async def test_help_finds_a_command_by_its_key() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "question_mark", "text:z")
        screen = app.screen
        assert isinstance(screen, Picker) and screen.list.value == "pane.zoom"


async def test_palette_finds_symbols_classes_files_and_commands() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "p", "text:weights")
        shown = screen_text(app)
        assert "method" in shown and "class" in shown and "engine/models/weights.py" in shown
        await typed(pilot, "text:set_embed", "enter")
        assert place(app) == (INNER_PY, line_of(INNER_PY, "def set_embed_and_head"))
        await typed(pilot, "p", "text:zoom", "enter")
        assert app.arrangement.zoomed


async def test_place_is_copied_by_the_terminals_own_means() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:def get_embed", "enter", "y")
        assert app.clipboard == f"{INNER_PY}:{line_of(INNER_PY, 'def get_embed_and_head')}"
        assert "copied" in said(app) and "OSC 52" in said(app)
        await typed(pilot, "enter", "Y", "text:sed", "enter")
        assert app.clipboard.startswith("sed -n 24p engine/models/inner.py")


# ------------------------------------------------------------ opening, leaving


async def test_welcome_screen_opens_what_is_typed_or_chosen() -> None:
    app = app_on(target=None)
    async with app.run_test() as pilot:
        await settle(pilot)
        assert isinstance(app.screen, WelcomeScreen)
        await typed(pilot, "text:box:/srv/engine", "enter")
        assert app.dig is not None
        assert "box:/srv/engine" in screen_text(app)


async def test_target_that_does_not_open_is_asked_for_again_with_the_reason() -> None:
    app = app_on(target="nowhere:/x")
    opened = FakeDig()

    async def opener(wanted: Wanted, asker: object) -> FakeDig:
        if wanted.target == "nowhere:/x":
            raise ConnectError("no such host", "nowhere")
        return opened

    app.opener = opener  # type: ignore[assignment]
    async with app.run_test() as pilot:
        await settle(pilot)
        assert "no such host: nowhere" in screen_text(app)
        await typed(pilot, "text:box:/x", "enter")
        assert app.dig is opened


async def test_question_of_a_host_waits_for_the_user() -> None:
    key = Question("host_key", "box", "", details={"type": "ssh-ed25519", "fingerprint": "SHA256:abcdef"})
    answers: list[object] = []
    async with running() as (app, pilot):

        async def ask() -> None:
            answers.append(await app.ask_user(key))

        for reply in ("maybe", "yes", "no"):
            app.in_background("screen", ask())
            await settle(pilot)
            assert isinstance(app.screen, QuestionScreen)
            assert "SHA256:abcdef" in screen_text(app) and "ssh-ed25519" in screen_text(app)
            await typed(pilot, f"text:{reply}", "enter")
            if reply == "maybe":
                assert answers == []
                await typed(pilot, "escape")
        assert answers == [None, "yes", None]


async def test_password_is_not_shown() -> None:
    async with running() as (app, pilot):
        await app.push_screen(QuestionScreen(Question("password", "box", "Password:")))
        await typed(pilot, "text:hunter2")
        assert "hunter2" not in screen_text(app)


async def test_refresh_that_fails_says_why_and_the_app_stays() -> None:
    async with running(FakeDig(refresh_error=ConnectError("connection refused", "box"))) as (app, pilot):
        assert "connection refused: box; R tries again" in said(app)
        await typed(pilot, "slash", "text:forward", "enter")
        assert app.panes.search.found is not None


async def test_progress_is_told_in_the_header() -> None:
    async with running() as (app, pilot):
        app.progress = Progress("pull", 351, 1404, 5_000_000, 19_750_000)
        app.draw_header()
        await pilot.pause()
        assert "pulling" in screen_text(app) and "351/1,404 files" in screen_text(app)


async def test_leaving_by_q_by_command_and_by_ctrl_c_twice() -> None:
    for keys in (["q"], ["colon", "text:q", "enter"], ["ctrl+c", "ctrl+c"]):
        dig = FakeDig()
        async with running(dig) as (app, pilot):
            await typed(pilot, *keys)
        assert not app.is_running
        assert dig.closed


async def test_one_ctrl_c_only_warns_and_another_key_forgets_it() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "ctrl+c", "j", "ctrl+c")
        assert app.is_running
        assert "again" in said(app)


async def test_zoom_and_back() -> None:
    async with running(size=(140, 40)) as (app, pilot):
        await typed(pilot, "3", "z")
        assert [pane.place for pane in app.panes if pane.display] == ["source"]
        await typed(pilot, "escape")
        assert len([pane for pane in app.panes if pane.display]) == 5


async def test_worker_that_fails_unexpectedly_is_one_line_and_a_log(tmp_path: Path) -> None:
    dig = FakeDig()

    async def callers(member: str, **_: object) -> object:
        raise RuntimeError("broken inside")

    dig.callers = callers  # type: ignore[method-assign, assignment]
    async with running(dig, log=tmp_path / "log.txt") as (app, pilot):
        app.put(CallersAsked(INNER_PY, line_of(INNER_PY, "def get_embed_and_head"), 9))
        await settle(pilot)
        assert said(app).startswith("internal error: RuntimeError")
        assert "broken inside" in (tmp_path / "log.txt").read_text()
        app.put(SearchAsked("forward", (), fixed=False, ignore_case=False, committed=True))
        await settle(pilot)
        assert app.panes.search.found is not None


async def test_keys_of_the_user_are_taken_and_a_clash_is_told() -> None:
    async with running(keys={"pane.log": ["0"], "search.class": ["x"]}) as (app, pilot):
        await typed(pilot, "0")
        assert app.arrangement.active == "log"
        assert app.refused_keys and "search.hide" in app.refused_keys[0]


def test_files_of_the_fake_tree_are_python() -> None:
    for path, text in FILES.items():
        compile(text, path, "exec")
