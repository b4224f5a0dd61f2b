"""Owns lint: what a class's own code asks of `self` and of objects of known classes, judged like a contract.

A row is written only where the answer is no: the class of the receiver is known, and every class it can be lacks
the name with a
complete MRO (`proved`), or lacks it while an attribute of it has it (`possible`: most likely a step too few in the
path).
What an unread base may bring, or a subclass has, is silence; so is what `hasattr` or `except AttributeError` covers.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sondage.core import fitting, guards, idioms, judge, objects, presence, signature, syntax
from sondage.core.answers import LintAnswer, LintRow, Verdict
from sondage.core.codebase import Codebase
from sondage.core.guards import Guard, Guards
from sondage.core.objects import short
from sondage.core.refs import ClassRef, Member
from sondage.core.syntax import Attribute, Call, Expr, FunctionDef, Name, Text
from sondage.core.values import Frame, Instance

_ALWAYS = frozenset(
    {"__class__", "__dict__", "__doc__", "__module__", "__name__", "__qualname__", "__annotations__", "__weakref__"}
)


def lint(code: Codebase, refs: Sequence[ClassRef]) -> LintAnswer:
    """All rows of some classes, each place once, in order of path and line."""
    rows = {(row.path, row.line, row.what): row for ref in refs for row in of_class(code, ref)}
    return LintAnswer(len(refs), tuple(sorted(rows.values(), key=lambda row: (row.path, row.line, row.column))))


def of_class(code: Codebase, ref: ClassRef) -> Iterator[LintRow]:
    """The rows of the functions in a class's own body."""
    for members in code.hierarchy.own_members(ref).values():
        for member in members:
            if member.scope >= 0 and member.kind in ("method", "property", "classmethod"):
                yield from of_function(code, ref, member)


def of_function(code: Codebase, ref: ClassRef, member: Member) -> Iterator[LintRow]:
    """The rows of one method, as it runs on an object of `ref`."""
    function = code.function_of(member.path, member.scope)
    receiver = None if member.kind == "classmethod" else Instance(ref)
    frame = objects.inference(code).frame(function, receiver)
    if frame is not None and isinstance(frame.node, FunctionDef):
        yield from _Linter(code, frame).rows()


class Asked(NamedTuple):
    """One attribute that is read. `call` is set where it is called; `way` are the conditions on the way."""

    node: Attribute
    call: Call | None
    way: Guards


def asked_in(function: FunctionDef) -> Iterator[Asked]:
    """Every attribute that a body reads or calls; those that it writes are left out."""
    called: dict[int, Call] = {}
    for statement, way in guards.statements(function.body):
        written = {id(target) for target in _targets(statement)}
        for place in guards.places(statement, way):
            if isinstance(place.expression, Call):
                called[id(place.expression.func)] = place.expression
            if isinstance(place.expression, Attribute) and id(place.expression) not in written:
                yield Asked(place.expression, called.get(id(place.expression)), place.guards)


def _targets(statement: syntax.Stmt) -> Iterator[Expr]:
    match statement:
        case syntax.Assign(targets=targets) | syntax.Delete(targets=targets):
            yield from (inner for target in targets for inner in _parts(target))
        case syntax.AnnAssign(target=target) | syntax.For(target=target):
            yield from _parts(target)
        case syntax.With(items=items):
            yield from (item.target for item in items if item.target is not None)


def _parts(target: Expr) -> Iterator[Expr]:
    if isinstance(target, syntax.Sequence):
        for element in target.elements:
            yield from _parts(element)
    else:
        yield target


