"""Quoted lines, and the plain commands that print the same."""

from __future__ import annotations

import msgspec
import pytest

from sondage.core.answers.certainty import Evidence
from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Excerpt, SearchAnswer
from sondage.core.transcripts.quotes import plain_commands, quotes
from sondage.core.transcripts.transcript import Entry

SEARCH = Entry(
    id="1",
    time="",
    verb="search",
    answer=to_json(SearchAnswer("a|b\\(\\)", (), 2, 1, 1)),
    root="/srv/sglang",
    reach=("srb@box",),
    evidence=(
        Evidence("pkg/x.py", 9, "a = 1", "ab"),
        Evidence("pkg/x.py", 10, "\tb()", "ab"),
        Evidence("pkg/x.py", 99, "a", "ab"),
    ),
    grep=("-nE", "a|b\\(\\)"),
)
SHOW = Entry(
    id="2",
    time="",
    verb="show",
    answer=to_json(Excerpt("pkg/it's.py", 2944, 2960, (), "C", "cd", 3000)),
    root="/srv/sglang",
    reach=("srb@box",),
)


def changed(entry: Entry, **fields: object) -> Entry:
    return msgspec.structs.replace(entry, **fields)


def test_lines_of_a_file_are_put_together_in_their_order_however_they_were_found() -> None:
    rows = (Evidence("b.py", 7, "seven"), Evidence("a.py", 1, "one"), Evidence("b.py", 6, ""), Evidence("b.py", 6, ""))
    found = quotes(rows)
    assert [(quote.path, quote.rows()) for quote in found] == [("b.py", ["6", "7  seven"]), ("a.py", ["1  one"])]


def test_search_is_shown_by_grep_on_the_host_quoted_for_both_shells() -> None:
    assert plain_commands(SEARCH) == ["ssh srb@box \"env LC_ALL=C grep -nE 'a|b\\\\(\\\\)' /srv/sglang/pkg/x.py\""]


def test_search_in_vain_is_shown_by_grep_in_the_files_it_went_through() -> None:
    entry = changed(SEARCH, evidence=(), evidence_total=0, looked_at=("pkg/y.py",))
    assert plain_commands(entry)[0].endswith('/srv/sglang/pkg/y.py"')


def test_pattern_that_grep_reads_otherwise_is_shown_by_its_lines() -> None:
    assert plain_commands(changed(SEARCH, grep=())) == ["ssh srb@box \"sed -n '9,10p;99p' /srv/sglang/pkg/x.py\""]


def test_excerpt_is_shown_whole_by_sed() -> None:
    assert plain_commands(SHOW) == ['ssh srb@box "sed -n 2944,2960p \\"/srv/sglang/pkg/it\'s.py\\""']


def test_local_folder_needs_no_ssh() -> None:
    assert plain_commands(changed(SHOW, reach=())) == ['sed -n 2944,2960p "/srv/sglang/pkg/it\'s.py"']


def test_source_that_stands_in_for_the_host_is_read_on_this_machine() -> None:
    entry = changed(
        SEARCH,
        verb="mro",
        grep=(),
        evidence=(Evidence("/usr/lib/abc.py", 3, "x"),),
        on_this_machine=("/usr/lib/abc.py",),
    )
    assert plain_commands(entry) == ["sed -n 3p /usr/lib/abc.py"]


def test_options_that_reach_the_host_are_written_as_well() -> None:
    entry = changed(SHOW, reach=("-F", "/etc/x y", "-p", "2222", "box"))
    assert plain_commands(entry)[0].startswith("ssh -F '/etc/x y' -p 2222 box ")


@pytest.mark.parametrize(
    "fields",
    [
        {"reach": ("-oProxyCommand=id", "box")},
        {"reach": ("-o", "ProxyCommand=id", "box")},
        {"reach": ("-oProxyCommand=id",)},
        {"root": "-i"},
        {"root": "", "evidence": (Evidence("-i", 1, ""),), "verb": "mro", "answer": None},
    ],
)
def test_command_that_no_entry_of_ours_asks_for_is_not_written(fields: dict[str, object]) -> None:
    assert plain_commands(changed(SHOW, **fields)) == []


@pytest.mark.parametrize("grep", [("-nE", "-f/etc/passwd"), ("-nE", "-f", "/etc/passwd"), ("--include=x", "a"), ("a",)])
def test_options_of_grep_that_are_not_ours_are_not_written(grep: tuple[str, ...]) -> None:
    assert "grep" not in plain_commands(changed(SEARCH, grep=grep))[0]
