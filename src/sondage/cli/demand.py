"""Owns how a contract is named on the command line: by a file, by names, by who uses it, or by a base."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

import click
import msgspec

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.contracts import Contract, ContractItem
from sondage.errors import UsageError

if TYPE_CHECKING:
    from sondage.dig import Dig


class Demand(msgspec.Struct, frozen=True):
    """A contract as the user named it: `stated` in full, or where it is to be derived from. One of them is set."""

    stated: Contract | None = None
    consumers: tuple[str, ...] = ()
    receiver: str = ""
    base: str = ""
    siblings: str = ""
    least: float = 0.5
    name: str = ""

    async def contract(self, dig: Dig, *, commit: bool = False) -> Contract | Candidates:
        """The contract itself. It is an entry of the transcript of its own only where it was all that was asked."""
        if self.stated is not None:
            return self.stated
        if self.base:
            return await dig.derive_base(self.base, name=self.name, commit=commit)
        if self.siblings:
            return await dig.derive_siblings(self.siblings, least=self.least, name=self.name, commit=commit)
        return await dig.derive(self.consumers, self.receiver, name=self.name, commit=commit)


def contract_notes(contract: Contract, lister: str = "`contract derive`") -> tuple[str, ...]:
    """What a reader of an answer about a contract must know of it. `lister` lists what was not followed."""
    notes = [f"note: {note}" for note in contract.notes]
    if not contract.items:
        notes.append("note: the contract asks for nothing")
    if contract.escapes:
        number = len(contract.escapes)
        places, them = ("a place", "it") if number == 1 else (f"{number:,} places", "them")
        notes.append(f"note: the object also goes to {places} where it was not followed; {lister} lists {them}")
    return tuple(notes)


def _names(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The members out of `A,B`, each once, in the order given."""
    names = [name.strip() for part in value for name in part.split(",")]
    wrong = [name for name in names if not name.isidentifier()]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} is not a Python name", context, parameter)
    return tuple(dict.fromkeys(names))


_DERIVED = [
    click.option(
        "--from",
        "consumers",
        metavar="CONSUMER",
        multiple=True,
        help="Who uses it: a file, a folder, PATH:Class or PATH:Class.method; repeatable.",
    ),
    click.option("--on", "receiver", metavar="RECEIVER", help="What they use: self.a.b.c, or Class.attribute."),
    click.option("--base", metavar="CLASS", help="What this abstract base or Protocol asks."),
]
_STATED = [
    click.option("--contract", "file", metavar="FILE", type=click.File("rb"), help="A contract file; - is stdin."),
    click.option("--require", metavar="A,B", multiple=True, callback=_names, help="Members required; repeatable."),
]


def names_contract(function: Callable[..., int]) -> Callable[..., int]:
    """Gives the function a contract to hold classes against, gathered as `demand`."""

    @functools.wraps(function)
    def gathered(
        file: BinaryIO | None, require: tuple[str, ...], consumers: Any, receiver: Any, base: Any, **values: Any
    ) -> int:
        _one_way("--contract, --require, --from with --on, or --base", file, require, consumers or receiver, base)
        stated = _read(file) if file else _required(require) if require else None
        return function(demand=_derived(stated, consumers, receiver, base), **values)

    return _with(gathered, *_STATED, *_DERIVED)


def derives_contract(function: Callable[..., int]) -> Callable[..., int]:
    """Gives the function a contract to derive, gathered as `demand`."""

    @functools.wraps(function)
    def gathered(
        consumers: Any, receiver: Any, base: Any, siblings: str | None, least: float, name: str, **values: Any
    ) -> int:
        _one_way("--from with --on, --base, or --siblings", consumers or receiver, base, siblings)
        demand = _derived(None, consumers, receiver, base, siblings=siblings or "", least=least, name=name)
        return function(demand=demand, **values)

    return _with(
        gathered,
        *_DERIVED,
        click.option(
            "--siblings", metavar="SELECTOR", help="What most of these classes have; selectors as in contract matrix."
        ),
        click.option(
            "--least",
            type=click.FloatRange(0, 1),
            default=0.5,
            show_default=True,
            metavar="SHARE",
            help="Share of the siblings that must have a member.",
        ),
        click.option("--name", default="", metavar="NAME", help="What the contract is called."),
    )


def _with(
    function: Callable[..., int], *options: Callable[[Callable[..., int]], Callable[..., int]]
) -> Callable[..., int]:
    for option in reversed(options):
        function = option(function)
    return function


def _one_way(ways: str, *given: object) -> None:
    if sum(map(bool, given)) != 1:
        raise click.UsageError(f"say in one way what is asked: {ways}", click.get_current_context())


def _derived(
    stated: Contract | None, consumers: tuple[str, ...], receiver: str | None, base: str | None, **more: Any
) -> Demand:
    if bool(consumers) != bool(receiver):
        raise click.UsageError("--from says who uses it, --on what: give both", click.get_current_context())
    return Demand(stated, consumers, receiver or "", base or "", **more)


def _required(names: tuple[str, ...]) -> Contract:
    return Contract("required", tuple(ContractItem(name) for name in names))


def _read(file: BinaryIO) -> Contract:
    """The contract of a file. Raises `UsageError` with the line of what is wrong in it."""
    from sondage.core.contracts.contract_file import read  # noqa: PLC0415  it brings the parser: no `--help` waits for it

    data, name = file.read(), str(getattr(file, "name", "<stdin>"))
    try:
        return read(data.decode(), name)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UsageError("a contract file is UTF-8, this is not", f"{name}:{line}") from None
