"""Owns the members that a project's own hooks put on classes: `__init_subclass__`, metaclasses, decorators, `__set_name__`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sondage.core.classes.builtin_classes import MODULES
from sondage.core.classes.class_parts import ClassParts, first_parameter
from sondage.core.classes.lineage import Lineage
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.late import late_pattern
from sondage.core.source import syntax
from sondage.core.source.facts import AttributeAssigned, ClassScope, FileFacts, FunctionScope, Guard
from sondage.core.source.syntax import Expr
from sondage.core.source.written import Written, read

_CALLED = late_pattern(r"([\w.]+)\(")
Set = tuple[str, str]
"""A name, and by what it is set."""


class Hooks:
    """`parts(path)` are the class parts of a file."""

    def __init__(self, lineage: Lineage, parts: Callable[[str], ClassParts]) -> None:
        self.lineage = lineage
        self.world = lineage.world
        self.parts = parts

    def members(self, ref: ClassRef, written: Mapping[str, object]) -> Iterator[Set]:
        """What is set on a class when it is made; `written` are the names of its own body."""
        scope = self.world.facts(ref.path).scopes[ref.scope]
        assert isinstance(scope, ClassScope)
        for base in self.lineage.linear(ref).order[1:]:
            if base.scope >= 0 and not _is_standard(base):
                yield from self._by_init_subclass(base, scope, written)
        metaclass = self.lineage.metaclass(ref)
        for meta in self.lineage.linear(metaclass).order if metaclass is not None else ():
            if meta.scope >= 0 and not _is_standard(meta):
                yield from self._by_metaclass(meta, ref, written)
        yield from self._by_decorators(ref, scope)
        yield from self._by_descriptors(ref)

    # ---- __init_subclass__

    def _by_init_subclass(self, base: ClassRef, scope: ClassScope, written: Mapping[str, object]) -> Iterator[Set]:
        facts = self.world.facts(base.path)
        note = f"__init_subclass__ of {base.name}"
        for attribute in self.parts(base.path).on_class.get(base.scope, ()):
            function = facts.scopes[attribute.scope]
            if not isinstance(function, FunctionScope) or function.name != "__init_subclass__":
                continue
            if self._sets(base, attribute, _Class(function, scope, written)):
                yield attribute.name, note
        for call in facts.hook_calls:
            function = facts.scopes[call.scope]
            if function.parent != base.scope or not isinstance(function, FunctionScope):
                continue
            if _runs(facts.guards, call.guard, _Class(function, scope, written)) is not False:
                yield from ((name, note) for name in self._set_by_method(base, call.call, function))

    def _sets(self, above: ClassRef, attribute: AttributeAssigned, about: _Class, path: str = "") -> bool:
        """Whether a hook sets an attribute. Where its condition is not known, what a class above writes itself is left alone."""
        runs = _runs(self.world.facts(path or above.path).guards, attribute.guard, about)
        if runs is not None:
            return runs
        order = self.lineage.linear(above).order[bool(path) :]
        return not any(
            self.world.bindings(one.path).all_of(one.scope, attribute.name) for one in order if one.scope >= 0
        )

    def _set_by_method(self, base: ClassRef, call: Written, hook: FunctionScope) -> Iterator[str]:
        """What a classmethod that the hook calls on the class assigns there."""
        value = call.expression
        func = value.func if isinstance(value, syntax.Call) else value
        if not isinstance(func, syntax.Attribute) or not isinstance(func.value, syntax.Name):
            return
        if func.value.id != first_parameter(hook):
            return
        facts = self.world.facts(base.path)
        for attribute in self.parts(base.path).on_class.get(base.scope, ()):
            if facts.scopes[attribute.scope].name == func.attr:
                yield attribute.name

    # ---- metaclasses

    def _by_metaclass(self, meta: ClassRef, ref: ClassRef, written: Mapping[str, object]) -> Iterator[Set]:
        facts = self.world.facts(meta.path)
        for attribute in self.parts(meta.path).instance.get(meta.scope, ()):
            function = facts.scopes[attribute.scope]
            if not isinstance(function, FunctionScope) or function.name not in ("__new__", "__init__"):
                continue
            if self._sets(ref, attribute, _Class(function, None, written), meta.path):
                yield attribute.name, f"metaclass {meta.name}"

    # ---- class decorators

    def _by_decorators(self, ref: ClassRef, scope: ClassScope) -> Iterator[Set]:
        for decorator in scope.decorators:
            value = decorator.expression
            func = value.func if isinstance(value, syntax.Call) else value
            for meaning in self.lineage.names.evaluate(func, ref.path, scope.parent, decorator.at)[:1]:
                if isinstance(meaning.target, FunctionRef):
                    note = f"@{decorator.text.partition('(')[0]}"
                    yield from ((name, note) for name in self._assigned_in(meaning.target))

    def _assigned_in(self, function: FunctionRef) -> Iterator[str]:
        """Attributes that a function, or one nested in it, assigns on a parameter of its own."""
        facts = self.world.facts(function.path)
        for attribute in self.parts(function.path).outside:
            if _inside(facts, attribute.scope, function.scope) and _on_parameter(facts, attribute):
                yield attribute.name

    # ---- descriptors

    def _by_descriptors(self, ref: ClassRef) -> Iterator[Set]:
        """`setattr(owner, f"_{name}", …)` in the `__set_name__` of what the class body binds."""
        bindings = self.world.bindings(ref.path)
        for assigned in bindings.assigned_in(ref.scope):
            called = _CALLED.match(assigned.value.text) if assigned.value else None
            if called is None or assigned.value is None:
                continue
            head = read(called[1], assigned.value.at)
            for meaning in self.lineage.names.evaluate(head, ref.path, ref.scope, assigned.at)[:1]:
                if isinstance(meaning.target, ClassRef):
                    for pattern in self._patterns(meaning.target):
                        yield pattern.replace("{name}", assigned.name), f"__set_name__ of {meaning.target.name}"

    def _patterns(self, ref: ClassRef) -> Iterator[str]:
        for one in self.lineage.linear(ref).order:
            if one.scope < 0:
                continue
            facts = self.world.facts(one.path)
            for attribute in self.parts(one.path).outside:
                function = facts.scopes[attribute.scope]
                if function.name == "__set_name__" and function.parent == one.scope and "{name}" in attribute.name:
                    yield attribute.name


class _Class:
    """What is known about the class that a hook runs for."""

    def __init__(self, hook: FunctionScope, scope: ClassScope | None, written: Mapping[str, object]) -> None:
        self.written = written
        self.given = {one.name: one.value.text for one in scope.keywords if one.name} if scope else {}
        self.defaults = {one.name: one.default for one in hook.parameters if one.default is not None}
        self.namespace = hook.parameters[3].name if hook.name == "__new__" and len(hook.parameters) > 3 else ""

    def value(self, name: str) -> str | None:
        """The text of the value a parameter of the hook gets; None where it is not known."""
        if name in self.given:
            return self.given[name]
        default = self.defaults.get(name)
        return getattr(default, "value", None) if default is not None else None

    def is_namespace(self, value: Expr) -> bool:
        if isinstance(value, syntax.Attribute):
            return value.attr == "__dict__"
        if isinstance(value, syntax.Call):
            return isinstance(value.func, syntax.Name) and value.func.id == "vars"
        return isinstance(value, syntax.Name) and value.id == self.namespace


def _is_standard(ref: ClassRef) -> bool:
    """What the standard library's own hooks do is known to `core.classes.generated`, and better than it could be read off."""
    return ref.name.partition(".")[0] in MODULES


