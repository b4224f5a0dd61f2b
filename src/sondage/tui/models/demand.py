"""Owns how the user names a contract: by the members it asks for, by who uses it and on what, by a base, or by siblings."""

from __future__ import annotations

import shlex

import msgspec

from sondage.core.answers.contracts import Contract

WAYS = "name,name  or  --from CONSUMER --on RECEIVER  or  --base CLASS  or  --siblings SELECTOR"
"""What can be typed, for prompts and complaints."""
_OPTIONS = ("--from", "--on", "--base", "--siblings")


class Demand(msgspec.Struct, frozen=True):
    """What is asked of a class, in one of four ways; empty where nothing was said yet."""

    names: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    """`PATH`, `PATH:Class` or `PATH:Class.method`."""
    receiver: str = ""
    """An expression as the consumers write it, or a slot `Class.attribute`."""
    base: str = ""
    siblings: str = ""
    """A selector of classes: what most of them have is asked."""

    def __bool__(self) -> bool:
        return bool(self.names or self.consumers or self.base or self.siblings)

    @property
    def derived(self) -> bool:
        """Whether the members are only known once the code was asked."""
        return bool(self) and not self.names

    @property
    def text(self) -> str:
        """As it can be typed again."""
        if self.names:
            return ", ".join(self.names)
        words = [word for consumer in self.consumers for word in ("--from", consumer)]
        for option, value in zip(_OPTIONS[1:], (self.receiver, self.base, self.siblings), strict=True):
            words += [option, value] if value else []
        return shlex.join(words)


def parse_names(text: str) -> tuple[str, ...]:
    """The names typed into the prompt, separated by commas or blanks, each once, in order."""
    return tuple(dict.fromkeys(text.replace(",", " ").split()))


def parse_demand(text: str) -> Demand | str:
    """What was typed, or a sentence that says what is wrong with it."""
    if not any(word in _OPTIONS for word in text.split()):
        return Demand(names=parse_names(text))
    try:
        words = shlex.split(text)
    except ValueError as error:
        return f"{error}: write {WAYS}"
    given: dict[str, list[str]] = {option: [] for option in _OPTIONS}
    for option, value in zip(words[::2], words[1::2], strict=False):
        if option not in given or value in _OPTIONS:
            return f"write {WAYS}"
        given[option].append(value)
    return _in_one_way(given) if len(words) % 2 == 0 else f"write {WAYS}"


def _in_one_way(given: dict[str, list[str]]) -> Demand | str:
    if any(len(given[option]) > 1 for option in _OPTIONS[1:]):
        return "only --from can be given more than once"
    if bool(given["--from"]) != bool(given["--on"]):
        return "--from says who uses it, --on what: give both"
    if sum(map(bool, (given["--from"], given["--base"], given["--siblings"]))) != 1:
        return f"say in one way what is asked: {WAYS}"
    on, base, siblings = ("".join(given[option]) for option in _OPTIONS[1:])
    return Demand((), tuple(given["--from"]), on, base, siblings)


def demand_of(contract: Contract) -> Demand:
    """How a contract can be asked for again; one that was stated by hand, by its names."""
    if contract.consumers:
        return Demand(consumers=contract.consumers, receiver=contract.receiver)
    if contract.base:
        return Demand(base=contract.base)
    return Demand(names=tuple(item.member for item in contract.items))
