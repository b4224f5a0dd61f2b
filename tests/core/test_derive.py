"""Derivation: what a consumer needs of an object, however the object is reached. Each test is one shape of reaching it."""

from __future__ import annotations

import pytest
from small_trees import codebase

from sondage.core.answers.contracts import CallShape, Contract, ContractItem
from sondage.core.classes.codebase import finished
from sondage.core.contracts.derive import derive, derive_in_steps
from sondage.errors import UsageError

MODEL = """
    class Model:
        def embed(self): return 1
    class Runner:
        def __init__(self, loader):
            self.model = loader.load()
    class Worker:
        def __init__(self, loader):
            self._runner = Runner(loader)
        @property
        def runner(self) -> "Runner":
            return self._runner
"""


def derived(source: str, receiver: str, consumer: str = "app.py:User") -> Contract:
    return derive(codebase({"app.py": source, "lib.py": MODEL}), [consumer], receiver)


def members(contract: Contract, required: str = "required") -> list[str]:
    return [item.member for item in contract.items if item.required == required]


def item(contract: Contract, member: str) -> ContractItem:
    return next(item for item in contract.items if item.member == member)


# ------------------------------------------------------------------ ways to the object


def test_parameter_that_is_stored_and_a_property_on_the_way():
    contract = derived(
        """
        from lib import Worker
        class User:
            def __init__(self, worker: Worker):
                self.worker = worker
                worker.runner.model.first()
                self.worker.runner.model.second(1, key=2)
        """,
        "self.worker.runner.model",
    )
    assert members(contract) == ["first", "second"]
    assert item(contract, "second").calls == (CallShape(1, ("key",)),)
    assert [use.line for use in item(contract, "first").uses] == [6]


def test_property_of_the_consumer_is_the_same_object_as_what_it_returns():
    contract = derived(
        """
        from lib import Runner
        class Base:
            @property
            def draft_runner(self):
                return self.runner
        class User(Base):
            def __init__(self, runner: Runner):
                self.runner = runner
            def go(self):
                self.draft_runner.model.one()
                self.runner.model.two()
        """,
        "self.draft_runner.model",
    )
    assert members(contract) == ["one", "two"]


def test_attribute_alias_and_private_attribute_behind_a_property():
    contract = derived(
        """
        from lib import Worker
        class User:
            def __init__(self, worker: Worker):
                self._worker = worker
                self.runner = self.worker.runner
            @property
            def worker(self):
                return self._worker
            def go(self):
                self.runner.model.one()
        """,
        "self.worker.runner.model",
    )
    assert members(contract) == ["one"]


def test_element_of_a_list_and_the_variable_of_a_loop():
    contract = derived(
        """
        from lib import Runner
        class User:
            def __init__(self, runners: list[Runner]):
                self.runners = runners
            def go(self, i):
                self.runners[i].model.one()
                for runner in self.runners:
                    runner.model.two()
                for k, runner in enumerate(self.runners):
                    runner.model.three()
                return [r.model.four() for r in self.runners]
        """,
        "self.runners[i].model",
    )
    assert members(contract) == ["four", "one", "three", "two"]


def test_result_of_a_method_with_or_without_annotation():
    contract = derived(
        """
        from lib import Runner
        class User:
            def __init__(self, runners: list[Runner]):
                self.runners = runners
            def runner(self, i):
                return self.runners[i]
            def go(self):
                self.runner(0).model.one()
        """,
        "self.runners[i].model",
    )
    assert members(contract) == ["one"]


def test_chained_assignment_and_local_alias():
    contract = derived(
        """
        class User:
            def __init__(self, runner):
                self.runner = runner
            def go(self):
                self.kept = kept = self.runner.model
                kept.one()
                self.kept.two()
        """,
        "self.runner.model",
    )
    assert members(contract) == ["one", "two"]


def test_closure_and_lambda_use_what_the_function_around_them_knows():
    contract = derived(
        """
        class User:
            def __init__(self, runner):
                self.runner = runner
            def go(self):
                model = self.runner.model
                def run_once():
                    model.one()
                return run_once, lambda: model.two()
        """,
        "self.runner.model",
    )
    assert members(contract) == ["one", "two"]


