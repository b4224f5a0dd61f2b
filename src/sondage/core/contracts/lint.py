"""Owns lint: what a class's own code asks of `self` and of objects of known classes, judged like a contract.

A row is written only where the answer is no: the class of the receiver is known, and every class it can be lacks the
name with a complete MRO (`proved`), or lacks it while an attribute of it has it (`possible`: most likely a step too few
in the path). What an unread base or a container behind `__getattr__` may bring, or a subclass has, is silence; so is
what `hasattr` or `except AttributeError` covers.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sondage.core.answers.contracts import LintAnswer, LintRow, Verdict
from sondage.core.classes.codebase import Codebase, Steps, finished
from sondage.core.classes.refs import ClassRef, Member
from sondage.core.contracts import dynamic, fitting, guards, idioms, judge, objects, presence, signature
from sondage.core.contracts.guards import Guard, Guards
from sondage.core.contracts.objects import short
from sondage.core.inference.values import Frame, Instance
from sondage.core.source import blocks, syntax
from sondage.core.source.blocks import FunctionDef
from sondage.core.source.syntax import Attribute, Call, Expr, Name, Text

_ALWAYS = frozenset(
    {"__class__", "__dict__", "__doc__", "__module__", "__name__", "__qualname__", "__annotations__", "__weakref__"}
)


def lint(code: Codebase, refs: Sequence[ClassRef]) -> LintAnswer:
    """All rows of some classes, each place once, in order of path and line."""
    return finished(lint_in_steps(code, refs))


def lint_in_steps(code: Codebase, refs: Sequence[ClassRef]) -> Steps[LintAnswer]:
    """As `lint`, a class at a step; each says how many are done, of how many."""
    rows: dict[tuple[str, int, str], LintRow] = {}
    for number, ref in enumerate(refs, start=1):
        rows.update(((row.path, row.line, row.what), row) for row in of_class(code, ref))
        yield number, len(refs)
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


def _targets(statement: blocks.Stmt) -> Iterator[Expr]:
    match statement:
        case blocks.Assign(targets=targets) | blocks.Delete(targets=targets):
            yield from (inner for target in targets for inner in _parts(target))
        case blocks.AnnAssign(target=target) | blocks.For(target=target):
            yield from _parts(target)
        case blocks.With(items=items):
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
            if asked.node.attr in _ALWAYS or not self._is_own(asked.node.value) or self._is_covered(asked):
                continue
            types = objects.inference(self.code).expression(asked.node.value, self.frame)
            classes = tuple(ref for ref in objects.classes(types) if ref.path)
            exact = self._is_self(asked.node.value) or all(getattr(found.value, "exact", False) for found in types)
            yield from self._judge(asked, classes, whole=len(classes) == len(types), exact=exact)

    def _judge(self, asked: Asked, classes: tuple[ClassRef, ...], *, whole: bool, exact: bool) -> Iterator[LintRow]:
        """`whole`: the receiver can be nothing but these classes, and each was read. `exact`: nor a subclass of them."""
        verdicts = [judge.judged(self.code, ref, asked.node.attr) for ref in classes]
        pairs = list(zip(classes, verdicts, strict=True))
        able = [(ref, verdict) for ref, verdict in pairs if verdict.mark == "✓"]
        if able and asked.call is not None:
            yield from self._misfits(asked, able, sure=whole and len(able) == len(classes))
        elif pairs and whole and all(self._is_no(asked, ref, verdict, exact=exact) for ref, verdict in pairs):
            yield from self._missing(asked, classes, verdicts)

    def _is_no(self, asked: Asked, ref: ClassRef, verdict: Verdict, *, exact: bool) -> bool:
        """Whether a class cannot answer: neither an unread base, nor a subclass, nor other code gives the name."""
        name = verdict.member
        if verdict.verdict not in ("absent", "held") or presence.of(self.code, ref, name).announced:
            return False
        if dynamic.forwarders(self.code, ref) and (verdict.verdict == "absent" or asked.call is not None):
            return False
        if verdict.certainty == "possible" and (asked.call is not None or dynamic.filled_by_keywords(self.code, ref)):
            return False
        if not exact and verdict.verdict == "absent" and self.code.hierarchy.definers(name):
            return False
        below = [sub for sub, _ in self.code.hierarchy.subclass_refs(ref)]
        if any(any(presence.of(self.code, sub, name)) or self._is_open(sub, ref) for sub in below):
            return False
        return not objects.set_from_outside(self.code, ref, name)

    def _is_open(self, sub: ClassRef, ref: ClassRef) -> bool:
        """Whether a subclass has unread bases that the class itself has not: a mixin is answered by its partners."""
        known = self.code.hierarchy.linear(ref).open_ends
        return any(end not in known for end in self.code.hierarchy.linear(sub).open_ends)

    def _missing(self, asked: Asked, classes: tuple[ClassRef, ...], verdicts: list[Verdict]) -> Iterator[LintRow]:
        why = [
            f"{self._shown(asked.node.value)} is of class {short(ref)}"
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
        proved = proved and not any(dynamic.forwarders(self.code, ref) for ref in classes)
        yield self._row(asked.node, tuple(why), proved and self._is_self(asked.node.value))

    def _misfits(self, asked: Asked, able: list[tuple[ClassRef, Verdict]], *, sure: bool) -> Iterator[LintRow]:
        """A call that none of the definitions it can reach takes."""
        assert asked.call is not None
        troubles = [self._misfit(asked.call, ref, verdict) for ref, verdict in able]
        if all(troubles):
            why = tuple(text for trouble in troubles for text in trouble)
            proved = sure and len(able) == 1 and able[0][1].certainty == "proved" and self._is_self(asked.node.value)
            yield self._row(asked.node, why, proved)

    def _misfit(self, call: Call, ref: ClassRef, verdict: Verdict) -> tuple[str, ...]:
        here = presence.of(self.code, ref, verdict.member)
        if here.instance or here.outside or not here.body:
            return ()
        known = fitting.parameters(self.code, here.body[0])
        trouble = signature.misfit(known, signature.call_shape(call)) if known is not None else None
        where = f"{short(ref)}.{verdict.member}{verdict.signature} at {verdict.path}:{verdict.line}"
        return (where, trouble) if trouble else ()

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

    def _is_own(self, receiver: Expr) -> bool:
        """Whether a receiver is `self` or reached from it by attributes alone."""
        while isinstance(receiver, Attribute):
            receiver = receiver.value
        return self._is_self(receiver)

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
