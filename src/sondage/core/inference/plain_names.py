"""Owns the places where a plain name or attribute gets its value: what a jump from something that is no call shows."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.answers.calls import Definition
from sondage.core.answers.certainty import Certainty
from sondage.core.classes.refs import AttributeRef, Meaning, ModuleRef, VariableRef
from sondage.core.inference.infer import Inference
from sondage.core.inference.values import PROVED, ClassObject, Found, Frame, Instance, Module, Super, Types
from sondage.core.source import blocks, syntax


def of_name(infer: Inference, node: syntax.Name, frame: Frame) -> Iterator[Definition]:
    """Where a name is bound that stands for no class and no function."""
    inner = True
    for outer in frame.outward():
        if not isinstance(outer.node, blocks.FunctionDef):
            continue
        known = infer.bindings(node.id, outer, node.at if inner else None)
        certainty: Certainty = "proved" if len(known) == 1 else "possible"
        for binding in known:
            line = outer.file.text.line_of(binding.at)
            why = (f"{binding.kind} of a local name",)
            yield Definition(outer.node.name, node.id, outer.path, line, certainty, why)
        if known:
            return
        inner = False
    for meaning in infer.code.hierarchy.names(frame.path, frame.scope, node.id):
        yield from of_meaning(meaning, node.id)


def of_meaning(meaning: Meaning, name: str) -> Iterator[Definition]:
    """Where a variable or module is, that a name means."""
    certainty: Certainty = "proved" if meaning.sure else "possible"
    match meaning.target:
        case VariableRef(path=path, assigned=assigned) | AttributeRef(path=path, assigned=assigned):
            owner = meaning.target.name.rpartition(".")[0]
            yield Definition(owner, assigned.name, path, assigned.line, certainty, meaning.way)
        case ModuleRef(name=module, path=path) if path:
            yield Definition(module.rpartition(".")[0], name, path, 1, certainty, meaning.way)


def of_attribute(infer: Inference, base: Types, name: str) -> Iterator[Definition]:
    """Where an attribute of any of these is defined or assigned."""
    for found in base:
        value = found.value
        if isinstance(value, Module):
            for meaning in infer.code.hierarchy.attribute_of_module(value.ref.name, name):
                yield from of_meaning(meaning, name)
        elif isinstance(value, Instance | ClassObject):
            yield from _of_class(infer, value, found, name)
        elif isinstance(value, Super):
            receiver = Found(value.receiver, found.why, found.grade)
            yield from _of_class(infer, value.receiver, receiver, name)


def _of_class(infer: Inference, value: Instance | ClassObject, found: Found, name: str) -> Iterator[Definition]:
    members = infer.code.hierarchy.lookup(value.class_, name)
    for member in members:
        if member.owner == members[0].owner and member.path:
            certainty: Certainty = "proved" if found.grade == PROVED and len(members) == 1 else "possible"
            why = (*found.why, f"{member.kind} of {member.owner.name}")
            yield Definition(member.owner.name, name, member.path, member.line, certainty, why)
