"""Owns how a question as a face puts it becomes one of the core's: an index and plain arguments in, an answer out.

Nothing here waits or records; `Dig` runs these off the event loop. What judges calls and contracts is half of the core:
it is loaded by the first question that needs it, in the thread that answers it.
"""

from __future__ import annotations

import gc
import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from sondage.core.answers.calls import CallersAnswer, Resolution
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import MroAnswer, OverridesAnswer, SubclassesAnswer
from sondage.core.answers.contracts import Assumption, Contract, ContractReport, DriftAnswer, LintAnswer, LocateAnswer
from sondage.core.answers.text import Excerpt, Hits, SearchAnswer, SymbolRow
from sondage.core.classes.refs import ClassRef
from sondage.core.late import late_pattern
from sondage.core.search.globs import Globs
from sondage.dig.index import Index
from sondage.dig.settings import SearchQuery
from sondage.errors import UsageError

if TYPE_CHECKING:
    from sondage.core.classes.codebase import Codebase, Pin, Steps

A = TypeVar("A")

RANGE = late_pattern(r"(?P<path>.+):(?P<first>\d+)(?:[-,](?P<last>\d+))?")
MOST_HITS = 50_000
"""Hits kept of one search; the rest is counted."""
FIRST_HITS = 200
"""Hits that are shown while the search goes on: more than a screen holds."""
MOST_CANDIDATES = 20


def warm(index: Index) -> Steps[None]:
    """Works out the tables that the first jump would otherwise wait for: a second or two for a large tree."""
    if gc.get_freeze_count():
        gc.unfreeze()
        gc.collect()  # the tables of the last index
    hierarchy = index.hierarchy
    first = next(hierarchy.classes(), None)
    if first is not None:
        hierarchy.subclass_refs(first)
    yield None
    for ref in hierarchy.classes():
        hierarchy.own_members(ref)
        yield None
    hierarchy.definers("__init__")
    yield None
    index.codebase.assigned("__init__")
    yield None
    from sondage.core.inference import calls, similar  # noqa: PLC0415  see above

    calls.inference(index.codebase)
    similar.by_last_word(index.codebase)
    yield None
    gc.freeze()  # tables that stand for long make every pause of the collector longer, which stops all threads


def learn(index: Index) -> Steps[None]:
    """Reads the words and the symbols that searches are quick by."""
    yield from index.vocabulary.learn(index.files)
    index.symbols.search("", 1)
    yield None
    gc.freeze()


# ------------------------------------------------------------------ text


def search(index: Index, query: SearchQuery) -> Steps[SearchAnswer]:
    """Every hit in the order of paths, cut to the limit; the counts are of all. Raises `UsageError` for a bad pattern or glob.

    A file at a step; the one with which there are `FIRST_HITS` says the answer so far.
    """
    from sondage.core.search.hits import HitsOfFile  # noqa: PLC0415  what searches lines is large
    from sondage.core.search.pattern import compile_pattern  # noqa: PLC0415  as above

    typed = compile_pattern(query.pattern, ignore_case=query.ignore_case, word=query.word, fixed=query.fixed)
    globs = Globs(query.globs) if query.globs else None
    paths = index.corpus.within(globs)
    unsearched = tuple(path for path in index.unread if globs is None or globs.match(path))
    limit = MOST_HITS if query.limit is None else query.limit
    found: list[HitsOfFile] = []
    total = files = kept = 0
    for path, lines in index.corpus.search(typed, paths):
        files += bool(lines)
        total += len(lines)
        part = lines.first(limit - kept)
        if part:
            found.append(HitsOfFile(path, part, index.facts.get(path) if query.symbols else None))
        kept, before = kept + len(part), kept
        if before < FIRST_HITS <= kept:
            yield SearchAnswer(query.pattern, Hits(found), total, files, len(paths), unsearched)
        else:
            yield None
    return SearchAnswer(query.pattern, Hits(found), total, files, len(paths), unsearched)


def symbols(index: Index, query: str, limit: int) -> tuple[SymbolRow, ...]:
    return index.symbols.search(query, limit)


def excerpt(index: Index, path: str, first: int, last: int | None) -> Excerpt | Candidates:
    """Lines `first` to `last` (the end of the file where None). Raises `UsageError` for a range that cannot be."""
    text = index.text(path)
    if text is None:
        return _files_like(index, path)
    if first < 1 or (last is not None and last < first):
        raise UsageError("not a range of lines", f"{first},{last}", "lines count from 1, and the first comes first")
    if first > max(text.line_count, 1):
        raise UsageError("the file ends before that line", f"{path} has {text.line_count} lines")
    stop = text.line_count if last is None else min(last, text.line_count)
    return Excerpt(
        path,
        first,
        stop,
        tuple(text.lines[first - 1 : stop]),
        index.hierarchy.symbol_at(path, first),
        text.digest,
        text.line_count,
        text.line_bytes(first, stop),
    )


