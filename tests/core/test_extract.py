"""From the bytes of a file to its facts."""

from __future__ import annotations

import ast
import re
import sysconfig
import textwrap
from pathlib import Path

import pytest
from trees import facts_of

from sondage.core.source import collect, second_look
from sondage.core.source import extract as extract_module
from sondage.core.source.extract import Walk, extract
from sondage.core.source.facts import ClassScope, FileFacts, FunctionScope, decode, encode


def scope(facts: FileFacts, qualname: str) -> ClassScope | FunctionScope:
    found = [one for one in facts.scopes[1:] if one.qualname == qualname]
    assert len(found) == 1
    assert isinstance(found[0], ClassScope | FunctionScope)
    return found[0]


def test_nested_and_local_definitions_have_the_names_python_gives_them() -> None:
    facts = facts_of(
        """
        class Outer:
            class Inner:
                def method(self):
                    class Local:
                        def deep(self): pass
        def function():
            def inner(): pass
        """
    )
    assert [one.qualname for one in facts.scopes[1:]] == [
        "Outer",
        "Outer.Inner",
        "Outer.Inner.method",
        "Outer.Inner.method.<locals>.Local",
        "Outer.Inner.method.<locals>.Local.deep",
        "function",
        "function.<locals>.inner",
    ]


def test_lines_are_those_of_the_keyword_the_decorator_and_the_last_code() -> None:
    facts = facts_of(
        """\
        @first
        @second(
            1)
        def decorated(
            a,
        ):
            return a
            # a comment of the body

        # another
        x = 1
        """
    )
    span = scope(facts, "decorated").span
    assert (span.first_line, span.line, span.last_line) == (1, 4, 7)


def test_class_header_is_kept_as_written() -> None:
    facts = facts_of(
        """
        @register("x")
        class Thing(  # why
            pkg.Base[int],
            Mixin,  # and why
            metaclass=Meta,
            **options,
        ): pass
        """
    )
    found = scope(facts, "Thing")
    assert isinstance(found, ClassScope)
    assert [one.text for one in found.bases] == ["pkg.Base[int]", "Mixin"]
    assert [(one.name, one.value.text) for one in found.keywords] == [("metaclass", "Meta"), (None, "options")]
    assert [one.text for one in found.decorators] == ['register("x")']


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("pass", "pass"),
        ("...", "ellipsis"),
        ('"""Only words."""', "docstring"),
        ('"""Words."""\n    ...', "ellipsis"),
        ("raise NotImplementedError", "not_implemented"),
        ('raise NotImplementedError("say which")  # later', "not_implemented"),
        ("return NotImplemented", "returns_not_implemented"),
        ("return 1", "code"),
        ("pass\n    return 1", "code"),
    ],
)
def test_trivial_bodies_are_told_apart(body: str, kind: str) -> None:
    facts = extract(f"def f(self):\n    {body}\n".encode())
    found = scope(facts, "f")
    assert isinstance(found, FunctionScope)
    assert found.body == kind


def test_generators_and_coroutines_are_known_as_such() -> None:
    facts = facts_of(
        """
        async def coroutine(): pass
        def generator():
            x = yield 1
        def lambda_only():
            return lambda: (yield)
        def in_words():
            return "yield"
        def outer():
            def inner():
                yield 1
        """
    )
    functions = [one for one in facts.scopes if isinstance(one, FunctionScope)]
    assert [one.name for one in functions if one.is_generator] == ["generator", "inner"]
    assert [one.name for one in functions if one.is_async] == ["coroutine"]


def test_imports_are_found_wherever_they_stand() -> None:
    facts = facts_of(
        """
        import a.b, c as d
        from . import e
        from ..f import (g, h as i)  # two
        from j import *
        def function():
            from k import l
        """
    )
    rows = [(one.name, one.module, one.level, one.attribute, one.whole) for one in facts.imports]
    assert rows == [
        ("a", "a.b", 0, None, False),
        ("d", "c", 0, None, True),
        ("e", "", 1, "e", False),
        ("g", "f", 2, "g", False),
        ("i", "f", 2, "h", False),
        ("*", "j", 0, "*", False),
        ("l", "k", 0, "l", False),
    ]
    assert facts.scopes[facts.imports[-1].scope].name == "function"