def _runs(guards: tuple[Guard, ...], index: int, about: _Class) -> bool | None:
    """Whether the branch runs for the class; None where that cannot be judged."""
    known: bool | None = True
    while index >= 0:
        guard = guards[index]
        tests = [_judge(read(test, 1), about) for test in guard.failed]
        if guard.kind in ("if", "elif"):
            own = _judge(read(guard.test, 1), about)
            tests.append(None if own is None else not own)
        if True in tests:
            return False
        if None in tests:
            known = None
        index = guard.parent
    return known


def _judge(test: Expr, about: _Class) -> bool | None:
    match test:
        case syntax.UnaryOp(op="not"):
            inner = _judge(test.operand, about)
            return None if inner is None else not inner
        case syntax.BoolOp():
            values = [_judge(one, about) for one in test.values]
            if (test.op == "or") in values:
                return test.op == "or"
            return None if None in values else test.op == "and"
        case syntax.Name():
            value = about.value(test.id)
            return {"True": True, "False": False, "None": False}.get(value or "")
        case syntax.Compare(left=syntax.Name() as name, ops=("is" | "is not" as op,)):
            value = about.value(name.id)
            is_none = isinstance(test.comparators[0], syntax.Constant) and test.comparators[0].kind == "None"
            return None if value is None or not is_none else (value == "None") == (op == "is")
        case syntax.Compare(left=syntax.Text() as name, ops=("in" | "not in" as op,)):
            if about.is_namespace(test.comparators[0]):
                return (name.value in about.written) == (op == "in")
    return None


def _inside(facts: FileFacts, scope: int, function: int) -> bool:
    while scope > 0 and scope != function:
        scope = facts.scopes[scope].parent
    return scope == function


def _on_parameter(facts: FileFacts, attribute: AttributeAssigned) -> bool:
    scope = attribute.scope
    while scope > 0:
        here = facts.scopes[scope]
        if isinstance(here, FunctionScope) and any(one.name == attribute.base.text for one in here.parameters):
            return True
        scope = here.parent
    return False
