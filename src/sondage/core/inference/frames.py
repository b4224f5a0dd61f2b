"""Owns the frames of a code base: from a scope of the facts or a place in a file to the frame that expressions are read in."""

from __future__ import annotations

from collections.abc import Sequence

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.file_syntax import FileSyntax
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.inference.flow import Binding, Flow, of_parameter
from sondage.core.inference.values import ClassObject, Frame, Instance, Invocation, Value
from sondage.core.source import blocks, outline, syntax
from sondage.core.source.facts import FunctionScope
from sondage.core.source.names_in_text import may_bind
from sondage.core.source.syntax import Expr


class Frames:
    """Makes frames, and reads off the bodies of functions what binds a name."""

    def __init__(self, code: Codebase) -> None:
        self.code = code

    def file(self, path: str) -> FileSyntax | None:
        return self.code.syntax_of(path)

    def frame(
        self, ref: FunctionRef, receiver: Value | None = None, invocation: Invocation | None = None
    ) -> Frame | None:
        """The inside of a function. Without a receiver the first parameter of a method is an instance of its class."""
        outer = self.scope_frame(ref.path, ref.scope, receiver)
        if outer is None or invocation is None:
            return outer
        return Frame(outer.file, outer.scope, outer.node, outer.parent, outer.receiver, invocation)

    def scope_frame(self, path: str, scope: int, receiver: Value | None = None) -> Frame | None:
        """The frame of any scope of the facts, with the frames around it."""
        file = self.file(path)
        if file is None:
            return None
        node = file.definition(scope)
        if node is None:
            return None
        if scope == 0:
            return Frame(file, 0, node)
        parent_scope = file.facts.scopes[scope].parent
        parent = self.scope_frame(path, parent_scope)
        if receiver is None and parent is not None and isinstance(node, blocks.FunctionDef):
            receiver = self._own_receiver(node, parent)
        return Frame(file, scope, node, parent, receiver)

    def _own_receiver(self, node: blocks.FunctionDef, parent: Frame) -> Value | None:
        if not isinstance(parent.node, blocks.ClassDef):
            return None
        ref = self.class_of(parent)
        if ref is None:
            return None
        names = {_last_name(decorator) for decorator in node.decorators}
        if "staticmethod" in names and node.name != "__new__":
            return None
        if "classmethod" in names or node.name in {"__new__", "__init_subclass__", "__class_getitem__"}:
            return ClassObject(ref, exact=False)
        return Instance(ref)

    def class_of(self, frame: Frame) -> ClassRef | None:
        """The class whose body a frame is."""
        if not isinstance(frame.node, blocks.ClassDef):
            return None
        return self.code.class_of(frame.path, frame.scope)

    def frame_around(self, file: FileSyntax, way: Sequence[object]) -> Frame:
        """The frame of a place, from the trail that leads there from a definition. Headers belong to the scope outside."""
        first = way[0]
        scope = file.scopes.get(first.at, 0) if isinstance(first, blocks.FunctionDef | blocks.ClassDef) else 0
        if len(way) == 1:
            scope = max(file.facts.scopes[scope].parent, 0)
        frame = self.scope_frame(file.path, scope) or Frame(file, 0, file.module)
        for index, node in enumerate(way[1:-1], start=1):
            inside = way[index + 1]
            if isinstance(node, blocks.FunctionDef | blocks.ClassDef) and inside is node.body:
                scope = file.scopes.get(node.at, frame.scope)
                receiver = self._own_receiver(node, frame) if isinstance(node, blocks.FunctionDef) else None
                frame = Frame(file, scope, node, frame, receiver)
            elif (isinstance(node, syntax.Lambda) and inside is node.body) or (
                isinstance(node, syntax.Comprehension) and not (node.clauses and inside is node.clauses[0].iter)
            ):
                frame = Frame(file, frame.scope, node, frame)
        return frame

    def flow(self, frame: Frame) -> Flow | None:
        """The bindings of a function's frame."""
        if not isinstance(frame.node, blocks.FunctionDef):
            return None
        kept = frame.file.memo.get(frame.scope)
        if not isinstance(kept, Flow) or kept.node is not frame.node:
            kept = frame.file.memo[frame.scope] = Flow(frame.node, frame.file.text.utf8)
        return kept

    def bindings(self, name: str, frame: Frame, at: int | None) -> list[Binding]:
        """What can have bound a local name of a function at an offset of it, or anywhere; none for a name that is not its own.

        The body is read only where its text shows that it may bind the name.
        """
        node = frame.node
        if not isinstance(node, blocks.FunctionDef):
            return []
        key, memo = (frame.scope, name), frame.file.memo
        if key not in memo:
            memo[key] = _header_alone(name, node, frame)
        if isinstance(kept := memo[key], list):
            return kept
        flow = self.flow(frame)
        if flow is None or name in flow.foreign:
            return []
        return flow.bindings.get(name, []) if at is None else flow.reaching(name, at)


def _header_alone(name: str, node: blocks.FunctionDef, frame: Frame) -> list[Binding] | None:
    """What the header of a function binds a name to; None where the body may bind it as well, or cannot be told to."""
    file, word = frame.file, name.encode()
    scope = file.facts.scopes[frame.scope]
    if not isinstance(scope, FunctionScope) or scope.span.at != node.at or file.facts.partial:
        return None
    body = outline.body_at(file.text, scope)
    if may_bind(file.text.utf8, body, node.end, word):
        return None
    if file.text.utf8.find(word, scope.span.name_at, body) < 0:
        return []
    return [of_parameter(one) for one in node.parameters if one.name == name]


def _last_name(node: Expr) -> str:
    while isinstance(node, syntax.Call):
        node = node.func
    return node.attr if isinstance(node, syntax.Attribute) else node.id if isinstance(node, syntax.Name) else ""