def path_of(spec: str) -> str:
    """The file that `show` would read for a range or a path, if it is there; empty for a name."""
    match = RANGE.fullmatch(spec)
    return match["path"] if match else spec if spec.endswith((".py", ".pyi")) else ""


def show(index: Index, spec: str) -> Excerpt | Candidates:
    """`PATH:A-B`, `PATH:A,B`, `PATH:A`, `PATH`, or the name of a class, function or method."""
    if index.text(spec) is not None:
        return excerpt(index, spec, 1, None)
    match = RANGE.fullmatch(spec)
    if match:
        first = int(match["first"])
        return excerpt(index, match["path"], first, int(match["last"] or first))
    if "/" in spec or spec.endswith(".py"):
        return _files_like(index, spec)
    return _definition(index, spec)


def _definition(index: Index, name: str) -> Excerpt | Candidates:
    hierarchy = index.hierarchy
    found = hierarchy.class_called(name) or hierarchy.function_called(name)
    if found is not None:
        return _span(index, found.path, found.scope)
    owner, _, member = name.rpartition(".")
    if owner:
        holder = hierarchy.class_called(owner) or hierarchy.find_class(owner)
        if isinstance(holder, Candidates):
            return holder
        for definition in hierarchy.lookup(holder, member):
            if definition.path and definition.scope >= 0:
                return _span(index, definition.path, definition.scope)
            if definition.path and definition.line:
                return excerpt(index, definition.path, definition.line, definition.line)
    near = hierarchy.find_class(name)
    return near if isinstance(near, Candidates) and near.names else _like_function(index, name)


def _like_function(index: Index, name: str) -> Candidates:
    found = index.hierarchy.find_function(name)
    assert isinstance(found, Candidates)
    return found


def _span(index: Index, path: str, scope: int) -> Excerpt | Candidates:
    span = index.hierarchy.files()[path].scopes[scope].span
    return excerpt(index, path, span.first_line, span.last_line)


def _files_like(index: Index, path: str) -> Candidates:
    from rapidfuzz import process  # noqa: PLC0415  see above

    name = posixpath.basename(path)
    same = [known for known in index.files if posixpath.basename(known) == name]
    near = same or [match for match, _, _ in process.extract(path, list(index.files), limit=5, score_cutoff=60)]
    return Candidates(path, "file", "absent", tuple(sorted(near)[:MOST_CANDIDATES]))


# ------------------------------------------------------------------ classes


def with_class(index: Index, name: str, ask: Callable[[ClassRef], A | Candidates]) -> A | Candidates:
    found = index.hierarchy.find_class(name)
    return found if isinstance(found, Candidates) else ask(found)


def mro(index: Index, name: str, members: bool) -> MroAnswer | Candidates:
    return with_class(index, name, lambda ref: index.hierarchy.mro(ref, members))


def subclasses(index: Index, name: str) -> SubclassesAnswer | Candidates:
    found = index.hierarchy.find_base(name)
    return found if isinstance(found, Candidates) else index.hierarchy.subclasses(found)


def overrides(index: Index, member: str) -> OverridesAnswer | Candidates:
    """`Class.member`, own or inherited: its other definitions, above and below."""
    from sondage.core.contracts import overrides as overriding  # noqa: PLC0415  see above

    owner, _, name = member.rpartition(".")
    return with_class(index, owner, lambda ref: overriding.overrides(index.codebase, ref, name))


def classes(index: Index, members: bool) -> Steps[tuple[MroAnswer, ...]]:
    found = []
    for ref in index.hierarchy.classes():
        found.append(index.hierarchy.mro(ref, members))
        yield None
    return tuple(found)


def wanted(index: Index, names: Sequence[str] | None) -> tuple[str, ...]:
    """Modules outside the root that would have to be read to complete the chains of these classes (of all where None)."""
    if names is None:
        refs = list(index.hierarchy.classes())
    else:
        refs = [ref for ref in map(index.hierarchy.class_called, names) if ref is not None]
    return tuple(dict.fromkeys(module for ref in refs for module in index.hierarchy.wanted(ref)))


# ------------------------------------------------------------------ calls and contracts


def jump(index: Index, path: str, line: int, column: int) -> Resolution | Candidates:
    from sondage.core.inference import calls  # noqa: PLC0415  see above

    if index.codebase.syntax_of(path) is None and index.text(path) is None:
        return _files_like(index, path)
    return calls.resolve(index.codebase, path, line, column)


