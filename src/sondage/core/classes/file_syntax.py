"""Owns the syntax of one file as questions ask for it: each definition read when it is asked for, and which files are kept."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from sondage.core.late import late_pattern
from sondage.core.source import blocks, outline, syntax
from sondage.core.source.facts import FileFacts, FunctionScope, ModuleScope, ScopeFact, Span
from sondage.core.source.text import SourceText

KEPT_BYTES = 1_500_000
"""Bytes of functions whose syntax is kept at most, each with its parser's tree: thirty times as much memory."""

_OPENED = late_pattern(rb"\s*\(")
_IN_WORD = late_pattern(rb"\w")

Definition: TypeAlias = blocks.FunctionDef | blocks.ClassDef | blocks.Module
Holder: TypeAlias = blocks.FunctionDef | blocks.ClassDef | blocks.Module | syntax.Lambda | syntax.Comprehension


class FileSyntax:
    """The syntax of one file, with the definitions in it by the offset they start at.

    `held` counts the bytes of the functions that were asked for, for those that keep the file as well. `memo` is room for
    what is worked out of a body.
    """

    keeper: KeptFiles | None = None

    def __init__(self, path: str, text: SourceText, facts: FileFacts) -> None:
        self.path = path
        self.text = text
        self.facts = facts
        self.held = 0
        self.memo: dict[object, object] = {}
        self.module = outline.outline(text, facts)
        self._definitions: dict[int, Definition | None] = {0: self.module}

    @cached_property
    def scopes(self) -> dict[int, int]:
        """Offset where a definition starts → its index in the facts."""
        return {scope.span.at: index for index, scope in enumerate(self.facts.scopes) if index}

    @cached_property
    def _starts(self) -> list[int]:
        return [scope.span.at if index else -1 for index, scope in enumerate(self.facts.scopes)]

    def definition(self, scope: int) -> Definition | None:
        """The syntax of a scope of the facts, of which 0 is the module; None for one that is not there."""
        if scope not in self._definitions:
            known = 0 < scope < len(self.facts.scopes)
            self._definitions[scope] = self._definition(scope) if known else None
        return self._definitions[scope]

    def _definition(self, scope: int) -> Definition | None:
        if isinstance(self.facts.scopes[scope], FunctionScope):
            self._count(self.facts.scopes[scope].span)
        if not self.facts.partial:
            return outline.definition(self.text, self.facts, scope)
        outer = self.definition(self.facts.scopes[scope].parent)
        return outline.inside(outer, self.facts.scopes[scope]) if outer is not None else None

    def _count(self, span: Span) -> None:
        self.held += span.end - span.at
        if self.keeper is not None:
            self.keeper.held += span.end - span.at

    def called(self, word: str) -> Iterator[int]:
        """Offsets where a name stands before a bracket, but not as that of a definition: calls, where it is code."""
        source, wanted = self.text.utf8, word.encode()
        at = source.find(wanted)
        while at >= 0:
            opened = _OPENED.match(source, at + len(wanted))
            if (
                opened
                and not _IN_WORD.match(source, at - 1 if at else len(source))
                and not source.endswith(b"def ", 0, at)
            ):
                yield at
            at = source.find(wanted, at + 1)

    def around(self, at: int) -> Definition:
        """The innermost definition in whose body an offset lies; the module for all that stands in none."""
        scope = 0 if self.facts.partial else bisect_right(self._starts, at) - 1
        while scope > 0 and not self._holds(self.facts.scopes[scope], at):
            scope = self.facts.scopes[scope].parent
        return self.definition(max(scope, 0)) or self.module

    def _holds(self, scope: ScopeFact, at: int) -> bool:
        return at < scope.span.end and not isinstance(scope, ModuleScope) and outline.body_at(self.text, scope) <= at


class KeptFiles:
    """The files that were asked for last, up to `KEPT_BYTES` of functions; `held` counts them."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, FileSyntax] = OrderedDict()
        self.held = 0

    def get(self, path: str) -> FileSyntax | None:
        """None for a file that is not kept (any more)."""
        found = self._files.get(path)
        if found is not None:
            self._files.move_to_end(path)
        return found

    def put(self, file: FileSyntax) -> FileSyntax:
        """Keeps a file that was not."""
        while self.held > KEPT_BYTES:
            oldest = self._files.popitem(last=False)[1]
            oldest.keeper = None
            self.held -= oldest.held
        file.keeper = self
        self._files[file.path] = file
        return file
