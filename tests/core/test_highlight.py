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
    assert styled(source, 1) == [("@app.register", "decorator")]
    assert styled(source, 2) == [("class", "keyword"), ("Reader", "name.class"), ("# why", "comment")]


def test_called_names_are_functions_and_other_attributes_plain():
    assert styled("a.go(b.stay, None)", 1) == [("go", "name.function"), ("None", "constant")]


def test_string_over_several_lines_is_styled_on_each_of_them():
    source = 'x = """one\n  two é\nthree""" + y'
    spans = Highlighter(SourceText(source.encode())).spans(1, 3)
    assert [[(span.start, span.end) for span in line if span.style == "string"] for line in spans] == [
        [(4, 10)],
        [(0, 7)],
        [(0, 8)],
    ]


def test_window_inside_a_string_starts_as_a_string():
    source = '"""\none\ntwo\n"""\n'
    (line,) = Highlighter(SourceText(source.encode())).spans(3, 3)
    assert [(span.start, span.end, span.style) for span in line] == [(0, 3, "string")]


def test_columns_count_code_points_and_expressions_in_f_strings_are_no_strings():
    source = 'é = f"é{self.go(1)}"'
    assert styled(source, 1) == [
        ("=", "operator"),
        ('f"é', "string"),
        ("self", "self"),
        ("go", "name.function"),
        ("1", "number"),
        ('"', "string"),
    ]


def test_neighbours_of_one_style_are_one_run_and_others_are_not():
    assert styled("x = 'a' 'b'", 1) == [("=", "operator"), ("'a'", "string"), ("'b'", "string")]


def test_each_window_of_a_long_module_has_the_spans_that_the_whole_has():
    source = "".join(f"def f_{n}(self): return [len(x), {n},\n  # {n}\n  None]\n" for n in range(60))
    highlighter = Highlighter(SourceText(source.encode()))
    whole = highlighter.spans(1, 180)
    assert all(highlighter.spans(first, first + 6) == whole[first - 1 : first + 6] for first in range(1, 174))


def test_lines_beyond_the_file_are_empty():
    assert Highlighter(SourceText(b"x = 1\n")).spans(1, 3)[1:] == [[], []]
    assert Highlighter(SourceText(b"")).spans(1, 1) == [[]]
