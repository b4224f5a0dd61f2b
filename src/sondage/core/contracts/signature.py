"""Owns signatures: how a `def` is shown, whether a call fits it, and whether two of them are the same.

Rules of binding: language reference, section 6.3.4 "Calls".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sondage.core.answers.contracts import CallShape
from sondage.core.source import written
from sondage.core.source.facts import FunctionScope
from sondage.core.source.syntax import Call, Expr, Parameter, Starred

_Cut: TypeAlias = Callable[[Expr], str]
_AT = 100
"""A parameter list read alone is placed here: any place leaves room for the `def` that the parser needs before it."""
_MARKS = {"var_positional": "*", "var_keyword": "**"}
_BY_POSITION = ("positional", "normal")


def show(function: FunctionScope) -> str:
    """The signature on one line, without comments: `(self, layer_ids: list[int] | None = None) -> None`."""
    returns = f" -> {_one_line(function.returns.text)}" if function.returns else ""
    if function.signature is None:
        return f"(){returns}"
    return show_parameters(function.signature.text) + returns


def show_parameters(text: str) -> str:
    """A parameter list as written, drawn together on one line."""
    cut = _cutter(text)
    parts: list[str] = []
    parameters = read(text)
    for index, parameter in enumerate(parameters):
        before = parameters[index - 1].kind if index else None
        if before == "positional" and parameter.kind != "positional":
            parts.append("/")
        if parameter.kind == "keyword" and before not in ("keyword", "var_positional"):
            parts.append("*")
        parts.append(_show_one(parameter, cut))
    if parameters and parameters[-1].kind == "positional":
        parts.append("/")
    return f"({', '.join(parts)})"


def _show_one(parameter: Parameter, cut: _Cut) -> str:
    shown = _MARKS.get(parameter.kind, "") + parameter.name
    if parameter.annotation is not None:
        shown += f": {cut(parameter.annotation)}"
    if parameter.default is not None:
        shown += f" = {cut(parameter.default)}" if parameter.annotation is not None else f"={cut(parameter.default)}"
    return shown


def read(text: str) -> tuple[Parameter, ...]:
    """The parameters of a parameter list with its brackets; their offsets count from `_AT`."""
    return written.read_parameters(text, _AT)


def _cutter(text: str) -> _Cut:
    source = text.encode("utf-8", "surrogatepass")
    return lambda part: _one_line(source[part.at - _AT : part.end - _AT].decode("utf-8", "replace"))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def same(one: str, other: str) -> bool:
    """Whether two shown signatures agree in names, kinds and defaults; annotations and results are left aside."""
    return _bare(one) == _bare(other)


def _bare(shown: str) -> list[tuple[str, str, str | None]]:
    text = parameter_list(shown)
    cut = _cutter(text)
    return [(p.name, p.kind, None if p.default is None else cut(p.default)) for p in read(text)]


def parameter_list(shown: str) -> str:
    """The bracketed part of a shown signature, without ` -> result`."""
    depth = 0
    for index, character in enumerate(shown):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return shown[: index + 1]
    return shown


# ------------------------------------------------------------------ calls


def call_shape(call: Call) -> CallShape:
    """The arguments of a call, without their values."""
    return CallShape(
        positional=sum(not isinstance(argument, Starred) for argument in call.args),
        keywords=tuple(sorted(keyword.name for keyword in call.keywords if keyword.name is not None)),
        star=any(isinstance(argument, Starred) for argument in call.args),
        double_star=any(keyword.name is None for keyword in call.keywords),
    )


def show_call(shape: CallShape) -> str:
    """A call's arguments in words, as `2 arguments, layer_ids=`."""
    count = f"{shape.positional} argument{'' if shape.positional == 1 else 's'}"
    return ", ".join(
        [count, *(f"{name}=" for name in shape.keywords), *["*"] * shape.star, *["**"] * shape.double_star]
    )


def misfit(parameters: tuple[Parameter, ...], call: CallShape) -> str | None:
    """Why a call is refused, as Python's TypeError says it; empty when it fits; None when `*` or `**` hide it.

    `parameters` are those left after binding: without `self` where the call is on an instance.
    """
    by_position = [p for p in parameters if p.kind in _BY_POSITION]
    open_position = any(p.kind == "var_positional" for p in parameters)
    open_keyword = any(p.kind == "var_keyword" for p in parameters)
    if call.positional > len(by_position) and not open_position:
        return f"takes {len(by_position)} positional arguments, {call.positional} given"
    by_name = {p.name for p in parameters if p.kind in ("normal", "keyword")}
    for name in call.keywords:
        if name not in by_name and not open_keyword:
            return f"unexpected keyword argument {name}"
        if any(p.name == name and p.kind == "normal" for p in by_position[: call.positional]):
            return f"multiple values for argument {name}"
    missing = _missing(parameters, call)
    if missing and not call.star and not call.double_star:
        return f"missing argument{'s' * (len(missing) > 1)} {', '.join(missing)}"
    if (call.star and not (open_position and not missing)) or (call.double_star and not (open_keyword and not missing)):
        return None
    return ""


def _missing(parameters: tuple[Parameter, ...], call: CallShape) -> list[str]:
    by_position = [p for p in parameters if p.kind in _BY_POSITION]
    left = by_position[call.positional :] + [p for p in parameters if p.kind == "keyword"]
    return [p.name for p in left if p.default is None and (p.kind == "positional" or p.name not in call.keywords)]


def unbound(parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """The parameters that are left when the first argument is given by binding; `*args` takes it in and stays."""
    return parameters[1:] if parameters and parameters[0].kind in _BY_POSITION else parameters