def test_branches_are_kept_with_their_conditions() -> None:
    facts = facts_of(
        """
        if ONE:
            import a
        elif TWO:
            import b
        else:
            try:
                import c
            except (ImportError, OSError):
                import d
        """
    )
    guards = [facts.guards[one.guard] for one in facts.imports]
    assert [(one.kind, one.test, one.failed, one.branch) for one in guards] == [
        ("if", "ONE", (), 0),
        ("elif", "TWO", ("ONE",), 1),
        ("try", "", (), 0),
        ("except", "(ImportError, OSError)", (), 1),
    ]
    assert facts.guards[guards[2].parent].failed == ("ONE", "TWO")


def test_attribute_assignments_are_found_in_every_form() -> None:
    facts = facts_of(
        """
        class C:
            def method(self, other):
                self.plain = 1
                self.typed: int = 2
                self.only_typed: str
                self.first, (other.second, *self.rest) = values
                local = self.chained = 3
                with open() as self.handle: pass
                for self.item in items: pass
                type(self).on_class = 4
                setattr(C, "by_call", 5)
                self.counter += 1
        C.outside = function
        type(x).patched = 6
        """
    )
    rows = [(one.base.text, one.name, one.how, one.place) for one in facts.attributes]
    assert rows == [
        ("self", "plain", "assign", ()),
        ("self", "typed", "annotation", ()),
        ("self", "only_typed", "annotation", ()),
        ("self", "first", "assign", (0,)),
        ("other", "second", "assign", (1, 0)),
        ("self", "rest", "assign", (1, -2)),
        ("self", "chained", "assign", ()),
        ("self", "handle", "with", ()),
        ("self", "item", "for", ()),
        ("type(self)", "on_class", "assign", ()),
        ("C", "by_call", "setattr", ()),
        ("C", "outside", "assign", ()),
        ("type(x)", "patched", "assign", ()),
    ]


def test_locals_are_kept_only_where_a_class_may_need_them() -> None:
    facts = facts_of(
        """
        def factory(kind):
            base = kind.base
            class Local(base): pass
            return Local
        def ordinary():
            unseen = 1
        def changes():
            global shared
            shared = 2
        """
    )
    assert [(one.name, facts.scopes[one.scope].name) for one in facts.assignments] == [
        ("base", "factory"),
        ("shared", "changes"),
    ]
    found = scope(facts, "factory")
    assert isinstance(found, FunctionScope)
    assert [one.text for one in found.results] == ["Local"]


def test_all_is_followed_step_by_step() -> None:
    facts = facts_of(
        """
        __all__ = ["a", "b"] + other.__all__
        __all__ += ("c",)
        __all__.extend(more)
        __all__.append("d")
        __all__.remove("a")
        """
    )
    assert [(one.how, one.names, one.from_module) for one in facts.exported] == [
        ("set", ("a", "b"), ""),
        ("add", None, "other"),
        ("add", ("c",), ""),
        ("add", None, ""),
        ("add", ("d",), ""),
        ("remove", ("a",), ""),
    ]


def test_type_statement_and_assignment_to_an_attribute_of_a_type_are_told_apart() -> None:
    facts = facts_of("type Alias = int\ntype(thing).name = 1\n")
    assert [(one.name, one.how) for one in facts.assignments] == [("Alias", "type")]
    assert [(one.base.text, one.name) for one in facts.attributes] == [("type(thing)", "name")]


def test_names_are_normalized_as_python_does_it() -> None:
    facts = extract("class \ufb01le: pass\n".encode())
    assert facts.scopes[1].name == "file"


def test_python_two_is_read() -> None:
    facts = facts_of(
        """
        class Old:
            def show(self, (a, b)):
                print "x", a
                exec "y = 1"
            def keep(self):
                return 0777 + 10L
        """
    )
    assert [one.qualname for one in facts.scopes[1:]] == ["Old", "Old.show", "Old.keep"]


