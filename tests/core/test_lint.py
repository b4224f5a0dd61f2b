"""Lint: what a class's own code asks for and cannot get, and the many cases in which silence is right."""

from __future__ import annotations

from small_trees import codebase
from test_contract import ref_of

from sondage.core.contracts.lint import lint


def rows(source: str, class_name: str = "A") -> list[tuple[int, str, str]]:
    code = codebase({"app.py": source})
    return [(row.line, row.what, row.certainty) for row in lint(code, [ref_of(code, class_name)]).rows]


def test_name_that_no_class_of_a_complete_mro_has_is_proved_missing():
    assert rows("class A:\n    def go(self):\n        return self.gone()\n") == [(3, "self.gone", "proved")]


def test_step_too_few_in_a_path_is_found_behind_an_unread_base():
    source = """
        import torch
        class Inner(torch.Module):
            def __init__(self):
                self.embed = 1
        class Outer(torch.Module):
            def __init__(self):
                self.model = Inner()
        class A(torch.Module):
            def __init__(self):
                self.model = Outer()
            def go(self):
                return self.model.embed, self.model.weight
    """
    assert rows(source) == [(13, "self.model.embed", "possible")]


def test_call_that_does_not_fit_is_told_with_the_signature():
    source = """
        class Inner:
            def go(self, far): return far
        class A:
            def __init__(self):
                self.inner = Inner()
            def run(self):
                self.inner.go()
                self.inner.go(1)
    """
    assert rows(source) == [(8, "self.inner.go", "possible")]


def test_silence_where_hasattr_or_a_caught_error_covers_the_name():
    source = """
        class A:
            def go(self):
                if hasattr(self, "gone"):
                    self.gone()
                try:
                    self.lost()
                except AttributeError:
                    pass
    """
    assert rows(source) == []


def test_silence_where_a_subclass_or_the_partner_of_a_mixin_has_the_name():
    source = """
        import torch
        class A:
            def go(self):
                return self.below, self.beside
        class Sub(A):
            below = 1
        class Mixed(torch.Module, A): pass
    """
    assert rows(source) == []


def test_silence_where_other_code_sets_the_name():
    source = """
        class A:
            def go(self):
                return self.given
        def fill(thing):
            thing.given = 1
    """
    assert rows(source) == []


def test_silence_where_an_unread_base_is_given_keywords():
    source = """
        from lib import Config
        class Part:
            width = 1
        class Settings(Config):
            def __init__(self, **more):
                self.part = Part()
                super().__init__(**more)
        class A:
            def __init__(self):
                self.settings = Settings()
            def go(self):
                return self.settings.width
    """
    assert rows(source) == []


def test_names_that_python_gives_are_not_missing():
    assert rows("class A:\n    def go(self):\n        return self.__class__, self.__dict__\n") == []
