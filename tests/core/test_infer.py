"""Inference: the receivers of calls. Expectations stand in the sources, see `small_trees`."""

from small_trees import check


def test_self_reaches_the_nearest_definition_of_its_chain():
    check("""
        class Base:
            def go(self): pass
            def stay(self): pass
        class Car(Base):
            def go(self): pass
            def run(self):
                self.go()  #! Car.go
                self.stay()  #! Base.stay
    """)


def test_super_starts_behind_its_class():
    check("""
        class Base:
            def __init__(self): pass
            def go(self): pass
        class Car(Base):
            def __init__(self):
                super().__init__()  #! Base.__init__
                super(Car, self).go()  #! Base.go
            def go(self): pass
    """)


def test_cooperative_super_in_a_mixin_answers_for_each_subclass():
    check("""
        class Base:
            def go(self): pass
        class Other:
            def go(self): pass
        class Mixin:
            def go(self):
                super().go()  #: Base.go, Other.go
        class One(Mixin, Base): pass
        class Two(Mixin, Other): pass
    """)


def test_classmethod_receiver_is_the_class():
    check("""
        class Car:
            @classmethod
            def make(cls):
                return cls()
            @classmethod
            def two(cls):
                cls.make()  #! Car.make
                cls.make().go()  #: Car.go
            def go(self): pass
    """)


def test_local_holds_what_its_constructor_makes():
    check("""
        class Car:
            def __init__(self): pass
            def go(self): pass
        def f():
            car = Car()  #! Car.__init__
            car.go()  #: Car.go
            other = car
            other.go()  #: Car.go
    """)


def test_type_alias_in_a_function_hides_the_name_outside():
    check("""
        class Car:
            def go(self): pass
        class Plane:
            def go(self): pass
        Thing = Plane
        Made = Plane
        def f(one, other):
            type Thing = Car
            type Made[T] = Car
            first: Thing = one
            first.go()  #: Car.go
            second: Made = other
            second.go()  #: Car.go
    """)


def test_attribute_holds_what_a_method_assigns():
    check("""
        class Engine:
            def start(self): pass
        class Car:
            def __init__(self):
                self.engine = Engine()
            def go(self):
                self.engine.start()  #: Engine.start
        class Garage:
            car: Car
            def go(self):
                self.car.engine.start()  #: Engine.start
    """)


def test_annotated_parameter_passed_on_to_an_attribute():
    check("""
        class Engine:
            def start(self): pass
        class Car:
            def __init__(self, engine: "Engine | None"):
                self.engine = engine
            def go(self):
                self.engine.start()  #: Engine.start
    """)


def test_property_and_return_annotation():
    check("""
        from functools import cached_property
        class Engine:
            def start(self): pass
        class Car:
            @property
            def engine(self) -> Engine: ...
            @cached_property
            def spare(self):
                return Engine()
            def make(self) -> "Engine": ...
            def go(self):
                self.engine.start()  #: Engine.start
                self.spare.start()  #: Engine.start
                self.make().start()  #: Engine.start
    """)


def test_elements_of_annotated_and_built_containers():
    check("""
        from typing import Dict, List, Optional
        class Engine:
            def start(self): pass
        def f(engines: List[Engine], by_name: Dict[str, Optional[Engine]], pair: tuple[int, Engine]):
            for engine in engines:
                engine.start()  #: Engine.start
            for name, engine in by_name.items():
                engine.start()  #: Engine.start
            number, last = pair
            last.start()  #: Engine.start
            engines[0].start()  #: Engine.start
            [one.start() for one in engines]  #: Engine.start
            mine = []
            mine.append(Engine())
            mine[0].start()  #: Engine.start
            for index, one in enumerate(sorted(engines)):
                one.start()  #: Engine.start
    """)


def test_with_target_is_what_enter_returns():
    check("""
        from contextlib import contextmanager
        class Engine:
            def __enter__(self): return self
            def start(self): pass
        @contextmanager
        def opened():
            yield Engine()
        def f():
            with Engine() as engine:
                engine.start()  #: Engine.start
            with opened() as engine:
                engine.start()  #: Engine.start
    """)


def test_isinstance_narrows():
    check("""
        class A:
            def go(self): pass
        class B:
            def go(self): pass
        def f(x, y: A | B):
            if isinstance(x, A):
                x.go()  #: A.go
            if not isinstance(y, A):
                y.go()  #: B.go
            assert isinstance(x, B)
            x.go()  #: B.go
            return isinstance(y, B) and y.go()  #: B.go
    """)


def test_union_has_one_answer_each():
    check("""
        class A:
            def go(self): pass
        class B:
            def go(self): pass
        def f(flag):
            x = A() if flag else B()
            x.go()  #: A.go, B.go
    """)


def test_later_binding_shuts_off_the_earlier_one():
    check("""
        class A:
            def go(self): pass
        class B:
            def go(self): pass
        def f(flag):
            x = A()
            x = B()
            x.go()  #: B.go
            if flag:
                x = A()
                x.go()  #: A.go
            x.go()  #: B.go, A.go
    """)


