"""Owns the tests of what the source pane knows of a file: names on a line, definitions, frames."""

from __future__ import annotations

from tests.tui.fake import INNER, line_of

from sondage.core.source.extract import extract
from sondage.tui.models.source import Frame, first_stop, names_on
from sondage.tui.reading import is_in_module, outline_of


def caret(line: str) -> str:
    """The name the caret takes on a line."""
    names = names_on(line)
    span = names[first_stop(names)]
    return line[span.start : span.end]


def test_caret_takes_the_first_call_of_a_line() -> None:
    assert caret("    self.language_model.load_weights(language)") == "load_weights"


def test_caret_takes_the_name_that_is_defined() -> None:
    assert caret("    async def forward(self, x):") == "forward"
    assert caret("class Inner(Core):") == "Inner"


def test_caret_takes_the_first_name_where_nothing_is_called() -> None:
    assert caret("        return self.lm_head") == "self"


def test_keywords_are_no_names() -> None:
    assert [line[s.start : s.end] for line in ["return not x"] for s in names_on(line)] == ["x"]


def test_line_without_names_has_none() -> None:
    assert names_on("    # 12 !") == []
    assert first_stop([]) == 0


def test_outline_names_the_innermost_definition_around_a_line() -> None:
    outline = outline_of(extract(INNER.encode()))
    line = line_of("engine/models/inner.py", "self.load_one")
    around, in_class = outline.around(line), outline.class_around(line)
    assert around is not None and around.qualname == "Core.load_weights"
    assert in_class is not None and in_class.qualname == "Core"
    assert outline.around(1) is None


def test_outline_counts_a_decorator_to_its_definition() -> None:
    outline = outline_of(extract(INNER.encode()))
    around = outline.around(line_of("engine/models/inner.py", "@classmethod"))
    assert around is not None and around.qualname == "Core.expert_location"


def test_next_and_previous_definition_go_by_the_line_of_the_def() -> None:
    outline = outline_of(extract(INNER.encode()))
    first = outline.near(1, 1)
    assert first is not None and first.qualname == "Core"
    second = outline.near(first.line, 1)
    assert second is not None and second.qualname == "Core.__init__"
    back = outline.near(second.line, -1)
    assert back == first
    assert outline.near(first.line, -1) is None


def test_frame_says_its_lines_and_grows_within_the_file() -> None:
    frame = Frame(2944, 2960)
    assert frame.named(2986) == "2944-2960 of 2,986"
    assert Frame(5, 5).named(9) == "5 of 9"
    assert 2944 in frame and 2961 not in frame
    assert frame.grown(30, 2986) == Frame(2914, 2986)
    assert Frame(5, 6).grown(-5, 9) == Frame(5, 6)


def test_full_name_belongs_to_the_file_of_its_module() -> None:
    assert is_in_module("engine.models.inner.Core", "src/engine/models/inner.py")
    assert is_in_module("engine.models.Core", "engine/models/__init__.py")
    assert not is_in_module("engine.models.inner.Core", "engine/models/other_inner.py")
