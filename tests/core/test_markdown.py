"""The Markdown of a transcript."""

from __future__ import annotations

import msgspec
import pytest
from markdown_it import MarkdownIt

from sondage.core.answers.certainty import Coverage, Evidence
from sondage.core.answers.contracts import Assumption
from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Excerpt, SearchAnswer
from sondage.core.transcripts.document import document
from sondage.core.transcripts.markdown import code, to_markdown
from sondage.core.transcripts.transcript import Entry

SEARCH = Entry(
    id="1",
    time="2026-11-29T15:31:00+00:00",
    verb="search",
    arguments={"pattern": "a|b\\(\\)", "globs": ["**/x.py"]},
    answer=to_json(SearchAnswer("a|b\\(\\)", (), 2, 1, 1)),
    target="box:/srv/sglang",
    root="/srv/sglang",
    host_key="SHA256:x",
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
    arguments={"spec": "pkg/x.py:2944,2960"},
    answer=to_json(Excerpt("pkg/x.py", 2944, 2960, (), "C", "cd", 3000)),
    root="/srv/sglang",
    reach=("srb@box",),
)
ASSUMED = Entry(
    id="3",
    time="2026-11-29T15:33:00+00:00",
    verb="assume",
    arguments={"claim": "K inherits D"},
    answer=to_json(Assumption("K inherits D", "inherits", "refuted", ("K inherits Module",))),
)


def changed(entry: Entry, **fields: object) -> Entry:
    return msgspec.structs.replace(entry, **fields)


def markdown(*entries: Entry) -> str:
    return to_markdown(document(entries, "kimi"))


def test_every_step_has_number_question_finding_lines_and_command() -> None:
    text = markdown(SEARCH, SHOW)
    assert text.startswith("# Investigation of box:/srv/sglang\n\n- session: `kimi`\n- target: `box:/srv/sglang`\n")
    assert "- host key: `SHA256:x`\n" in text
    assert "**Finding.** 2 lines in 1 file (1 file looked at).\n" in text
    assert "```sh\nssh srb@box" in text
    assert "Asked `2026-11-29T15:31:00+00:00` on `box:/srv/sglang`, 7 of 7 files read.\n" in text
    assert "## 2. What stands at `pkg/x.py:2944,2960`?" in text


def test_quotes_of_one_file_share_its_digest_and_a_block() -> None:
    assert "`pkg/x.py`, SHA-256 `ab`\n\n```text\n 9  a = 1\n10          b()\n …\n99  a\n```\n" in markdown(SEARCH)


def test_the_ledger_is_the_preface() -> None:
    text = markdown(ASSUMED, SEARCH)
    assert text.index("## Assumptions\n\n- **refuted** `K inherits D`: `K inherits Module` (step 1)") < text.index(
        "## 1."
    )


def test_the_picture_is_drawn_by_mermaid() -> None:
    assert '```mermaid\nflowchart TD\n    c1["K"]\n    c2["D"]\n    c1 --x|"does not inherit"| c2\n```' in markdown(
        ASSUMED
    )


def test_step_without_a_plain_command_says_so() -> None:
    text = markdown(changed(SHOW, answer=to_json(Excerpt("a\n", 1, 1, (), "", "", 1))))
    assert "No plain command shows this step." in text
    assert "```sh" not in text


def test_fence_is_longer_than_any_backticks_in_the_lines() -> None:
    text = markdown(changed(SEARCH, evidence=(Evidence("x.py", 1, "````` end"),), grep=()))
    assert "\n``````text\n1  ````` end\n``````\n" in text


def test_capped_evidence_says_how_much_there_was() -> None:
    assert "3 of 60710 lines are quoted." in markdown(changed(SEARCH, evidence_total=60_710))


def test_note_is_quoted_as_the_words_they_are() -> None:
    text = markdown(Entry(id="3", time="t", verb="note", note="<b>so</b>\n- [x](y)"))
    html = MarkdownIt().render(text)
    assert "&lt;b&gt;so&lt;/b&gt;" in html
    assert "[x](y)" in html
    assert "<a " not in html
    assert "No plain command" not in text


@pytest.mark.parametrize(
    ("text", "span"), [("a", "`a`"), ("`", "`` ` ``"), ("a``b", "```a``b```"), ("", "` `"), (" a ", "`  a  `")]
)
def test_code_span_holds_any_text(text: str, span: str) -> None:
    assert code(text) == span