class _Linter:
    def __init__(self, code: Codebase, frame: Frame) -> None:
        self.code = code
        self.frame = frame
        self.text = frame.file.text

    def rows(self) -> Iterator[LintRow]:
        assert isinstance(self.frame.node, FunctionDef)
        for asked in asked_in(self.frame.node):
            if asked.node.attr in _ALWAYS or self._is_covered(asked):
                continue
            classes = self._classes(asked.node.value)
            if classes:
                yield from self._judge(asked, classes)

    def _classes(self, receiver: Expr) -> tuple[ClassRef, ...]:
        """The classes of a receiver, where all that it can be is known and was read."""
        inference = objects.inference(self.code)
        types = inference.expression(receiver, self.frame)
        refs = objects.classes(types)
        return refs if len(refs) == len(types) and all(ref.path for ref in refs) else ()

    def _judge(self, asked: Asked, classes: tuple[ClassRef, ...]) -> Iterator[LintRow]:
        name = asked.node.attr
        verdicts = [judge.judged(self.code, ref, name) for ref in classes]
        if all(self._is_no(ref, verdict) for ref, verdict in zip(classes, verdicts, strict=True)):
            yield from self._missing(asked, classes, verdicts)
        elif asked.call is not None and len(classes) == 1 and verdicts[0].verdict in ("own", "inherited", "forwarded"):
            yield from self._misfit(asked, classes[0], verdicts[0])

    def _is_no(self, ref: ClassRef, verdict: Verdict) -> bool:
        if verdict.verdict not in ("absent", "held") or presence.of(self.code, ref, verdict.member).announced:
            return False
        return not any(
            presence.of(self.code, sub, verdict.member).body or presence.of(self.code, sub, verdict.member).instance
            for sub, _ in self.code.hierarchy.subclass_refs(ref)[:40]
        )

    def _missing(self, asked: Asked, classes: tuple[ClassRef, ...], verdicts: list[Verdict]) -> Iterator[LintRow]:
        why = [
            f"{self._shown(asked.node.value)} is a {short(ref)}"
            for ref in classes
            if not self._is_self(asked.node.value)
        ]
        for ref, verdict in zip(classes, verdicts, strict=True):
            if verdict.verdict == "held":
                why.append(f"{short(ref)} has no {verdict.member}, its {verdict.via.split(' → ')[0]} has")
            else:
                why.append(f"no class of {short(ref)}'s MRO has {verdict.member}")
                why += [f"it has {near}" for near in near_names(self.code, ref, verdict.member)]
        proved = all(verdict.certainty == "proved" for verdict in verdicts)
        yield self._row(asked.node, tuple(why), proved and self._is_self(asked.node.value))

    def _misfit(self, asked: Asked, ref: ClassRef, verdict: Verdict) -> Iterator[LintRow]:
        assert asked.call is not None
        here = presence.of(self.code, ref, verdict.member)
        if here.instance or here.outside or not here.body:
            return
        known = fitting.parameters(self.code, here.body[0])
        trouble = signature.misfit(known, signature.call_shape(asked.call)) if known is not None else None
        if trouble:
            why = (f"{short(ref)}.{verdict.member}{verdict.signature} at {verdict.path}:{verdict.line}", trouble)
            yield self._row(asked.node, why, verdict.certainty == "proved" and self._is_self(asked.node.value))

    # ---- covered

    def _is_covered(self, asked: Asked) -> bool:
        """Whether the code itself makes sure that the name is there, or catches that it is not."""
        return any(self._covers(guard, asked.node) for guard in asked.way)

    def _covers(self, guard: Guard, node: Attribute) -> bool:
        if guard.kind == "caught":
            return guard.test is None or any(
                (idioms.dotted(test) or ("",))[-1] in ("AttributeError", "Exception", "BaseException")
                for test in (guard.test.elements if isinstance(guard.test, syntax.Sequence) else (guard.test,))
            )
        if guard.test is None:
            return False
        return any(
            isinstance(test, Call)
            and idioms.called_name(test) in ("hasattr", "getattr")
            and len(test.args) > 1
            and isinstance(test.args[1], Text)
            and (test.args[1].value == node.attr or self._shown(test.args[0]) == self._shown(node.value))
            for test in idioms.within(guard.test)
        )

    # ---- rows

    def _is_self(self, receiver: Expr) -> bool:
        node = self.frame.node
        assert isinstance(node, FunctionDef)
        return isinstance(receiver, Name) and bool(node.parameters) and receiver.id == node.parameters[0].name

    def _shown(self, expression: Expr) -> str:
        return " ".join(self.text.utf8[expression.at : expression.end].decode("utf-8", "replace").split())

    def _row(self, node: Attribute, why: tuple[str, ...], proved: bool) -> LintRow:
        line, column = self.text.position(node.attr_at)
        symbol = self.frame.file.facts.scopes[self.frame.scope].qualname
        return LintRow(
            self.frame.path, line, self._shown(node), why, column, symbol, "proved" if proved else "possible"
        )


def near_names(code: Codebase, ref: ClassRef, name: str) -> list[str]:
    """Members of a class that are spelled nearly so."""
    known = {
        member for step in code.hierarchy.linear(ref).order if step.path for member in code.hierarchy.own_members(step)
    }
    return difflib.get_close_matches(name, known, 2, 0.85)