def test_bound_method_that_travels_is_called_where_it_arrives():
    contract = derived(
        """
        from contextlib import contextmanager
        @contextmanager
        def patched(model):
            yield model.forward
        class User:
            def __init__(self, runner):
                self.runner = runner
            def go(self):
                with patched(self.runner.model) as forward:
                    self.capture(1, forward)
            def capture(self, size, forward):
                return forward(size, size)
        """,
        "self.runner.model",
    )
    assert item(contract, "forward").calls == (CallShape(2),)


def test_arguments_are_followed_into_the_callee_by_position_and_by_name():
    contract = derived(
        """
        def first(model):
            model.one()
        def second(size, *, model=None):
            if model is not None:
                model.two()
        class User:
            def __init__(self, runner):
                self.runner = runner
            def go(self):
                first(self.runner.model)
                second(3, model=self.runner.model)
        """,
        "self.runner.model",
    )
    assert members(contract) == ["one", "two"]
    assert "handed on at app.py:11" in item(contract, "one").uses[0].why
    assert [handed.why for handed in contract.handed] == ["followed into first", "followed into second"]


def test_object_made_with_the_consumer_in_its_hands_from_a_table_of_classes():
    contract = derived(
        """
        class Graph:
            def __init__(self, user):
                self.user = user
                self.runner = user.runner
            def run(self):
                self.runner.model.one()
                self.user.runner.model.two()
        class User:
            def __init__(self, runner, device):
                self.runner = runner
                table = {"a": Graph}
                self.graph = table[device](self)
        """,
        "self.runner.model",
    )
    assert members(contract) == ["one", "two"]


def test_slot_is_every_access_on_that_attribute_of_any_instance():
    contract = derived(
        """
        from lib import Runner, Worker
        class User:
            def __init__(self, runner: Runner):
                runner.model.one()
            def go(self: "Mixed"):
                self.worker.runner.model.two()
        class Mixed(User):
            worker: Worker
        def plain(model_runner):
            model_runner.model.three()
        """,
        "Runner.model",
        "app.py",
    )
    assert members(contract) == ["one", "two", "three"]
    assert [item(contract, name).certainty for name in ("one", "two", "three")] == ["proved", "proved", "possible"]


def test_slot_seen_from_inside_its_own_class():
    contract = derive(
        codebase(
            {
                "app.py": """
                    class Runner:
                        def __init__(self, model):
                            self.model = model
                        def run(self):
                            return self.model.forward(1)
                """
            }
        ),
        ["app.py"],
        "Runner.model",
    )
    assert members(contract) == ["forward"]


def test_receiver_may_start_at_a_parameter():
    contract = derived("def use(runner):\n    runner.model.one()\n", "runner.model", "app.py")
    assert members(contract) == ["one"]


# ------------------------------------------------------------------ how it is used


USER = """
    class User:
        def __init__(self, model):
            self.model = model
"""


def used(body: str) -> Contract:
    lines = "\n".join(f"            {line}" for line in body.strip().split("\n"))
    return derived(f"{USER}        def go(self, flag):\n{lines}\n", "self.model")


def test_reads_writes_and_calls_are_told_apart():
    contract = used("self.model.size\nself.model.name = 1\nself.model.run()\ndel self.model.old")
    assert {item.member: item.uses[0].how for item in contract.items} == {
        "size": "read",
        "name": "write",
        "run": "call",
        "old": "delete",
    }


def test_calling_iterating_and_indexing_the_object_ask_for_special_methods():
    contract = used("self.model(1)\nfor part in self.model:\n    pass\nself.model[0]\nlen(self.model)")
    assert members(contract) == ["__call__", "__getitem__", "__iter__", "__len__"]


def test_conditions_on_the_way_make_an_item_conditional_but_required():
    contract = used("if flag.is_fast():\n    self.model.run()\nelse:\n    self.model.walk()")
    assert item(contract, "run").conditional
    assert item(contract, "run").uses[0].guards == ("flag.is_fast()",)
    assert item(contract, "walk").uses[0].guards == ("not flag.is_fast()",)


