"""Contracts on small trees: every verdict of the table, its order of precedence, its certainty and its evidence."""

from __future__ import annotations

from small_trees import codebase

from sondage.core.answers.contracts import CallShape, Contract, ContractItem, Use, Verdict
from sondage.core.classes.codebase import Codebase, Pin
from sondage.core.classes.refs import ClassRef
from sondage.core.contracts import contract


def ref_of(code: Codebase, name: str) -> ClassRef:
    found = code.hierarchy.find_class(name)
    assert isinstance(found, ClassRef), found
    return found


def verdict(source: str, class_name: str, member: str) -> Verdict:
    code = codebase({"app.py": source})
    return contract.locate(code, ref_of(code, class_name), [member]).verdicts[0]


# ------------------------------------------------------------------ provided


def test_method_in_the_class_body_is_own_and_proved():
    found = verdict("class A:\n    def go(self, far: int = 1) -> None: return\n", "A", "go")
    assert (found.verdict, found.certainty, found.mark) == ("own", "proved", "✓")
    assert (found.owner, found.kind, found.path, found.line) == ("app.A", "method", "app.py", 2)
    assert found.signature == "(self, far: int = 1) -> None"
    assert found.evidence[0].quote == "    def go(self, far: int = 1) -> None: return"


def test_method_defined_two_classes_up_is_inherited_from_there():
    source = """
        class Top:
            def go(self): return 1
        class Middle(Top): pass
        class Low(Middle): pass
    """
    found = verdict(source, "Low", "go")
    assert (found.verdict, found.owner, found.line, found.certainty) == ("inherited", "app.Top", 3, "proved")


def test_definition_before_an_open_end_is_proved_and_one_behind_it_is_possible():
    source = """
        import torch
        class Loader:
            def load(self): return 1
        class Model(torch.Module, Loader):
            def go(self): return 1
    """
    assert verdict(source, "Model", "go").certainty == "proved"
    behind = verdict(source, "Model", "load")
    assert (behind.verdict, behind.certainty) == ("inherited", "possible")
    assert any("torch.Module" in why for why in behind.why)


def test_method_that_only_hands_on_is_forwarded_and_names_its_target():
    source = """
        class Inner:
            def embed(self): return 1
        class Outer:
            def __init__(self):
                self.inner = Inner()
            def embed(self):
                return self.inner.embed()
    """
    found = verdict(source, "Outer", "embed")
    assert (found.verdict, found.via, found.line) == ("forwarded", "self.inner", 7)
    assert found.target is not None
    assert (found.target.owner, found.target.line) == ("app.Inner", 3)
    assert not found.doubtful


def test_guarded_forwarder_is_forwarded_with_its_guards():
    source = """
        class Inner:
            def embed(self): return 1
        class Outer:
            def __init__(self):
                self.inner = Inner()
            def embed(self):
                if hasattr(self.inner, "embed"):
                    return self.inner.embed()
                return None
    """
    found = verdict(source, "Outer", "embed")
    assert found.verdict == "forwarded"
    assert found.guards == ('hasattr(self.inner, "embed")',)


def test_method_that_also_does_something_of_its_own_is_own():
    source = """
        class Inner:
            def capture(self): return 1
        class Outer:
            def __init__(self):
                self.inner = Inner()
            def capture(self):
                self.on = True
                self.inner.capture()
    """
    assert verdict(source, "Outer", "capture").verdict == "own"


def test_forwarder_whose_target_lacks_the_member_is_doubtful():
    source = """
        class Inner: pass
        class Outer:
            def __init__(self):
                self.inner = Inner()
            def embed(self):
                return self.inner.embed()
    """
    found = verdict(source, "Outer", "embed")
    assert (found.verdict, found.doubtful, found.target) == ("forwarded", True, None)
    assert "self.inner is of class Inner, which does not provide it" in found.why


def test_name_put_on_the_class_from_outside_is_assigned():
    found = verdict("class A: pass\ndef later(self): return 1\nA.go = later\n", "A", "go")
    assert (found.verdict, found.line) == ("assigned", 3)


def test_literal_setattr_on_the_class_is_assigned():
    assert verdict("class A: pass\nsetattr(A, 'go', len)\n", "A", "go").verdict == "assigned"


