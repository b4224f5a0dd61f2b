"""Highlighting: styled spans of the visible lines."""

from sondage.core.source.highlight import Highlighter
from sondage.core.source.text import SourceText


def styled(source: str, line: int, last: int | None = None) -> list[tuple[str, str]]:
    (first, *_) = [Highlighter(SourceText(source.encode())).spans(line, last or line)]
    lines = source.split("\n")
    return [(lines[line - 1][span.start : span.end], span.style) for span in first[0]]


def test_definition_names_its_parts():
    assert styled("async def run(self, n: int = 3): pass", 1) == [
        ("async", "keyword"),
        ("def", "keyword"),
        ("run", "name.function"),
        ("self", "self"),
        ("int", "builtin"),
        ("=", "operator"),
        ("3", "number"),
        ("pass", "keyword"),
    ]


def test_class_decorator_and_comment():
    source = "@app.register\nclass Reader(Base):  # why"
    assert [style for _, style in styled(source, 1)] == ["decorator"] * 4
    assert styled(source, 2) == [("class", "keyword"), ("Reader", "name.class"), ("# why", "comment")]


def test_called_names_are_functions_and_other_attributes_plain():
    assert styled("a.go(b.stay, None)", 1) == [("go", "name.function"), ("None", "constant")]


def test_string_over_several_lines_is_styled_on_each_of_them():
    source = 'x = """one\n  two é\nthree""" + y'
    spans = Highlighter(SourceText(source.encode())).spans(1, 3)
    assert [[(span.start, span.end) for span in line if span.style == "string"] for line in spans] == [
        [(4, 7), (7, 10)],
        [(0, 7)],
        [(0, 5), (5, 8)],
    ]


def test_window_inside_a_string_starts_as_a_string():
    source = '"""\none\ntwo\n"""\n'
    (line,) = Highlighter(SourceText(source.encode())).spans(3, 3)
    assert [(span.start, span.end, span.style) for span in line] == [(0, 3, "string")]


def test_columns_count_code_points_and_expressions_in_f_strings_are_no_strings():
    source = 'é = f"é{self.go(1)}"'
    assert styled(source, 1) == [
        ("=", "operator"),
        ('f"', "string"),
        ("é", "string"),
        ("self", "self"),
        ("go", "name.function"),
        ("1", "number"),
        ('"', "string"),
    ]


def test_lines_beyond_the_file_are_empty():
    assert Highlighter(SourceText(b"x = 1\n")).spans(1, 3)[1:] == [[], []]
    assert Highlighter(SourceText(b"")).spans(1, 1) == [[]]
