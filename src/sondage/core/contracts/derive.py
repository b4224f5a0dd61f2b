"""Owns deriving a contract: what consumers need of the object that a receiver names, from their own code.

Only what the concrete consumer runs counts: the methods a lookup on it finds, and those that these reach by `super()`.
Where the object, or one that leads to it, is handed on, the body that gets it is read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sondage.core.answers.contracts import Contract, ContractItem, Escape, Use
from sondage.core.classes.codebase import Codebase, Steps, finished
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.contracts.objects import short
from sondage.core.contracts.receiver import Consumer, Path, read_consumer, read_receiver
from sondage.core.contracts.things import Made, Seen, Slot, Unit, Way, words
from sondage.core.contracts.uses import Context, Entry, Reader
from sondage.core.contracts.ways import Ways
from sondage.core.source.facts import FunctionScope
from sondage.errors import UsageError

_BODIES = 20_000
"""Bodies that are read for one contract; no tree seen so far needs a tenth of it."""


def derive(code: Codebase, consumers: Sequence[str], receiver: str, name: str = "") -> Contract:
    """The contract that `consumers` (as written, see `receiver.read_consumer`) set for `receiver`.

    Raises `UsageError` where one of them means nothing, or where no consumer has the receiver.
    """
    return finished(derive_in_steps(code, consumers, receiver, name))


def derive_in_steps(code: Codebase, consumers: Sequence[str], receiver: str, name: str = "") -> Steps[Contract]:
    """As `derive`, a body at a step."""
    what = read_receiver(code, receiver)
    given = [read_consumer(code, consumer) for consumer in consumers]
    derivation = _Derivation(code)
    for consumer in given:
        if isinstance(what, Slot):
            yield from derivation.from_slot(consumer, what)
        else:
            yield from derivation.from_path(consumer, what)
    if not derivation.reached:
        raise UsageError("no consumer reaches it", receiver, "the first step must be an attribute of the consumer")
    owner = holder(code, consumers, receiver)
    if owner is not None:
        derivation.notes.append(
            f"{short(owner.class_)} holds the object and uses it as well: see {owner.class_.name}.{owner.attribute}"
        )
    return derivation.contract(name or f"{', '.join(consumers)} on {receiver}", tuple(consumers), receiver)


def holder(code: Codebase, consumers: Sequence[str], receiver: str) -> Slot | None:
    """The slot that a path ends in: the class that holds the object, and its attribute. None where that is not known."""
    what = read_receiver(code, receiver)
    if isinstance(what, Slot) or what.root not in ("self", "cls") or len(what.steps) < 2:
        return None
    for consumer in consumers:
        ref = read_consumer(code, consumer).class_
        if ref is not None:
            ways = Ways(code, ref)
            ways.aim(what.steps)
            held_by = ways.classes(Way(ways.receiver.steps[:-1]))
            if held_by and held_by[0].path:
                return Slot(held_by[0], ways.receiver.steps[-1], words(short(held_by[0])))
    return None


class _Derivation:
    """Collects uses over several consumers, each place once."""

    def __init__(self, code: Codebase) -> None:
        self.code = code
        self.uses: dict[tuple[str, str, int, int], tuple[str, Use]] = {}
        self.escapes: dict[tuple[str, int], Escape] = {}
        self.handed: dict[tuple[str, int], Escape] = {}
        self.reached = False
        self.notes: list[str] = []

    # ---- where reading starts

    def from_slot(self, consumer: Consumer, slot: Slot) -> Steps[None]:
        self.reached = True
        names = self._names_of(slot)
        ways = Ways(self.code, None, slot, names)
        if consumer.function is not None:
            starts = [consumer.function]
        elif consumer.class_ is not None:
            starts = list(effective(self.code, consumer.class_))
        else:
            starts = [ref for path in consumer.paths for ref in self._functions(path, names)]
        units = [self._unit_of_slot(ways, ref, consumer.class_) for ref in starts]
        yield from self._run(ways, [Entry(unit, Context()) for unit in units if unit is not None])

    def _unit_of_slot(self, ways: Ways, ref: FunctionRef, class_: ClassRef | None) -> Unit | None:
        owner = self.code.hierarchy.class_of_function(ref.path, ref.scope)
        if owner is None:
            return ways.unit(ref)
        concrete = class_ if class_ is not None and owner in self.code.hierarchy.linear(class_).order else owner
        return ways.unit(ref, Made(concrete, ()), concrete)

    def _names_of(self, slot: Slot) -> frozenset[str]:
        """The slot's attribute, and those that are given its value: a body without any of them cannot use it."""
        name = slot.attribute
        mentions = re.compile(rf"\.{name}\b|[\"']{name}[\"']")
        aliases = [
            other
            for other, places in self.code.attributes.items()
            if any(fact.value is not None and mentions.search(fact.value.text) for _, fact in places)
        ]
        return frozenset((name, *aliases))

    def _functions(self, path: str, names: frozenset[str] | None = None) -> Iterator[FunctionRef]:
        """Every function of a file but the closures, which are read with the function around them.

        With `names` only those whose text has `.name` or `"name"` of one of them.
        """
        facts = self.code.hierarchy.files()[path]
        text = self.code.text_of(path)
        wanted = re.compile(rb"[.\"'](?:%s)\b" % b"|".join(name.encode() for name in names)) if names else None
        for index, scope in enumerate(facts.scopes):
            if not isinstance(scope, FunctionScope) or isinstance(facts.scopes[scope.parent], FunctionScope):
                continue
            if wanted is None or text is None or wanted.search(text.utf8, scope.span.at, scope.span.end):
                yield self.code.function_of(path, index)

    def from_path(self, consumer: Consumer, path: Path) -> Steps[None]:
        if path.root not in ("self", "cls"):
            yield from self._from_parameter(consumer, path)
        elif consumer.class_ is not None:
            yield from self._from_class(consumer.class_, path, consumer.function, asked=True)
        else:
            for ref in self._classes(consumer):
                yield from self._from_class(ref, path, None, asked=False)

    def _classes(self, consumer: Consumer) -> Iterator[ClassRef]:
        inside = frozenset(consumer.paths)
        return (ref for ref in self.code.hierarchy.classes() if ref.path in inside)

    def _from_class(self, ref: ClassRef, path: Path, function: FunctionRef | None, *, asked: bool) -> Steps[None]:
        if path.steps and not self.code.hierarchy.lookup(ref, path.steps[0]):
            if asked:
                raise UsageError(
                    f"{short(ref)} has no attribute {path.steps[0]}", f"{path.root}.{'.'.join(path.steps)}"
                )
            return
        self.reached = True
        ways = Ways(self.code, ref)
        ways.aim(path.steps)
        starts = [function] if function is not None else list(effective(self.code, ref))
        units = [ways.unit(start, Way(()), ref) for start in starts]
        yield from self._run(ways, [Entry(unit, Context()) for unit in units if unit is not None])

    def _from_parameter(self, consumer: Consumer, path: Path) -> Steps[None]:
        """A receiver that starts at a parameter: every function of the consumer that has it."""
        starts = [consumer.function] if consumer.function else [r for p in consumer.paths for r in self._functions(p)]
        for start in starts:
            parameters = self.code.hierarchy.function_facts(start.path, start.scope).parameters
            if all(parameter.name != path.root for parameter in parameters):
                continue
            self.reached = True
            ways = Ways(self.code, None)
            ways.receiver = Way(path.steps)
            ways.limited = True
            unit = ways.unit(start, None, None, ((path.root, (Seen(Way(())),)),))
            if unit is not None:
                yield from self._run(ways, [Entry(unit, Context())])

    # ---- reading on

    def _run(self, ways: Ways, waiting: list[Entry]) -> Steps[None]:
        read: set[tuple[object, ...]] = set()
        waiting.reverse()
        while waiting and len(read) < _BODIES:
            entry = waiting.pop()
            if isinstance(entry.into, Made):
                waiting += self._of_made(ways, entry.into, entry.context)
                continue
            if entry.into.key in read:
                continue
            read.add(entry.into.key)
            reader = Reader(ways, entry.into, entry.context)
            reader.read()
            self._collect(reader)
            waiting += reversed(reader.entries)
            yield None
        if waiting:
            self.notes.append(f"stopped after {_BODIES} bodies: the contract may lack members")

    def _of_made(self, ways: Ways, made: Made, context: Context) -> Iterator[Entry]:
        """The methods of an object that was made with the receiver in its hands."""
        for ref in effective(self.code, made.class_):
            starts = ref.name.rpartition(".")[2] == "__init__"
            unit = ways.unit(ref, made, made.class_, made.given if starts else ())
            if unit is not None:
                yield Entry(unit, context)

    def _collect(self, reader: Reader) -> None:
        for member, use in reader.uses:
            key = (member, use.path, use.line, use.column)
            known = self.uses.get(key)
            if known is None or _needs_more(use, known[1]):
                self.uses[key] = (member, use)
        for escape in reader.escapes:
            self.escapes.setdefault((escape.path, escape.line), escape)
        for handing in reader.handed:
            self.handed.setdefault((handing.path, handing.line), handing)

    # ---- the result

    def contract(self, name: str, consumers: tuple[str, ...], receiver: str) -> Contract:
        members: dict[str, list[Use]] = {}
        for member, use in sorted(self.uses.values(), key=lambda pair: (pair[1].path, pair[1].line, pair[1].column)):
            members.setdefault(member, []).append(use)
        items = sorted((item_of(member, uses) for member, uses in members.items()), key=_order)
        escapes, handed = _in_order(self.escapes), _in_order(self.handed)
        return Contract(name, tuple(items), consumers, receiver, "", escapes, handed, tuple(self.notes))