def test_attribute_set_in_init_is_instance_and_proved():
    found = verdict("class A:\n    def __init__(self):\n        self.size = 3\n", "A", "size")
    assert (found.verdict, found.certainty, found.line) == ("instance", "proved", 3)


def test_attribute_set_in_another_method_or_under_a_condition_is_only_possible():
    source = """
        class A:
            def __init__(self, big):
                if big:
                    self.size = 3
            def load(self):
                self.weights = 1
    """
    assert verdict(source, "A", "size").certainty == "possible"
    assert verdict(source, "A", "weights").certainty == "possible"


def test_attribute_of_an_init_that_is_not_called_is_only_possible():
    source = """
        class Base:
            def __init__(self):
                self.size = 3
        class Deaf(Base):
            def __init__(self):
                pass
        class Polite(Base):
            def __init__(self):
                super().__init__()
    """
    deaf = verdict(source, "Deaf", "size")
    assert (deaf.verdict, deaf.certainty) == ("instance", "possible")
    assert "assigned in Base.__init__, which Deaf.__init__ does not call" in deaf.why
    assert verdict(source, "Polite", "size").certainty == "proved"


def test_annotation_without_a_value_gives_nothing():
    found = verdict("class A:\n    size: int\n", "A", "size")
    assert found.verdict == "absent"
    assert "annotated at app.py:2, which gives it no value" in found.why


# ------------------------------------------------------------------ __getattr__


GETATTR = """
    class Inner:
        def embed(self): return 1
    class Outer:
        def __init__(self):
            self.inner = Inner()
        def __getattr__(self, name):
            if name == "inner":
                return None
            return getattr(self.inner, name)
    class Store:
        def __init__(self):
            self.things = {}
        def __getattr__(self, name):
            things = self.__dict__["things"]
            if name in things:
                return things[name]
            raise AttributeError(name)
    class Oracle:
        def __getattr__(self, name):
            return make(name)
"""


def test_getattr_that_hands_on_to_an_object_with_the_member_is_forwarded_and_possible():
    found = verdict(GETATTR, "Outer", "embed")
    assert (found.verdict, found.certainty, found.via) == ("forwarded", "possible", "self.inner")
    assert found.target is not None
    assert found.target.owner == "app.Inner"


def test_getattr_that_hands_on_to_an_object_without_the_member_leaves_it_to_a_subclass_of_it():
    found = verdict(GETATTR, "Outer", "other")
    assert (found.verdict, found.certainty) == ("dynamic", "possible")
    assert any("has no such member; an object of a subclass of it could" in why for why in found.why)


def test_getattr_that_only_looks_into_its_own_containers_provides_nothing():
    assert verdict(GETATTR, "Store", "embed").verdict == "absent"


def test_getattr_that_may_answer_anything_makes_the_verdict_dynamic():
    found = verdict(GETATTR, "Oracle", "embed")
    assert (found.verdict, found.mark) == ("dynamic", "?")
    assert "Oracle.__getattr__ may answer it" in found.why


# ------------------------------------------------------------------ not provided


HELD = """
    class Base:
        def embed(self): return 1
    class Language(Base): pass
    class Plain: pass
    class Model:
        def __init__(self, big):
            if big:
                self.language = Language()
            else:
                self.language = Plain()
"""


def test_member_of_an_attribute_is_held_with_the_way_to_it():
    found = verdict(HELD, "Model", "embed")
    assert (found.verdict, found.mark, found.certainty) == ("held", "✗", "proved")
    assert found.via == "self.language → Language → Base"
    assert (found.owner, found.line) == ("app.Base", 3)
    assert [row.line for row in found.evidence] == [9, 3]
    assert "self.language may also be Plain, without it" in found.why


def test_data_attribute_of_an_attribute_is_held_too():
    source = """
        class Inner:
            def __init__(self):
                self.size = 3
        class Outer:
            def __init__(self):
                self.inner = Inner()
    """
    assert verdict(source, "Outer", "size").via == "self.inner → Inner"


