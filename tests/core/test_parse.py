"""Parsing: from bytes to syntax, through the traps of the grammar."""

import ast
from pathlib import Path

import pytest

from sondage.core.inference.walking import children, trail
from sondage.core.source import blocks, parse, syntax


def body(source: str) -> blocks.Block:
    return parse.module(source.encode()).body


def only(source: str) -> blocks.Stmt:
    (statement,) = body(source)
    return statement


def value(source: str) -> syntax.Expr:
    statement = only(source)
    assert isinstance(statement, blocks.ExprStmt)
    return statement.value


def test_attribute_says_where_its_own_name_stands():
    found = value("a . b")
    assert isinstance(found, syntax.Attribute)
    assert (found.attr, found.attr_at) == ("b", 4)


def test_comment_in_an_argument_list_is_no_argument():
    found = value("f(\n  # first\n  a,  # second\n  *b, k=1, **z)")
    assert isinstance(found, syntax.Call)
    assert [type(argument).__name__ for argument in found.args] == ["Name", "Starred"]
    assert [keyword.name for keyword in found.keywords] == ["k", None]


def test_comment_in_a_class_header_is_no_base():
    found = only("class C(A,  # why\n        B, metaclass=M):\n    pass")
    assert isinstance(found, blocks.ClassDef)
    assert [base.id for base in found.bases if isinstance(base, syntax.Name)] == ["A", "B"]
    assert [keyword.name for keyword in found.keywords] == ["metaclass"]


def test_attribute_of_type_call_is_assigned_and_not_a_type_alias():
    source = "class A:\n    def f(self):\n        type(self).y = z(1)\n"
    (method,) = only(source).body
    (statement,) = method.body
    assert isinstance(statement, blocks.Assign)
    target = statement.targets[0]
    assert isinstance(target, syntax.Attribute)
    assert source[target.at : target.end] == "type(self).y"
    assert isinstance(target.value, syntax.Call) and target.value.func.id == "type"


def test_type_alias_statement_stays_one():
    found = only("type Pair[T] = tuple[T, T]")
    assert isinstance(found, blocks.TypeAliasStmt)
    assert found.name == "Pair"


def test_except_star_is_a_group_handler():
    found = only("try:\n    a\nexcept* (E, F) as e:\n    b\nelse:\n    c\nfinally:\n    d")
    assert isinstance(found, blocks.Try)
    assert [(handler.name, handler.is_group) for handler in found.handlers] == [("e", True)]
    assert found.orelse and found.finalbody


def test_parameters_have_the_kinds_of_inspect():
    found = only("def f(a, /, b: int = 1, *args, c, d=2, **kw): pass")
    assert isinstance(found, blocks.FunctionDef)
    assert [(parameter.name, parameter.kind) for parameter in found.parameters] == [
        ("a", "positional"),
        ("b", "normal"),
        ("args", "var_positional"),
        ("c", "keyword"),
        ("d", "keyword"),
        ("kw", "var_keyword"),
    ]


def test_default_of_a_type_parameter_is_read_over():
    found = only("class Box[T = int, U: str = Dict[a, b]](Base):\n    def get(self): ...\n")
    assert isinstance(found, blocks.ClassDef)
    assert found.type_parameters == ("T", "U")
    assert [base.id for base in found.bases if isinstance(base, syntax.Name)] == ["Base"]


def test_line_break_in_brackets_left_of_its_block_loses_no_method():
    source = "class A:\n    def m(self):\n        return f(1,\n  2)\n    def n(self): pass\n"
    module = parse.module(source.encode())
    assert module.partial == ()
    assert [method.name for method in module.body[0].body] == ["m", "n"]


def test_error_keeps_the_definitions_around_it_and_is_listed():
    module = parse.module(b"class A:\n    def f(self): pass\nx = = 3\nclass B:\n    def g(self): pass\n")
    assert [statement.name for statement in module.body if isinstance(statement, blocks.ClassDef)] == ["A", "B"]
    assert module.partial


def test_elif_is_an_if_alone_in_orelse():
    found = only("if a: b\nelif c: d\nelse: e")
    assert isinstance(found, blocks.If)
    (inner,) = found.orelse
    assert isinstance(inner, blocks.If) and inner.orelse


def test_chained_and_annotated_assignments():
    first, second, third = body("x = y = 3\nz: int = 4\nw: 'List[X]'")
    assert isinstance(first, blocks.Assign) and len(first.targets) == 2
    assert isinstance(second, blocks.AnnAssign) and second.value is not None
    assert isinstance(third, blocks.AnnAssign) and isinstance(third.annotation, syntax.Text)


def test_imports_keep_level_alias_and_place():
    first, second, third = body("import a.b as c, d\nfrom ..x import y as z\nfrom . import *")
    assert [(alias.name, alias.asname) for alias in first.names] == [("a.b", "c"), ("d", None)]
    assert (second.module, second.level, second.names[0].asname) == ("x", 2, "z")
    assert (third.module, third.level, third.names[0].name) == ("", 1, "*")