def test_nesting_beyond_what_python_takes_is_said_and_ends() -> None:
    source = "".join(" " * level + "if x:\n" for level in range(2000)) + " " * 2000 + "pass\n"
    facts = extract(source.encode())
    assert facts.partial


def test_deep_expressions_do_no_harm() -> None:
    facts = extract(b"x = " + b"(" * 50_000 + b")" * 50_000 + b"\nclass After: pass\n")
    assert facts.scopes[-1].name == "After"


def test_facts_survive_encoding() -> None:
    facts = facts_of("class A(B, m=1):\n    x: int = 3\n    def f(self):\n        self.y = yield\n")
    assert decode(encode(facts)) == facts


def test_innermost_scope_of_a_line() -> None:
    facts = facts_of("x = 1\n@d\nclass A:\n    def f(self):\n        pass\n\ny = 2\n")
    assert [facts.scopes[facts.innermost(line)].qualname for line in range(1, 8)] == [
        "",
        "A",
        "A",
        "A.f",
        "A.f",
        "",
        "",
    ]


STATEMENTS = r'''
self.plain = value
self.annotated: int
self.annotated: int = 3
self.compared = a == b
self.first = self.second = 3
self.comment = 3  # x = 4
self.text = "a = b"  ; self.after = 1
self.call = call(
    one,  # a comment
    two)
self.keywords = call(a=1)
self.walrus = (found := 3)
self.joined = \
    value
self.spread=3
self.tuple, other = pair
self.pair = 1, 2,
self.deep.er = 3
self[0].item = 3
call(x).of = 3
self.ünicode = "ü"
self.value = "é"
self.grown += 1
plain = value
plain: int = 3
plain = self.other = 3
call(a=1).chained = 2
call(value)
"""A docstring: with = signs"""
lambda: (yield)
'''


BINDING = r"""
field: list[int | None] = [1]
field: a.b  # a comment
field: "Quoted" = 3
field: dict[str, int] = call(a=1)
field : int
field: int = \
    3
lambda: field
not_lambda: int = 3
type: int = 3
field = 3  ; after: int = 4
module.attribute = "ü"
a, b = c, [d, e] = pair
(a), *b = pair
for a, (b, self.c) in pairs: pass
for a, b in pairs: pass
with call() as (a, b), call() as c.d: pass
import a
import a.b, c as d, e.f as g
import a . b
import a, \
    b
from a import b
from . import b as c, d
from ...a.b import (
    c,  # a comment
    d,
)
from .a import (
    b as c,

    d, e,
)
from a import *
from a import (b as
    c)
from ünicode import ü
__all__ = ["a"]
__all__: list[str] = ["b"]
"""


def _in_all_scopes(statements: str) -> list[str]:
    function = "def f(self):\n" + textwrap.indent(statements, "    ")
    holder = "def f(self):\n    class Local: pass\n" + textwrap.indent(statements, "    ")
    declaring = "def f(self):\n    global plain, a, c\n" + textwrap.indent(statements, "    ")
    broken = function.replace("def f(self):", "def f(self):\n    if (", 1)
    return [statements, "class C:\n" + textwrap.indent(statements, "    "), function, holder, declaring, broken]


@pytest.mark.parametrize("statements", [STATEMENTS, BINDING], ids=["assignments", "other statements"])
def test_statements_whose_text_is_enough_say_what_their_nodes_say(
    monkeypatch: pytest.MonkeyPatch, statements: str
) -> None:
    texts = _in_all_scopes(statements)
    quick = [facts_of(one) for one in texts]
    for module in (extract_module, second_look):
        monkeypatch.setattr(module, "PLAIN_ASSIGNMENT", re.compile(rb"(?!)"))
    monkeypatch.setattr(Walk, "doubtful", property(lambda _: True, lambda *_: None), raising=False)
    monkeypatch.setattr(collect, "_NAMES", re.compile(rb"(?!)"))
    assert quick == [facts_of(one) for one in texts]
    assert [bool(one.problems) for one in quick] == [False] * 5 + [True]
    assert len(quick[2].attributes) == (23 if statements is STATEMENTS else 3)


