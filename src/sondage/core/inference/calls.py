"""Owns jumps: the call at a position, the definitions it can reach and why, and the way back to the callers."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.answers.calls import CallerRow, CallersAnswer, Resolution
from sondage.core.classes.codebase import Codebase, Steps, finished
from sondage.core.classes.file_syntax import FileSyntax
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.inference.answering import Answer, Spot
from sondage.core.inference.infer import Inference
from sondage.core.inference.walking import trail
from sondage.core.source import blocks, syntax


def inference(code: Codebase) -> Inference:
    """The one inference of a code base, ready for a new question."""
    kept = code.memo.get("inference")
    if not isinstance(kept, Inference):
        kept = code.memo["inference"] = Inference(code)
    kept.begin()
    return kept


def resolve(code: Codebase, path: str, line: int, column: int, *, everything: bool = False) -> Resolution:
    """From the call (or the plain name) at a position to the definitions it can reach.

    Lines and columns count from 1, columns in code points. A position inside the called name is meant. Of many
    definitions in subclasses only the most likely are named, and `unresolved` counts the rest, unless `everything` is
    asked for.
    """
    file = code.syntax_of(path)
    if file is None:
        return Resolution(None, (), (), f"{path} is not in the index")
    infer = inference(code)
    at = file.text.offset(line, column)
    way = trail(file.around(at), at)
    spot = _spot(infer, file, way)
    if spot is None:
        return _other(infer, file, way) or Resolution(None, (), (), "no call and no name stands here")
    return Answer(infer, file, spot, everything).resolution()


def _spot(infer: Inference, file: FileSyntax, way: list[object]) -> Spot | None:
    node = way[-1]
    if isinstance(node, syntax.Call):
        way, node = [*way, node.func], node.func
    if not isinstance(node, syntax.Name | syntax.Attribute):
        return None
    around = way[-2] if len(way) > 1 else None
    call = around if isinstance(around, syntax.Call) and around.func is node else None
    return Spot(node, call, infer.frame_around(file, way))


def _other(infer: Inference, file: FileSyntax, way: list[object]) -> Resolution | None:
    """A name that is no expression: the one an import binds, the one a definition has."""
    for index, node in reversed(list(enumerate(way))):
        if isinstance(node, blocks.Import | blocks.ImportFrom):
            frame = infer.frame_around(file, way[: index + 1])
            bound = [alias.asname or alias.name.partition(".")[0] for alias in node.names if alias in way]
            bound = bound or [alias.asname or alias.name.partition(".")[0] for alias in node.names][:1]
            name = syntax.Name(node.end, node.end, bound[0]) if bound else None
            return Answer(infer, file, Spot(name, None, frame)).resolution() if name is not None else None
        if isinstance(node, blocks.FunctionDef | blocks.ClassDef):
            frame = infer.frame_around(file, way[: index + 1])
            name = syntax.Name(node.name_at, node.name_at, node.name)
            return Answer(infer, file, Spot(name, None, frame)).resolution()
    return None


# ------------------------------------------------------------------ callers


def callers(code: Codebase, owner: ClassRef | None, member: str, function: FunctionRef | None = None) -> CallersAnswer:
    """Who calls a method of a class (or a module function): by text first, then each site resolved."""
    return finished(callers_in_steps(code, owner, member, function))


def callers_in_steps(
    code: Codebase, owner: ClassRef | None, member: str, function: FunctionRef | None = None
) -> Steps[CallersAnswer]:
    """As `callers`, a site at a step."""
    wanted, of = _wanted(code, owner, member, function)
    word = owner.name.rpartition(".")[2] if owner is not None and member in {"__init__", "__new__"} else member
    rows: list[CallerRow] = []
    unresolved = 0
    for path in code.paths_with_word(word):
        file = code.syntax_of(path)
        for line, column in _sites(file, word) if file is not None else ():
            resolution = resolve(code, path, line, column, everything=True)
            if resolution.call is None or resolution.call.name != word:
                continue
            hits = [one for one in resolution.answers if (one.path, one.line) in wanted]
            if hits and file is not None:
                rows.append(
                    CallerRow(
                        path, line, column, file.text.line(line), code.hierarchy.symbol_at(path, line),
                        hits[0].certainty, hits[0].why,
                    )
                )  # fmt: skip
            elif not resolution.answers and not resolution.receiver_types:
                unresolved += 1
            yield None
    return CallersAnswer(of, tuple(rows), unresolved)


def _wanted(
    code: Codebase, owner: ClassRef | None, member: str, function: FunctionRef | None
) -> tuple[set[tuple[str, int]], str]:
    if function is not None:
        facts = code.hierarchy.function_facts(function.path, function.scope)
        return {(function.path, facts.span.line)}, function.name
    if owner is None:
        return set(), member
    found = code.hierarchy.lookup(owner, member)[:1]
    return {(one.path, one.line) for one in found}, f"{owner.name}.{member}"


def _sites(file: FileSyntax, word: str) -> Iterator[tuple[int, int]]:
    """Positions where a name is called."""
    for at in file.called(word):
        way = trail(file.around(at), at)
        node, around = (way[-1], way[-2]) if len(way) > 1 else (None, None)
        if isinstance(node, syntax.Name | syntax.Attribute) and isinstance(around, syntax.Call) and around.func is node:
            yield file.text.position(at)