def test_match_binds_names_and_reads_class_patterns_as_calls():
    found = only("match x:\n    case Point(x=0, y=b) as q if g: pass\n    case [a, *rest]: pass\n    case A.B: pass\n")
    assert isinstance(found, blocks.Match)
    assert [case.bound for case in found.cases] == [("b", "q"), ("a", "rest"), ()]
    pattern = found.cases[0].pattern
    assert isinstance(pattern, syntax.NamedExpr) and isinstance(pattern.value, syntax.Call)


def test_statements_of_python_two_are_read():
    module = parse.module(b'print "x", a\nexec "y"\ntry:\n    pass\nexcept E, e:\n    b\n')
    assert module.partial == ()
    assert isinstance(module.body[0].value, syntax.Call)
    assert module.body[2].handlers[0].name == "e"


def test_string_has_its_value_and_an_f_string_its_expressions():
    found = value("'a' r'\\n' u'b'")
    assert isinstance(found, syntax.Text) and found.value == "a\\nb"
    found = value("f'{x.y} {z()!r:>{w}}'")
    assert isinstance(found, syntax.Interpolated) and len(found.values) == 2


def test_quoted_annotation_is_read_and_prose_is_not():
    assert isinstance(parse.quoted_expression(" List[X] "), syntax.Subscript)
    assert parse.quoted_expression("some words") is None


@pytest.mark.parametrize(
    "source",
    [
        "(" * 200_000 + ")" * 200_000,
        "a=" + "[" * 200_000,
        "-" * 200_000 + "x",
        "a" + ".b" * 200_000,
        "x" + "+x" * 100_000,
        "if a:\n b\n" + "elif c:\n d\n" * 5_000,
        "not " * 100_000 + "x",
        "def f(" * 50_000,
    ],
    ids=["brackets", "open brackets", "signs", "attributes", "sums", "elifs", "nots", "broken headers"],
)
def test_any_depth_of_nesting_is_survived(source):
    repr(parse.module(source.encode()))


def test_calls_and_definitions_agree_with_python_on_a_file_of_the_library():
    data = Path(ast.__file__).read_bytes()
    mine = [0, 0]
    waiting = [parse.module(data)]
    while waiting:
        node = waiting.pop()
        mine[0] += isinstance(node, syntax.Call)
        mine[1] += isinstance(node, blocks.FunctionDef | blocks.ClassDef)
        waiting += children(node)
    theirs = list(ast.walk(ast.parse(data)))
    assert mine == [
        sum(isinstance(node, ast.Call) for node in theirs),
        sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in theirs),
    ]


def test_a_very_long_comment_block_hides_nothing_that_stands_around_it() -> None:
    source = (
        b"class First:\n    x = 1\n"
        + b"    # a line of a comment\n" * 5_000
        + b"    def last(self):\n        return 2\n"
    )

    (first,) = parse.module(source).body

    assert isinstance(first, blocks.ClassDef)
    assert [type(statement).__name__ for statement in first.body] == ["Assign", "FunctionDef"]
    last = first.body[1]
    assert isinstance(last, blocks.FunctionDef)
    assert source[last.name_at : last.name_at + 4] == b"last"


def test_text_that_is_parsed_in_pieces_reads_as_one_that_is_not(monkeypatch):
    source = "".join(f"def größe_{n}(a, b):  # … →\n    return 'ä{n}', a.b(größe)\n\n\n" for n in range(60)).encode()
    whole = parse.module(source)
    for piece in (97, 98, 99, 100):  # so that some piece ends inside a character
        monkeypatch.setattr(parse, "_PIECE", piece)
        assert parse.module(source) == whole


def test_body_of_a_function_is_read_when_it_is_asked_for_and_only_once():
    (function,) = parse.module(b"def f():\n    def g():\n        return 1\n    return g\n").body
    assert isinstance(function, blocks.FunctionDef)
    assert function.body is function.body
    inner = function.body[0]
    assert isinstance(inner, blocks.FunctionDef)
    assert [type(one) for one in inner.body] == [blocks.Return]
    assert function == parse.module(b"def f():\n    def g():\n        return 1\n    return g\n").body[0]


def test_deep_nesting_is_cut_at_the_same_depth_however_late_it_is_read():
    source = "".join("  " * depth + f"def f{depth}():\n" for depth in range(120)) + "  " * 120 + "return 1\n"
    depth, block = 0, parse.module(source.encode()).body
    while block and isinstance(block[0], blocks.FunctionDef):
        depth, block = depth + 1, block[0].body
    assert 80 < depth < 120


def test_case_of_several_subjects_is_found_by_its_place() -> None:
    source = b"match a, b:\n    case 1, 2:\n        run()\n"
    way = trail(parse.module(source), source.index(b"run"))
    assert isinstance(way[-1], syntax.Name)