def test_held_behind_an_open_end_is_possible_and_names_it():
    source = """
        import torch
        class Inner:
            def embed(self): return 1
        class Outer(torch.Module):
            def __init__(self):
                self.inner = Inner()
    """
    found = verdict(source, "Outer", "embed")
    assert (found.verdict, found.certainty) == ("held", "possible")
    assert any("torch.Module" in why for why in found.why)


def test_every_holder_is_listed():
    source = """
        class One:
            def embed(self): return 1
        class Two:
            def embed(self): return 2
        class Outer:
            def __init__(self, big):
                self.first = One() if big else Two()
                self.second = Two()
    """
    found = verdict(source, "Outer", "embed")
    assert [holder.via for holder in found.holders] == ["self.first → One", "self.first → Two", "self.second → Two"]


def test_abstract_method_that_nothing_fills_is_abstract():
    source = """
        from abc import ABC, abstractmethod
        class Capability(ABC):
            @abstractmethod
            def process(self): ...
            def close(self):
                raise NotImplementedError
        class Facet:
            def process(self): return 1
        class Good(Facet, Capability): pass
        class Wrong(Capability, Facet): pass
    """
    assert verdict(source, "Good", "process").verdict == "inherited"
    wrong = verdict(source, "Wrong", "process")
    assert (wrong.verdict, wrong.owner) == ("abstract", "app.Capability")
    assert "Facet has one at app.py:9, later in the MRO" in wrong.why
    assert verdict(source, "Good", "close").verdict == "abstract"


def test_name_that_nobody_defines_is_absent_and_proved_on_a_complete_mro():
    found = verdict("class A: pass\n", "A", "go")
    assert (found.verdict, found.certainty, found.mark) == ("absent", "proved", "✗")


def test_name_that_was_not_found_behind_an_open_end_is_unknown():
    found = verdict("from somelib import Plugin\nclass A(Plugin): pass\n", "A", "go")
    assert (found.verdict, found.mark) == ("unknown", "?")
    assert any("somelib.Plugin" in why for why in found.why)


def test_unread_metaclass_makes_the_verdict_dynamic():
    assert verdict("from orm import Meta\nclass A(metaclass=Meta): pass\n", "A", "go").verdict == "dynamic"


def test_class_that_sets_computed_names_is_dynamic():
    source = "class A:\n    def __init__(self, **more):\n        for k, v in more.items():\n            setattr(self, k, v)\n"
    found = verdict(source, "A", "go")
    assert found.verdict == "dynamic"
    assert "A.__init__ sets attributes under computed names" in found.why


# ------------------------------------------------------------------ checking


def item(member: str, *calls: CallShape, required: str = "required", signature: str = "") -> ContractItem:
    uses = tuple(Use("call", "use.py", 9, call=call) for call in calls)
    return ContractItem(member, required, uses=uses, signature=signature)  # type: ignore[arg-type]


def checked(source: str, *items: ContractItem):
    code = codebase({"app.py": source})
    return contract.check(code, [ref_of(code, "A")], Contract("asked", items)).results[0]


def test_call_with_too_few_arguments_does_not_fit():
    report = checked("class A:\n    def go(self, far): return 1\n", item("go", CallShape(0), CallShape(1)))
    assert report.items[0].call_fits is False
    assert "called with 0 arguments at use.py:9: missing argument far" in report.items[0].why
    assert report.met is False


def test_calls_that_fit_are_told():
    report = checked("class A:\n    def go(self, far=1): return 1\n", item("go", CallShape(0), CallShape(1)))
    assert (report.items[0].call_fits, report.met) == (True, True)


def test_call_of_a_function_under_an_unknown_decorator_is_left_open():
    report = checked(
        "from lib import wrap\nclass A:\n    @wrap\n    def go(self): return 1\n", item("go", CallShape(5))
    )
    assert report.items[0].call_fits is None
    assert report.met is True


def test_optional_member_that_is_missing_breaks_nothing():
    report = checked("class A: pass\n", item("go", required="optional"))
    assert report.met is True


def test_stated_signature_is_compared_without_annotations():
    report = checked(
        "class A:\n    def go(self, far: int = 1): return 1\n",
        item("go", signature="(self, far=1)"),
        item("go", signature="(self)"),
    )
    assert [verdict.same_signature for verdict in report.items] == [True, False]


# ------------------------------------------------------------------ a library that was read


