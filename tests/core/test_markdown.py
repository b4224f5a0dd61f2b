"""The Markdown of a transcript."""

from __future__ import annotations

import msgspec
from markdown_it import MarkdownIt

from sondage.core.answers import Coverage, Evidence, Excerpt, SearchAnswer, to_json
from sondage.core.markdown import Header, plain_commands, to_markdown
from sondage.core.transcript import Entry

HEADER = Header("kimi", {"Session": "kimi", "Host key": "SHA256:x", "Unknown": ""})
SEARCH = Entry(
    id="1",
    time="2026-11-29T15:31:00+00:00",
    verb="search",
    arguments={"pattern": "a|b\\(\\)", "globs": ["**/x.py"]},
    answer=to_json(SearchAnswer("a|b\\(\\)", (), 2, 1, 1)),
    target="box:/srv/sglang",
    root="/srv/sglang",
    reach=("srb@box",),
    evidence=(
        Evidence("pkg/x.py", 9, "a = 1", "ab"),
        Evidence("pkg/x.py", 10, "\tb()", "ab"),
        Evidence("pkg/x.py", 99, "a", "ab"),
    ),
    evidence_total=3,
    coverage=Coverage(7, 7),
    grep=("-nE", "a|b\\(\\)"),
)
SHOW = Entry(
    id="2",
    time="2026-11-29T15:32:00+00:00",
    verb="show",
    arguments={"spec": "pkg/it's.py:2944,2960"},
    answer=to_json(Excerpt("pkg/it's.py", 2944, 2960, (), "C", "cd", 3000)),
    root="/srv/sglang",
    reach=("srb@box",),
)


def changed(entry: Entry, **fields: object) -> Entry:
    return msgspec.structs.replace(entry, **fields)


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


def test_step_without_a_plain_command_says_so() -> None:
    text = to_markdown([changed(SHOW, answer=to_json(Excerpt("a\n", 1, 1, (), "", "", 1)))], HEADER)
    assert "No plain command shows this step." in text
    assert "```sh" not in text


def test_every_step_has_number_question_finding_lines_and_command() -> None:
    text = to_markdown([SEARCH, SHOW], HEADER)
    assert text.startswith("# kimi\n\n- Session: `kimi`\n- Host key: `SHA256:x`\n\n## 1. Which lines match")
    assert "**Finding.** 2 lines in 1 file (1 file looked at).\n" in text
    assert "`pkg/x.py`, SHA-256 `ab`\n\n```text\n 9  a = 1\n10          b()\n```\n" in text
    assert "```text\n99  a\n```\n" in text
    assert "```sh\nssh srb@box" in text
    assert "Asked `2026-11-29T15:31:00+00:00` on `box:/srv/sglang`, 7 of 7 files read.\n" in text
    assert "## 2. What stands at `pkg/it's.py:2944,2960`?" in text


def test_fence_is_longer_than_any_backticks_in_the_lines() -> None:
    text = to_markdown([changed(SEARCH, evidence=(Evidence("x.py", 1, "````` end"),), grep=())], HEADER)
    assert "\n``````text\n1  ````` end\n``````\n" in text


def test_capped_evidence_says_how_much_there_was() -> None:
    assert "3 of 60710 lines are quoted." in to_markdown([changed(SEARCH, evidence_total=60_710)], HEADER)


def test_note_is_quoted_as_the_words_they_are() -> None:
    note = Entry(id="3", time="t", verb="note", note="<b>so</b>\n- [x](y)")
    text = to_markdown([note], HEADER)
    html = MarkdownIt().render(text)
    assert "&lt;b&gt;so&lt;/b&gt;" in html
    assert "[x](y)" in html
    assert "<a " not in html
    assert "No plain command" not in text


def test_hostile_text_becomes_neither_markup_nor_escape() -> None:
    nasty = "</code><script>alert(1)</script> ``` \x1b]52;c;x\x07 \u202e [x](javascript:y) ![i](z) | <!-- "
    entry = changed(
        SEARCH,
        arguments={"pattern": nasty, "globs": [nasty]},
        evidence=(Evidence(nasty, 1, nasty, nasty), Evidence("\n# heading", 1, "```\n# out", "")),
        target=nasty,
        time=nasty,
        grep=(),
    )
    text = to_markdown([entry], Header(nasty, {"Target": nasty}))
    html = MarkdownIt("commonmark").render(text)
    assert not any(character in text for character in "\x1b\x07\u202e")
    assert not any(tag in html for tag in ("<script", "<a ", "<img", "<!--"))
    assert html.count("<h1>") == 1
