"""Owns classes that functions make: what a call of a function gives back where that is a class it holds or builds by `type(…)`."""

from __future__ import annotations

import msgspec

from sondage.core.classes.class_parts import first_parameter, is_classmethod
from sondage.core.classes.names import Names
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.classes.world import World
from sondage.core.source import syntax
from sondage.core.source.facts import Assigned, FunctionScope
from sondage.core.source.syntax import Expr


class Built(msgspec.Struct, frozen=True):
    """A class that a function builds by `type(name, bases, …)`; `bases` as far as they are classes, None for others."""

    ref: ClassRef
    bases: tuple[ClassRef | None, ...]
    call: syntax.Call


class Factories:
    """Follows one call into the function it calls; the function's own calls are not followed."""

    def __init__(self, world: World, names: Names) -> None:
        self.world = world
        self.names = names

    def result(self, function: FunctionRef, call: syntax.Call, path: str, scope: int) -> ClassRef | Built | None:
        """The class that the call gives back, where every `return` of the function gives the same."""
        facts = self.world.facts(function.path).scopes[function.scope]
        if not isinstance(facts, FunctionScope) or not facts.results:
            return None
        found = {self._of_result(one.expression, function, call, (path, scope)) for one in facts.results}
        return found.pop() if len(found) == 1 else None

    def _of_result(
        self, value: Expr, function: FunctionRef, call: syntax.Call, caller: tuple[str, int]
    ) -> ClassRef | Built | None:
        if isinstance(value, syntax.Name):
            meanings = self.names.evaluate(value, function.path, function.scope, None)
            targets = {one.target for one in meanings}
            only = targets.pop() if len(targets) == 1 else None
            return only if isinstance(only, ClassRef) else None
        if not isinstance(value, syntax.Call) or not isinstance(value.func, syntax.Name) or value.func.id != "type":
            return None
        if len(value.args) < 2 or not isinstance(value.args[1], syntax.Sequence):
            return None
        given = _Arguments(self, function, call, caller)
        name = given.text(value.args[0])
        if name is None:
            return None
        bases = tuple(given.class_of(one) for one in value.args[1].elements)
        ref = ClassRef(self.names.full_name(function.path, name), caller[0], -1, call.at)
        return Built(ref, bases, value)


class _Arguments:
    """The values that a function's parameters have in one call."""

    def __init__(self, factories: Factories, function: FunctionRef, call: syntax.Call, caller: tuple[str, int]) -> None:
        self.names = factories.names
        self.function = function
        self.facts = factories.world.facts(function.path)
        scope = self.facts.scopes[function.scope]
        assert isinstance(scope, FunctionScope)
        self.scope = scope
        self.call = call
        self.caller = caller
        self.receiver = first_parameter(scope) if is_classmethod(scope) else ""

    def argument(self, name: str) -> Expr | None:
        """The expression that a parameter gets at the call; None where its default holds."""
        for keyword in self.call.keywords:
            if keyword.name == name:
                return keyword.value
        names = [one.name for one in self.scope.parameters if one.kind in ("positional", "normal")]
        place = names.index(name) - bool(self.receiver) if name in names else -1
        return self.call.args[place] if 0 <= place < len(self.call.args) else None

    def class_of(self, value: Expr) -> ClassRef | None:
        """The class that an expression inside the function stands for."""
        path, scope, at = self.function.path, self.function.scope, None
        if isinstance(value, syntax.Name) and value.id == self.receiver:
            if not isinstance(self.call.func, syntax.Attribute):
                return None
            value, (path, scope), at = self.call.func.value, self.caller, self.call.at
        elif isinstance(value, syntax.Name) and (given := self.argument(value.id)) is not None:
            value, (path, scope), at = given, self.caller, self.call.at
        meanings = self.names.evaluate(value, path, scope, at)
        target = meanings[0].target if meanings else None
        return target if isinstance(target, ClassRef) else None

    def text(self, value: Expr) -> str | None:
        """A text that is built from literals and names of classes."""
        if isinstance(value, syntax.Text):
            return value.value
        if isinstance(value, syntax.Attribute) and value.attr in ("__name__", "__qualname__"):
            owner = self.class_of(value.value)
            return owner.name.rpartition(".")[2] if owner else None
        if isinstance(value, syntax.BinOp) and value.op in ("%", "+"):
            return self._joined(value)
        if isinstance(value, syntax.Name):
            given = self.argument(value.id)
            if given is not None:
                return given.value if isinstance(given, syntax.Text) else None
            return self._local(value.id)
        return None

    def _joined(self, value: syntax.BinOp) -> str | None:
        left = self.text(value.left)
        if left is None:
            return None
        if value.op == "+":
            right = self.text(value.right)
            return left + right if right is not None else None
        parts = value.right.elements if isinstance(value.right, syntax.Sequence) else (value.right,)
        texts = [self.text(one) for one in parts]
        known = tuple(one for one in texts if one is not None)
        if len(known) < len(texts) or left.count("%") != left.count("%s") or left.count("%s") != len(known):
            return None
        return left % known

    def _local(self, name: str) -> str | None:
        """What the function itself binds a name to, once and for all."""
        own = [one for one in self.facts.assignments if one.scope == self.function.scope and one.name == name]
        return self.text(own[0].value.expression) if len(own) == 1 and _is_plain(own[0]) and own[0].value else None


def _is_plain(assigned: Assigned) -> bool:
    return assigned.how in ("assign", "annotation") and not assigned.place