TORCH = """
    def _forward_unimplemented(self, *input):
        raise NotImplementedError(type(self).__name__)
    class Module:
        def __init__(self, *args, **kwargs):
            super().__setattr__("training", True)
            super().__setattr__("_parameters", dict())
        forward = _forward_unimplemented
        def register_parameter(self, name, param):
            self._parameters[name] = param
        def _load_from_state_dict(self, state_dict, prefix):
            local_state = {k: v for k, v in self._parameters.items()}
            for name, param in local_state.items():
                setattr(self, name, state_dict[prefix + name])
        def __setstate__(self, state):
            self.__dict__.update(state)
        def __getattr__(self, name):
            if "_parameters" in self.__dict__:
                _parameters = self.__dict__["_parameters"]
                if name in _parameters:
                    return _parameters[name]
            raise AttributeError(f"no {name}")
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
"""
MODELS = """
    from torchlike import Module
    class Language(Module):
        def __init__(self):
            super().__init__()
            self.embed_tokens = 1
        def embed(self): return 1
    class A(Module):
        def __init__(self):
            super().__init__()
            self.language = Language()
        def go(self):
            return self.language.embed_tokens, self.weight, self.language.weight
"""


def test_held_and_absent_are_proved_once_the_library_base_was_read():
    code = codebase({"torchlike.py": TORCH, "app.py": MODELS})
    held, absent, forward = contract.locate(code, ref_of(code, "app.A"), ["embed", "run", "forward"]).verdicts
    assert (held.verdict, held.certainty) == ("held", "proved")
    assert (absent.verdict, absent.certainty) == ("absent", "proved")
    assert any("registered there at run time is not seen" in why for why in absent.why)
    assert (forward.verdict, forward.owner) == ("abstract", "torchlike.Module")


def test_data_of_a_library_object_that_nobody_writes_is_not_called_missing():
    code = codebase({"torchlike.py": TORCH, "app.py": MODELS})
    assert not contract.locate(code, ref_of(code, "app.A"), ["go"]).verdicts[0].doubtful


def test_options_that_become_attributes_make_the_verdict_dynamic():
    source = "class A:\n    def __init__(self, **options):\n        self.__dict__.update(options)\n"
    assert verdict(source, "A", "go").verdict == "dynamic"


def test_field_of_a_dataclass_without_a_default_is_on_every_instance():
    source = "from dataclasses import dataclass\n@dataclass\nclass A:\n    size: int\n    kind: 'ClassVar[int]'\n"
    assert verdict(source, "A", "size").verdict == "instance"
    assert verdict(source, "A", "kind").verdict == "absent"


def test_attribute_set_by_other_code_on_a_known_instance_is_dynamic():
    source = "class A: pass\ndef fill(a: A):\n    a.given = 1\n"
    found = verdict(source, "A", "given")
    assert found.verdict == "dynamic"
    assert "set from outside at app.py:3" in found.why


def test_init_of_another_class_run_on_self_is_dynamic():
    source = """
        class Lender:
            def __init__(self):
                self.lent = 1
        class A:
            def __init__(self):
                Lender.__init__(self)
    """
    assert verdict(source, "A", "lent").verdict == "dynamic"
    assert verdict(source, "A", "other").verdict == "absent"


def test_body_that_could_not_be_read_leaves_a_missing_name_unknown():
    found = verdict("class A:\n    def go(self:\n        return (((\n    def stay(self): return 1\n", "A", "gone")
    assert (found.verdict, found.certainty) == ("unknown", "possible")


def test_assumption_that_an_answer_rests_on_is_told():
    files = {
        "app.py": "class B:\n    def go(self): return 1\nclass A:\n    def __init__(self, b):\n        self.b = b\n"
    }
    ref = ref_of(codebase(files), "B")
    code = codebase(files, (Pin("app.A.b", ref),))
    found = contract.locate(code, ref_of(code, "A"), ["go"]).verdicts[0]
    assert found.verdict == "held"
    assert "assumed: app.A.b is app.B" in found.why


def test_name_that_the_class_body_takes_away_cannot_be_called():
    report = checked("class A:\n    go = None\n", item("go", CallShape(0)))
    assert report.items[0].call_fits is False