def test_statement_that_could_not_be_read_binds_nothing() -> None:
    facts = facts_of("def f(self):\n    self.read = 3\n    self.unread = call(config.nev")
    assert [one.name for one in facts.attributes] == ["read"]
    assert facts.partial


def test_lines_are_counted_where_line_ends_were_taken_for_blanks() -> None:
    twisted = "x = (\n1,\n  # a comment\n2)\nclass A:\n    def m(self):\n        self.x = f(\n3)\n        self.y = 4\n"
    facts = facts_of(twisted)
    assert [(one.qualname, one.span.line, one.span.last_line) for one in facts.scopes[1:]] == [
        ("A", 5, 9),
        ("A.m", 6, 9),
    ]
    assert [one.line for one in facts.attributes] == [7, 9]
    with_lone_return = facts_of("a = 1\rb = 2\nclass B:\n    pass\n")
    assert [(one.span.line, one.span.last_line) for one in with_lone_return.scopes[1:]] == [(2, 3)]


def _outline(tree: ast.AST, outer: str = "") -> list[tuple[str, int, int]]:
    rows = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            assert node.end_lineno is not None
            rows.append((outer + node.name, node.lineno, node.end_lineno))
            inner = "." if isinstance(node, ast.ClassDef) else ".<locals>."
            rows += _outline(node, outer + node.name + inner)
        else:
            rows += _outline(node, outer)
    return rows


@pytest.mark.parametrize(
    "name", ["typing.py", "dataclasses.py", "enum.py", "asyncio/base_events.py", "unittest/mock.py"]
)
def test_outline_of_real_modules_is_that_of_the_compiler(name: str) -> None:
    data = (Path(sysconfig.get_paths()["stdlib"]) / name).read_bytes()
    facts = extract(data)
    rows = [(one.qualname, one.span.line, one.span.last_line) for one in facts.scopes[1:]]
    assert sorted(rows) == sorted(_outline(ast.parse(data)))
    assert not facts.problems


CONTINUED = [
    "from a.b import c as d , e",
    "from .. a import x",
    "class A ( B [ int ] , C , metaclass = M , ** kw ) : pass",
    "class A :\n    x : int = 3\n    y = z = f ( 3 , a = 4 )\n    a , b = 1 , 2\n    __slots__ = ( 'a' , 'b' )",
    "class A :\n    @ x . setter\n    def x ( self , v : int = 3 , ** k ) -> X :\n        self . x = 3\n        self . z += 1",
    "class A :\n    def f ( self ) :\n        with a ( ) as self . q , b as r : pass\n        for self . i in c : pass",
    "if a and b : import q",
    "try : import z\nexcept ( A , B ) as e : z = None",
    "setattr ( X , 'z' , 4 )",
    "__all__ = [ 'a' ]\n__all__ += [ 'c' ]",
    "for i , j in k : pass",
]


def without_places(value: object) -> object:
    """Facts with what they say, not where: lines and offsets move where a line is broken."""
    if isinstance(value, tuple | list):
        return [without_places(one) for one in value]
    if isinstance(value, str):
        return re.sub(r"[\s\\]+", "", value)
    fields = getattr(value, "__struct_fields__", None)
    places = {"at", "end", "name_at", "line", "first_line", "last_line", "lines"}
    return {name: without_places(getattr(value, name)) for name in fields if name not in places} if fields else value


@pytest.mark.parametrize("written", CONTINUED)
def test_line_that_goes_on_behind_a_backslash_says_what_it_says_unbroken(written: str) -> None:
    unbroken = without_places(extract(written.encode()))
    for blank in re.finditer(r"(?<=\S) (?=\S)", written):
        broken = f"{written[: blank.start()]} \\\n {written[blank.end() :]}"
        ast.parse(broken)
        assert without_places(extract(broken.encode())) == unbroken, broken