def test_type_variables_follow_arguments_and_bases():
    check("""
        from typing import Generic, Type, TypeVar
        T = TypeVar("T")
        class Engine:
            def start(self): pass
        def same(x: T) -> T: ...
        def make(kind: Type[T]) -> T: ...
        class Box(Generic[T]):
            def get(self) -> T: ...
        class EngineBox(Box[Engine]): pass
        def f(box: Box[Engine]):
            same(Engine()).start()  #: Engine.start
            make(Engine).start()  #: Engine.start
            box.get().start()  #: Engine.start
            EngineBox().get().start()  #: Engine.start
    """)


def test_unannotated_parameter_is_what_the_callers_give():
    check("""
        class Engine:
            def start(self): pass
        def run(engine):
            engine.start()  #: Engine.start
        def f():
            run(Engine())
    """)


def test_getattr_that_hands_on_is_followed():
    check("""
        class Engine:
            def start(self): pass
        class Car:
            def __init__(self):
                self._engine = Engine()
            def go(self): pass
            def __getattr__(self, name):
                return getattr(self._engine, name)
        car = Car()
        car.start()  #: Engine.start
        car.go()  #: Car.go
    """)


def test_import_that_is_not_there_is_not_guessed_about():
    check("""
        import missing
        class Engine:
            def only_here(self): pass
        def f():
            x = missing.make()
            x.only_here()  #:
            missing.Thing().a.only_here()  #:
    """)


def test_module_functions_and_re_exports():
    check(
        {
            "pkg/__init__.py": "from .work import run as launch\n",
            "pkg/work.py": "def run(): pass\n",
            "use.py": "import pkg\nfrom pkg import launch, work\npkg.launch()  #! run\nlaunch()  #! run\nwork.run()  #! run\n",
        }
    )


def test_partial_lambda_and_call_method():
    check("""
        from functools import partial
        def run(a): pass
        class Engine:
            def __call__(self): pass
        class Car:
            def __init__(self):
                self.engine = Engine()
                self.later = lambda: self.now()  #: Car.now
            def now(self): pass
            def go(self):
                self.engine()  #: Engine.__call__
                half = partial(run, 1)
                half()  #: run
    """)


def test_calling_a_torch_module_runs_its_forward():
    check("""
        import torch.nn as nn
        class Layer(nn.Module):
            def forward(self, x): pass
        class Model(nn.Module):
            def __init__(self):
                self.layer = Layer()
            def forward(self, x):
                return self.layer(x)  #: Layer.forward
    """)


def test_overriding_subclasses_are_named_beside_the_declared_definition():
    check("""
        class Base:
            def go(self): return 1
            def left(self): raise NotImplementedError
            def run(self):
                self.go()  #: Base.go, Sub.go
                self.left()  #: Sub.left
        class Sub(Base):
            def go(self): return 2
            def left(self): return 3
        def f():
            Base().go()  #: Base.go
    """)


def test_enum_members_have_the_methods_of_their_class():
    check("""
        from enum import Enum
        class Colour(Enum):
            RED = 1
            def label(self): pass
        Colour.RED.label()  #: Colour.label
        Colour["RED"].label()  #: Colour.label
        for colour in Colour:
            colour.label()  #: Colour.label
    """)


def test_dataclass_field_and_default_factory():
    check("""
        from dataclasses import dataclass, field
        class Unit:
            def scale(self): pass
        @dataclass
        class Item:
            unit: Unit = field(default_factory=Unit)
            def describe(self):
                self.unit.scale()  #: Unit.scale
    """)


def test_asynchronous_results_are_awaited():
    check("""
        class Engine:
            async def start(self): pass
        async def make() -> Engine: ...
        async def f():
            engine = await make()
            await engine.start()  #: Engine.start
    """)


def test_result_that_is_a_tuple_with_gaps_or_something_that_was_not_read_is_followed():
    check("""
        from typing import Callable, Tuple, Union
        from torch import Tensor
        class Engine:
            def go(self): pass
        def make() -> Union[Tuple[Callable[[], int], Engine], Tensor]:
            return print, Engine()
        def run():
            _, engine = make()
            engine.go()  #: Engine.go
    """)


def test_container_is_filled_however_that_is_written():
    check("""
        class Engine:
            def go(self): pass
        class Car:
            def __init__(self):
                self.parts, self.others, self.more = {}, {}, []
            def build(self, key):
                if key:
                    (self.parts)[key] = other = Engine()
                self.others \\
                    [key] = Engine()
                (self
                    .more  # all of them
                    .append(Engine()))
            def run(self, key):
                self.parts[key].go()  #: Engine.go
                self.others[key].go()  #: Engine.go
                self.more[0].go()  #: Engine.go
    """)


def test_name_that_the_body_imports_hides_the_one_outside():
    check(
        {
            "pkg/__init__.py": "",
            "pkg/tools.py": "def go(): pass",
            "run.py": """
            class pkg:
                def go(self): pass
            def run():
                import os, pkg.tools
                pkg.tools.go()  #: go
        """,
        }
    )
