"""Owns the questions that prove or refute: what consumers need, and who keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.contracts import Assumption, Contract, ContractReport, DriftAnswer, LintAnswer
from sondage.core.answers.plain import to_json
from sondage.dig import questions
from sondage.dig.asking import Asking
from sondage.dig.widening import widened


class Proving(Asking):
    """The contracts of one target; `Dig` has all its other questions."""

    @widened
    async def derive(self, consumers: Sequence[str], receiver: str, *, name: str = "", commit: bool = True) -> Contract:
        """What consumers (`PATH`, `PATH:Class`, `PATH:Class.method`) need of a receiver (an expression, or `Class.attribute`).

        Raises `UsageError` where one of them means nothing.
        """
        index = self._state.index
        found = await self._thinking.ask_in_steps(questions.derive, index, consumers, receiver, name)
        arguments = {"consumers": list(consumers), "receiver": receiver}
        return await self._recorded("derive", arguments, found, index, commit)

    @widened
    async def derive_base(self, base: str, *, name: str = "", commit: bool = True) -> Contract | Candidates:
        """What an abstract base or a Protocol asks of a class that fills it in."""
        index = await self._with_chains([base])
        found = await self._thinking.ask(questions.derive_base, index, base, name)
        return await self._recorded("derive", {"base": base}, found, index, commit)

    @widened
    async def derive_siblings(
        self, selector: str, *, least: float = 0.5, name: str = "", commit: bool = True
    ) -> Contract | Candidates:
        """What at least a share of the selected classes provide, each member with its share."""
        index = self._state.index
        found = await self._thinking.ask(questions.derive_siblings, index, selector, least, name)
        return await self._recorded("derive", {"base": selector, "least": least}, found, index, commit)

    @widened
    async def matrix(
        self,
        selector: str,
        contract: Contract,
        *,
        commit: bool = True,
        told: Callable[[tuple[int, int]], None] | None = None,
    ) -> ContractReport | Candidates:
        """Every class of a selector against every item. Raises `UsageError` where it is no selector.

        `told` hears of each class that is done: how many of how many.
        """
        names = await self._thinking.ask(questions.selected, self._state.index, selector)
        index = await self._with_chains(names)
        found = await self._thinking.ask_in_steps(questions.matrix, index, selector, contract, told=told)
        arguments = {"classes": [selector], "selector": selector, "contract": to_json(contract)}
        return await self._recorded("check", arguments, found, index, commit)

    @widened
    async def lint(
        self, class_names: Sequence[str] = (), *, selector: str | None = None, commit: bool = True
    ) -> LintAnswer | Candidates:
        """What classes ask of themselves, or of what they hold, that is not there."""
        index = await self._with_chains(class_names) if class_names else self._state.index
        answer = await self._thinking.ask_in_steps(questions.lint, index, class_names, selector)
        arguments = {"classes": [*class_names, *([selector] if selector else [])], "selector": selector or ""}
        return await self._recorded("lint", arguments, answer, index, commit)

    @widened
    async def assume(
        self, claim: str, others: Mapping[str, Proving] | None = None, *, commit: bool = True
    ) -> Assumption:
        """Checks a claim at once where it can be; `RECEIVER is CLASS` is taken for given from now on, and said.

        `others` are opened targets that `MEMBER unchanged since TARGET` may name.
        """
        index = self._state.index
        indexes = {name: dig._state.index for name, dig in (others or {}).items()}
        found = await self._thinking.ask(questions.assume, index, claim, indexes)
        answer = await self._recorded("assume", {"claim": claim}, found, index, commit)
        pin = await self._thinking.ask(questions.pin, index, claim)
        if pin is not None and answer.state != "refuted":
            self._state.pin(pin)
        return answer

    @widened
    async def drift(
        self, others: Sequence[Proving], class_names: Sequence[str], contract: Contract, *, commit: bool = True
    ) -> DriftAnswer | Candidates:
        """The contract on the same classes here and in other opened targets, in this order."""
        digs = [self, *others]
        indexes = [(str(dig._state.target), await dig._with_chains(class_names)) for dig in digs]
        answer = await self._thinking.ask_in_steps(questions.drift, indexes, class_names, contract)
        arguments = {
            "classes": list(class_names),
            "contract": to_json(contract),
            "targets": [str(dig._state.target) for dig in digs],
        }
        return await self._recorded("drift", arguments, answer, indexes[0][1], commit)
