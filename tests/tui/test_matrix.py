"""Owns the tests of the matrix: its order, filter and columns without a terminal, and the screen with keys."""

from __future__ import annotations

import pytest
from tests.tui.driving import running, screen_text, settle, typed
from tests.tui.fake import CORE, IN, WR, WRAPPER_, FakeDig, derived_contract, line_of

from sondage.core.answers.contracts import ClassReport, Contract, ContractItem, ContractReport, Verdict
from sondage.tui.matrix import MatrixScreen
from sondage.tui.models.matrix import CLASS, MET, Grid
from sondage.tui.models.rows import width_of

DERIVE = "--from engine/worker.py:Worker --on self.target_worker.model_runner.model"


async def grid() -> Grid:
    report = await FakeDig().matrix("all", derived_contract())
    assert isinstance(report, ContractReport)
    return Grid(report, "all")


def large(rows: int = 239, columns: int = 20) -> Grid:
    members = [f"member_number_{n}" for n in range(columns)]
    kinds = ("own", "held", "unknown", "absent")

    def result(row: int) -> ClassReport:
        verdicts = tuple(Verdict(m, "required", kinds[(row + n) % 4], "proved") for n, m in enumerate(members))  # type: ignore[arg-type]
        return ClassReport(f"pkg.module{row}.Class{row}", False, verdicts, f"pkg/module{row}.py", 3)

    contract = Contract("large", tuple(ContractItem(m) for m in members))
    return Grid(ContractReport(contract, tuple(map(result, range(rows)))), "all")


def names(shown: Grid) -> list[str]:
    return [result.class_.rpartition(".")[2] for result in shown.rows]


# ------------------------------------------------------------ without a terminal


async def test_rows_stand_as_the_selector_gave_them_until_they_are_sorted() -> None:
    shown = await grid()
    assert names(shown)[0] == "Core"
    assert names(shown.sorted_by(CLASS)) == ["Core", "Inner", "Sparse", "WeightsMixin", "Worker", "Wrapper"]


async def test_sorting_by_the_same_column_again_turns_it_round() -> None:
    shown = (await grid()).sorted_by(CLASS).sorted_by(CLASS)
    assert names(shown)[0] == "Wrapper"
    assert names(shown.sorted_by(CLASS))[0] == "Core"


async def test_sorting_by_an_item_puts_what_is_missing_first() -> None:
    shown = (await grid()).sorted_by(3)
    marks = [result.items[1].mark for result in shown.rows]
    assert marks == sorted(marks, key="✗?✓".index)
    assert shown.rows[-1].items[1].verdict in ("own", "inherited")
    assert len((await grid()).sorted_by(MET).rows) == 6


async def test_filter_looks_at_class_path_outcome_and_verdicts() -> None:
    shown = await grid()
    assert names(shown.narrowed("wrap")) == ["Wrapper"]
    assert names(shown.narrowed("inner.py get_embed_and_head:inherited")) == ["Inner", "Sparse"]
    assert names(shown.narrowed("met:yes")) == []
    assert len(shown.narrowed("met:no").rows) == 6


async def test_counts_are_of_all_classes_whatever_is_hidden() -> None:
    assert (await grid()).narrowed("wrap").counted.startswith("6 classes: 0 met")
    assert Grid((await grid()).report, "all", whole=False).counted.endswith("while the index grew")


@pytest.mark.parametrize("width", [40, 79, 139, 300])
def test_no_row_is_wider_than_the_window(width: int) -> None:
    shown = large()
    for current in (0, 1, 11, 21):
        first = shown.first_for(width, 1, current)
        assert width_of(shown.row_parts(5, width, first, current)) <= width + 2
        assert current in [index for index, _ in shown.visible(width, first)]


def test_cell_under_the_cursor_is_told_in_full() -> None:
    told = "".join(part.text for part in large().told(0, 4))
    assert "Class0 · member_number_2" in told and "✗" in told


# ------------------------------------------------------------ with keys


def screen_of(app: object) -> MatrixScreen:
    screen = app.screen  # type: ignore[attr-defined]
    assert isinstance(screen, MatrixScreen)
    return screen


async def test_matrix_of_the_present_contract_is_asked_once_and_recorded() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await app.typed(f"contract Wrapper {DERIVE}")
        await settle(pilot)
        await app.typed("matrix registered:EntryClass")
        await settle(pilot)
        assert screen_of(app).grid.selector == "registered:EntryClass"
        assert dig.log[-1].arguments["selector"] == "registered:EntryClass"
        assert len(app.panes.log.list.rows) == len(dig.log)