def test_early_return_is_a_condition_and_a_failing_check_is_none():
    contract = used("if not flag:\n    return\nassert flag.sane\nself.model.run()")
    assert item(contract, "run").uses[0].guards == ("flag",)


def test_hasattr_getattr_with_default_and_callable_make_a_use_optional():
    contract = used(
        'if hasattr(self.model, "a") and self.model.a:\n'
        "    self.model.a.b\n"
        'getattr(self.model, "c", 0)\n'
        'if callable(getattr(self.model, "d", None)):\n'
        "    self.model.d()\n"
        'if not hasattr(self.model, "e"):\n'
        "    return\n"
        "self.model.e()"
    )
    assert members(contract) == []
    assert members(contract, "optional") == ["a", "c", "d", "e"]


def test_caught_attribute_error_makes_a_use_optional_and_a_broad_except_does_not():
    contract = used(
        "try:\n    self.model.a()\nexcept AttributeError:\n    pass\ntry:\n    self.model.b()\nexcept Exception:\n    pass"
    )
    assert members(contract) == ["b"]
    assert members(contract, "optional") == ["a"]


def test_what_every_object_has_is_not_asked_for():
    assert members(used("self.model.__class__\nself.model.run()")) == ["run"]


def test_receiver_that_leaves_for_unread_code_is_listed_as_an_escape():
    contract = used("from lib2 import compile\ncompile(self.model)\ngetattr(self.model, flag)")
    assert [(escape.line, escape.why) for escape in contract.escapes] == [
        (7, "what is called there was not read"),
        (8, "getattr with a computed name"),
    ]


# ------------------------------------------------------------------ which methods run


def test_overridden_methods_drop_out_and_super_brings_them_back():
    source = """
        class Base:
            def __init__(self, model):
                self.model = model
                self.model.first()
            def go(self):
                self.model.second()
        class Deaf(Base):
            def __init__(self, model):
                self.model = model
            def go(self):
                pass
        class Polite(Base):
            def __init__(self, model):
                super().__init__(model)
            def go(self):
                super().go()
    """
    assert members(derived(source, "self.model", "app.py:Deaf")) == []
    assert members(derived(source, "self.model", "app.py:Polite")) == ["first", "second"]


def test_one_method_as_consumer_counts_alone():
    source = f"{USER}        def go(self):\n            self.model.one()\n        def stay(self):\n            self.model.two()\n"
    assert members(derived(source, "self.model", "app.py:User.go")) == ["one"]


def test_file_as_consumer_takes_every_class_that_has_the_first_step():
    source = """
        class One:
            def __init__(self, model):
                self.model = model
                model.one()
        class Two:
            def __init__(self, model):
                self.model = model
                self.model.two()
        class Other:
            pass
    """
    assert members(derived(source, "self.model", "app.py")) == ["one", "two"]


@pytest.mark.parametrize(
    ("consumer", "receiver", "what"),
    [
        ("nowhere.py", "self.model", "no such file, folder or class"),
        ("app.py:Nobody", "self.model", "Nobody is not defined there"),
        ("app.py:User", "self.moddel", "User has no attribute moddel"),
        ("app.py:User", "1 + 2", "not a receiver"),
    ],
)
def test_consumer_or_receiver_that_means_nothing_is_refused(consumer: str, receiver: str, what: str):
    with pytest.raises(UsageError) as caught:
        derived(USER, receiver, consumer)
    assert caught.value.what == what


def test_derivation_pauses_between_bodies_and_says_the_same():
    source = """
        from lib import Worker
        class User:
            def __init__(self, loader): self.worker = Worker(loader)
            def one(self): return self.worker.runner
            def two(self): return self.worker.runner.model
    """
    code = codebase({"app.py": source, "lib.py": MODEL})
    asked = (["app.py:User"], "self.worker")
    steps = derive_in_steps(code, *asked)
    assert next(steps) is None
    assert next(steps) is None
    assert finished(steps) == derive(code, *asked)
