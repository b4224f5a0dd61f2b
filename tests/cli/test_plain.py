"""Answers as people read them, line by line as printed."""

from __future__ import annotations

from msgspec.structs import replace

from sondage.cli.plain import table

from .conftest import Sondage
from .fakes import ANSWERS, MEMBERS, MRO, NOTHING_THERE, SUMMARY, FakeDig


def test_a_match_reads_as_grep_prints_it(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("search", "box:/srv", "pay").text == "shop/till.py:7:9:    def pay(self):\n"


def test_symbols_are_a_table(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("symbols", "box:/srv", "till").text == "class  shop.till.Till  shop/till.py:5\n"


def test_index_says_what_was_found_and_what_it_took(dig: FakeDig, sondage: Sondage) -> None:
    dig.summary = replace(
        SUMMARY, unreadable=("a\x1b.py: permission denied",), problems=("b.py: not all of it is Python",)
    )
    assert sondage("index", "box:/srv").text.splitlines() == [
        "/srv/shop",
        "3 files, 1.25 MB, 4,321 lines, 12 classes, 80 functions",
        "2 parsed, 1 reused; 1.05 s (connect 0.10, list 0.20, pull 0.30, parse 0.40, store 0.05)",
        "2 remote commands, 900 bytes sent, 310,000 received",
        "1 unreadable file:",
        "  a␛.py: permission denied",
        "1 problem:",
        "  b.py: not all of it is Python",
    ]


def test_an_mro_is_numbered_and_its_open_ends_say_why(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["mro"] = replace(MRO, members=MEMBERS)
    assert sondage("mro", "box:/srv", "Till", "--members").text.splitlines() == [
        "0  shop.till.Till   shop/till.py:5",
        "1  shop.base.Desk   shop/base.py:2  (one of 2 definitions)",
        "2  torch.nn.Module  ? outside the root",
        "incomplete: torch.nn.Module: outside the root",
        "pay  function  shop.till.Till  shop/till.py:7",
    ]


def test_a_whole_mro_says_that_it_is_complete(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["mro"] = replace(MRO, order=MRO.order[:2], complete=True, why_incomplete=())
    assert sondage("mro", "box:/srv", "Till").text.splitlines()[-1] == "complete"


def test_an_order_that_does_not_exist_is_python_s_own_error(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["mro"] = replace(MRO, error="Cannot create a consistent method resolution order (MRO) for bases A, B")
    assert sondage("mro", "box:/srv", "Till").text.splitlines()[0] == (
        "no MRO: Cannot create a consistent method resolution order (MRO) for bases A, B"
    )


def test_numbers_of_a_long_mro_stand_under_each_other(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["mro"] = replace(MRO, order=MRO.order[:1] * 11)
    lines = sondage("mro", "box:/srv", "Till").text.splitlines()
    assert (lines[0][:4], lines[10][:4]) == ("0   ", "10  ")


def test_classes_and_subclasses_are_one_a_line(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("classes", "box:/srv").text.splitlines() == [
        "shop.till.Till  shop/till.py:5  incomplete",
        "shop.base.Desk  shop/base.py:2  complete",
    ]
    assert sondage("subclasses", "box:/srv", "Desk").text == "shop.till.Till  shop/till.py:5\n"


def test_what_was_not_read_above_subclasses_is_said_beside_them(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["subclasses"] = replace(dig.answers["subclasses"], why_incomplete=("x.Desk was not read",))
    done = sondage("subclasses", "box:/srv", "Desk")
    assert (done.text, done.err) == ("shop.till.Till  shop/till.py:5\n", "sondage: not complete: x.Desk was not read\n")


def test_a_jump_goes_from_the_call_over_the_receiver_to_the_definition(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("jump", "box:/srv", "shop/till.py:9:14").text.splitlines() == [
        "self.drawer.open  shop/till.py:9:14",
        "  receiver shop.drawer.Drawer: constructed at shop/till.py:6",
        "→ shop.base.Box.open  shop/base.py:30  proved",
        "     Drawer has no open of its own",
        "     Box defines it",
    ]


def test_a_jump_that_finds_nothing_says_why(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["jump"] = NOTHING_THERE
    assert sondage("jump", "box:/srv", "shop/till.py:1:1").text == "? no call stands at this position\n"


def test_callers_come_with_their_certainty_and_reason(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("callers", "box:/srv", "Till.pay").text.splitlines() == [
        "shop/app.py:3:5:proved:    till.pay(1)",
        "     till is a Till",
    ]


def test_lines_to_show_are_the_lines_of_the_file(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("show", "box:/srv", "shop/till.py:7-8").out == ANSWERS["show"].data


def test_a_range_behind_the_end_says_how_long_the_file_is(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["show"] = replace(ANSWERS["show"], lines=(), data=b"")
    assert sondage("show", "box:/srv", "shop/till.py:90").err == "sondage: note: the file has 40 lines\n"


def test_a_table_without_rows_is_no_line() -> None:
    assert list(table([])) == []