async def test_cell_opens_its_evidence_and_m_comes_back_to_the_same_cell() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await app.typed(f"contract Wrapper {DERIVE}")
        await settle(pilot)
        await app.typed("matrix all")
        await settle(pilot)
        await typed(pilot, "j", "l", "l", "l", "enter")
        here = app.panes.source.here
        assert here is not None and (here.path, here.line) == (IN, line_of(IN, "def get_embed_and_head"))
        asked = len(dig.asked)
        await typed(pilot, "4", "m")
        assert screen_of(app).at == (1, 3)
        assert len(dig.asked) == asked


async def test_absent_member_opens_the_class() -> None:
    async with running() as (app, pilot):
        await app.typed("contract Wrapper nothing")
        await settle(pilot)
        await app.typed("matrix all")
        await settle(pilot)
        await typed(pilot, "slash", "text:wrapper", "enter", "l", "l", "enter")
        here = app.panes.source.here
        assert here is not None and (here.path, here.line) == (WR, line_of(WR, "class Wrapper"))


async def test_filter_is_typed_and_left_before_the_screen() -> None:
    async with running() as (app, pilot):
        await app.typed("contract Wrapper forward")
        await settle(pilot)
        await app.typed("matrix all")
        await settle(pilot)
        await typed(pilot, "slash", "text:mixin")
        screen = screen_of(app)
        assert names(screen.grid) == ["WeightsMixin"]
        assert "5 classes hidden" in screen_text(app)
        await typed(pilot, "escape")
        assert app.screen is screen
        await typed(pilot, "escape")
        assert app.screen is not screen


async def test_class_under_the_cursor_gets_the_contract() -> None:
    async with running() as (app, pilot):
        await app.typed("contract Wrapper forward, get_embed_and_head")
        await settle(pilot)
        await app.typed("matrix all")
        await settle(pilot)
        await typed(pilot, "c")
        view = app.panes.contract.view
        assert view is not None and (view.class_name, view.met) == (CORE, True)


async def test_matrix_without_a_contract_says_what_to_do() -> None:
    async with running() as (app, pilot):
        await app.typed("matrix all")
        await settle(pilot)
        assert "no contract yet" in app.status.said


async def test_m_offers_the_siblings_of_the_class() -> None:
    async with running() as (app, pilot):
        await app.typed("contract Wrapper forward")
        await settle(pilot)
        await typed(pilot, "m")
        shown = screen_text(app)
        assert "registered:EntryClass" in shown and f"subclasses:{WRAPPER_}" in shown
        await typed(pilot, "enter")
        assert screen_of(app).grid.selector == "registered:EntryClass"


async def test_selector_that_cannot_be_read_is_said() -> None:
    async with running() as (app, pilot):
        await app.typed("contract Wrapper forward")
        await settle(pilot)
        await app.typed("matrix nonsense")
        await settle(pilot)
        assert "not a selector" in app.status.said


async def test_large_matrix_makes_only_the_rows_on_the_screen() -> None:
    async with running(size=(140, 40)) as (app, pilot):
        screen = MatrixScreen(large())
        drawn: list[int] = []
        draw = screen.view.parts

        def counting(index: int, width: int) -> object:
            drawn.append(index)
            return draw(index, width)

        screen.view.parts = counting  # type: ignore[method-assign, assignment]
        await app.push_screen(screen)
        await settle(pilot)
        await typed(pilot, "G", *["l"] * 3)
        assert screen.at == (238, 3)
        assert len(set(drawn)) <= 80
        assert "Class238" in screen_text(app)


@pytest.mark.parametrize("line", ["matrix all", "drift box:/srv/new"])
async def test_screen_outlives_every_size_of_the_window(line: str) -> None:
    async with running(size=(140, 40)) as (app, pilot):
        await app.typed(f"contract Wrapper {DERIVE}")
        await settle(pilot)
        await app.typed(line)
        await settle(pilot)
        place = app.screen.id
        for size in ((60, 12), (30, 8), (12, 4), (1, 1), (200, 60)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
        assert app.screen.id == place
        assert "get_embed_and_head" in screen_text(app)


async def test_class_column_tells_what_the_class_lacks() -> None:
    async with running() as (app, pilot):
        await app.typed("contract Wrapper forward, get_embed_and_head")
        await settle(pilot)
        await app.typed("matrix all")
        await settle(pilot)
        await typed(pilot, "slash", "text:wrapper", "enter")
        assert [row.value for row in screen_of(app).proof.rows] == ["get_embed_and_head"]  # type: ignore[attr-defined]