def callers(index: Index, member: str) -> Steps[CallersAnswer | Candidates]:
    """Of a method (also one the class inherits), a module function, or a class: then of its construction."""
    from sondage.core.inference import calls  # noqa: PLC0415  see above

    hierarchy, code = index.hierarchy, index.codebase
    class_ = hierarchy.find_class(member)
    if isinstance(class_, ClassRef):
        return (yield from calls.callers_in_steps(code, class_, "__init__"))
    function = hierarchy.find_function(member)
    if not isinstance(function, Candidates):
        holder = hierarchy.class_of_function(function.path, function.scope)
        name = function.name.rpartition(".")[2]
        return (yield from calls.callers_in_steps(code, holder, name, None if holder else function))
    owner, _, name = member.rpartition(".")
    if not owner or function.names:
        return function
    found = hierarchy.find_class(owner)
    return found if isinstance(found, Candidates) else (yield from calls.callers_in_steps(code, found, name))


def locate(index: Index, name: str, members: Sequence[str]) -> LocateAnswer | Candidates:
    from sondage.core.contracts import contract  # noqa: PLC0415  see above

    return with_class(index, name, lambda ref: contract.locate(index.codebase, ref, members))


def check(index: Index, names: Sequence[str], required: Contract) -> Steps[ContractReport | Candidates]:
    from sondage.core.contracts import contract  # noqa: PLC0415  see above

    refs: list[ClassRef] = []
    for name in names:
        found = index.hierarchy.find_class(name)
        if isinstance(found, Candidates):
            return found
        refs.append(found)
    return (yield from contract.check_in_steps(index.codebase, refs, required))


def derive(index: Index, consumers: Sequence[str], receiver: str, name: str) -> Steps[Contract]:
    """What consumers need of a receiver. Raises `UsageError` where one of them means nothing."""
    from sondage.core.contracts import derive as derivation  # noqa: PLC0415  see above

    return (yield from derivation.derive_in_steps(index.codebase, consumers, receiver, name))


def derive_base(index: Index, base: str, name: str) -> Contract | Candidates:
    from sondage.core.contracts import derive_base as contract_of_base  # noqa: PLC0415  see above

    return with_class(index, base, lambda ref: contract_of_base.derive_base(index.codebase, ref, name))


def derive_siblings(index: Index, selector: str, least: float, name: str) -> Contract | Candidates:
    """What a share `least` (0 to 1) of the selected classes provide."""
    from sondage.core.contracts.derive_base import derive_siblings as of_siblings  # noqa: PLC0415  see above

    refs = _selected(index, selector)
    if isinstance(refs, Candidates):
        return refs
    return of_siblings(index.codebase, refs, least, name)


def matrix(index: Index, selector: str, required: Contract) -> Steps[ContractReport | Candidates]:
    """Every selected class against every item. Raises `UsageError` where it is no selector."""
    from sondage.core.contracts import contract  # noqa: PLC0415  see above

    refs = _selected(index, selector)
    if isinstance(refs, Candidates):
        return refs
    return (yield from contract.check_in_steps(index.codebase, refs, required))


def lint(index: Index, names: Sequence[str], selector: str | None) -> Steps[LintAnswer | Candidates]:
    """The classes named, or those selected; every class of the root where neither says which."""
    from sondage.core.contracts import lint as linting  # noqa: PLC0415  see above

    refs: list[ClassRef] = []
    for name in names:
        found = index.hierarchy.find_class(name)
        if isinstance(found, Candidates):
            return found
        refs.append(found)
    if not names:
        selected = _selected(index, selector or "all")
        if isinstance(selected, Candidates):
            return selected
        refs += selected
    return (yield from linting.lint_in_steps(index.codebase, refs))


def _selected(index: Index, selector: str) -> tuple[ClassRef, ...] | Candidates:
    from sondage.core.contracts.selectors import select  # noqa: PLC0415  see above

    return select(index.codebase, selector)


def selected(index: Index, selector: str) -> tuple[str, ...]:
    """Full names of the selected classes; empty where the selector leads to none."""
    refs = _selected(index, selector)
    return () if isinstance(refs, Candidates) else tuple(ref.name for ref in refs)


def drift(
    indexes: Sequence[tuple[str, Index]], names: Sequence[str], required: Contract
) -> Steps[DriftAnswer | Candidates]:
    """The same contract on the same classes in several trees, in the order given."""
    from sondage.core.contracts import drift as drifting  # noqa: PLC0415  see above

    versions = [drifting.Version(name, index.codebase) for name, index in indexes]
    return (yield from drifting.drift_in_steps(versions, names, required))


def assume(index: Index, claim: str, others: Mapping[str, Index]) -> Assumption:
    """`others` are the trees that `MEMBER unchanged since TARGET` may name."""
    from sondage.core.contracts import assume as assuming  # noqa: PLC0415  see above

    def other(target: str) -> Codebase | None:
        found = others.get(target)
        return found.codebase if found else None

    return assuming.assume(index.codebase, claim, other)


def pin(index: Index, claim: str) -> Pin | None:
    from sondage.core.contracts import assume as assuming  # noqa: PLC0415  see above

    return assuming.pin(index.codebase, claim)