def _in_order(places: dict[tuple[str, int], Escape]) -> tuple[Escape, ...]:
    return tuple(place for _, place in sorted(places.items()))


def item_of(member: str, uses: Iterable[Use]) -> ContractItem:
    """One item from all places that use a member: required if any place needs it."""
    found = tuple(uses)
    needing = [use for use in found if not use.optional and use.how != "probe"]
    counted = needing or list(found)
    sure = any(use.certainty == "proved" for use in counted)
    return ContractItem(member, "required" if needing else "optional", "proved" if sure else "possible", found)


def _order(item: ContractItem) -> tuple[bool, bool, bool, str]:
    return item.required != "required", item.conditional, item.certainty != "proved", item.member


def _needs_more(use: Use, known: Use) -> bool:
    """Of two readings of one place the one that asks more of the object counts."""
    return (use.optional, use.certainty != "proved", len(use.guards)) < (
        known.optional,
        known.certainty != "proved",
        len(known.guards),
    )


def effective(code: Codebase, ref: ClassRef) -> Iterator[FunctionRef]:
    """The functions that a class runs under their own names: of each name the definition that a lookup finds."""
    seen: set[str] = set()
    for step in code.hierarchy.linear(ref).order:
        for name, members in code.hierarchy.own_members(step).items():
            if name in seen or not members or members[0].kind in ("annotation", "instance"):
                continue
            seen.add(name)
            for member in members:
                if member.scope >= 0 and member.kind in ("method", "classmethod", "staticmethod", "property"):
                    yield code.function_of(member.path, member.scope)
