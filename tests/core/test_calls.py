"""Jumps: from a position to definitions with certainty and reasons, and back from a definition to its callers."""

from small_trees import check, codebase, jump

from sondage.core.classes.codebase import Pin
from sondage.core.classes.refs import ClassRef
from sondage.core.inference.calls import callers, resolve

HELD = {
    "engine.py": """
        class Base:
            def start(self): pass
        class Engine(Base):
            def stop(self): pass
    """,
    "car.py": """
        from engine import Engine
        class Car:
            def __init__(self):
                self.engine = Engine()
            def go(self):
                self.engine.start()
    """,
}


def test_answer_names_the_receiver_the_reasons_and_the_classes_passed():
    found = jump(codebase(HELD), "car.py", 7, "start")
    assert found.call is not None
    assert (found.call.receiver, found.call.name, found.call.column) == ("self.engine", "start", 21)
    assert [one.class_ for one in found.receiver_types] == ["engine.Engine"]
    (answer,) = found.answers
    assert (answer.owner, answer.path, answer.line) == ("engine.Base", "engine.py", 3)
    assert answer.through == ("engine.Engine",)
    assert any("car.py:5" in reason for reason in answer.why)
    assert found.unresolved is None


def test_answer_does_not_depend_on_what_was_asked_before():
    alone = jump(codebase(HELD), "car.py", 7, "start")
    code = codebase(HELD)
    for line, name in ((5, "Engine"), (7, "engine"), (2, "Engine"), (7, "start")):
        last = jump(code, "car.py", line, name)
    assert last == alone


def test_plain_names_lead_to_where_they_are_bound():
    code = codebase(HELD)
    assert [(one.path, one.line) for one in jump(code, "car.py", 2, "Engine").answers] == [("engine.py", 4)]
    assert [(one.path, one.line) for one in jump(code, "car.py", 7, "engine").answers] == [("car.py", 5)]
    assert [(one.path, one.line) for one in jump(code, "engine.py", 4, "Base").answers] == [("engine.py", 2)]


def test_position_without_a_name_says_so():
    found = resolve(codebase({"a.py": "x = 1\n\n"}), "a.py", 2, 1)
    assert found.call is None and found.unresolved
    assert resolve(codebase({"a.py": ""}), "b.py", 1, 1).unresolved == "b.py is not in the index"


def test_columns_count_code_points():
    code = codebase({"a.py": "def go(): pass\né = 'ü'; go()\n"})
    assert [one.line for one in resolve(code, "a.py", 2, 10).answers] == [1]


def test_call_behind_an_elif_is_found():
    check("""
        def go(): pass
        def f(x):
            if x == 1:
                pass
            elif x == 2:
                pass
            elif x == 3:
                go()  #! go
    """)


def test_override_below_takes_the_proof_away():
    check("""
        class Base:
            def go(self): pass
            def run(self):
                self.go()  #: Base.go, Sub.go
        class Sub(Base):
            def go(self): pass
    """)


def test_unknown_decorator_takes_the_proof_away():
    code = codebase({"a.py": "import other\n@other.twice\ndef go(): pass\ngo()\n"})
    (answer,) = jump(code, "a.py", 4, "go").answers
    assert answer.certainty == "possible"


def test_wide_base_offers_the_subclasses_that_have_the_member():
    source = """
        import torch.nn as nn
        class One(nn.Module):
            def embed(self): pass
        class Two(One): pass
        class Three(nn.Module):
            def embed(self): pass
        class Runner:
            model: nn.Module
            def run(self):
                self.model.embed()
    """
    code = codebase({"a.py": source})
    found = jump(code, "a.py", 11, "embed")
    assert [(one.owner, one.certainty) for one in found.answers] == [("a.One", "possible"), ("a.Three", "possible")]
    three = code.hierarchy.find_class("Three")
    assert isinstance(three, ClassRef)
    pinned = codebase({"a.py": source}, (Pin("a.Runner.model", three),))
    (answer,) = jump(pinned, "a.py", 11, "embed").answers
    assert answer.owner == "a.Three"
    assert any(reason.startswith("assumed") for reason in answer.why)


def test_candidates_by_name_are_said_to_be_such():
    found = jump(
        codebase({"a.py": "class A:\n    def only_here(self): pass\ndef f(x):\n    x.only_here()\n"}),
        "a.py",
        4,
        "only_here",
    )
    assert [one.certainty for one in found.answers] == ["possible"]
    assert found.unresolved is not None and "by name" in found.unresolved


def test_receiver_called_after_a_class():
    check("""
        class Reporter:
            def warn(self): pass
        class A:
            def warn(self): pass
        class B:
            def warn(self): pass
        class C:
            def warn(self): pass
        def f(reporter):
            reporter.warn()  #: Reporter.warn
    """)


def test_callers_are_found_with_their_certainty():
    code = codebase(
        {
            **HELD,
            "other.py": """
                class Other:
                    def start(self): pass
                def f(other: Other, unknown):
                    other.start()
                    unknown.x.start()
            """,
        }
    )
    base = code.hierarchy.find_class("Base")
    assert isinstance(base, ClassRef)
    found = callers(code, base, "start")
    assert [(row.path, row.line, row.symbol) for row in found.rows if row.path == "car.py"] == [("car.py", 7, "Car.go")]
    assert not [row for row in found.rows if row.line == 5 and row.path == "other.py"]
    assert found.of == "engine.Base.start"


def test_callers_of_a_constructor_are_searched_by_the_name_of_the_class():
    code = codebase({"a.py": "class A:\n    def __init__(self): pass\n\nA()\n"})
    ref = code.hierarchy.find_class("A")
    assert isinstance(ref, ClassRef)
    assert [(row.line, row.certainty) for row in callers(code, ref, "__init__").rows] == [(4, "proved")]


SHADOWED = {
    "app.py": """
        class Lazy:
            @staticmethod
            def func(): pass
            def run(self): pass
            def swap(self, func, run):
                self.func = func
                self.run = run
            def use(self):
                self.func()
                self.run()
                self.swap(None, None)
    """,
}


def test_what_an_attribute_of_the_object_may_hide_is_not_proved():
    code = codebase(SHADOWED)
    for line, name, certainty in ((10, "func", "possible"), (11, "run", "possible"), (12, "swap", "proved")):
        found = [one for one in jump(code, "app.py", line, name).answers if one.owner == "app.Lazy"]
        assert [one.certainty for one in found] == [certainty]
        assert (certainty == "proved") == ("is assigned too" not in found[0].why[-1])
