"""Owns entries without the names of hosts and users, for transcripts that go to people who need not know them.

A host is masked where it is named as one: as a target, in a claim or a note, and everywhere when its name has a dot or a
colon in it and so is no word of a source. A user is masked before a host and as the owner of a home folder. The host's
key, and how `ssh` reaches it, say who it is as well, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import structs

from sondage.core.late import late_pattern
from sondage.core.transcripts.rewriting import rewritten
from sondage.core.transcripts.transcript import OF_THE_STORY, Entry

HOST, USER = "HOST", "USER"
_HOME = late_pattern(r"(?:/home|/Users)/([^/\s:\"']+)")


class Mask:
    """The hosts and users that some entries name; the first is `HOST`, the next `HOST2`, and so on."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        addresses = list(dict.fromkeys(address for entry in entries for address in _addresses(entry)))
        homes = (owner for entry in entries for text in _own_paths(entry) for owner in _HOME.findall(text))
        self._hosts = _numbered(HOST, [host for _, host in addresses])
        self._users = _numbered(USER, [*(user for user, _ in addresses if user), *homes])
        self._rules = [(re.compile(pattern), mask) for pattern, mask in self._patterns()]
        self._words = [
            (re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w-])"), mask) for host, mask in self._hosts.items()
        ]

    def masked(self, entry: Entry) -> Entry:
        clean = rewritten(structs.replace(entry, host_key="", reach=()), self._of_lines)
        if entry.verb in OF_THE_STORY or entry.verb == "assume":
            clean = rewritten(clean, self._of_words)
        return structs.replace(clean, reach=self._reach(entry.reach))

    def _reach(self, reach: Sequence[str]) -> tuple[str, ...]:
        if not reach:
            return ()
        user, host = _split(reach[-1])
        return (f"{self._users[user]}@{self._hosts[host]}" if user else self._hosts[host],)

    def _patterns(self) -> Iterator[tuple[str, str]]:
        for host, mask in self._hosts.items():
            for user, user_mask in self._users.items():
                yield rf"(?<![\w.-]){re.escape(user)}@\[?{re.escape(host)}\]?(?![\w-])", f"{user_mask}@{mask}"
            is_word = host.isidentifier()
            behind = r"(?=:[/~\d])" if is_word else r"(?![\w-])"
            yield rf"(?<![\w.-])\[?{re.escape(host)}\]?{behind}", mask
        for user, mask in self._users.items():
            yield rf"(/home|/Users)/{re.escape(user)}(?![\w.-])", rf"\1/{mask}"

    def _of_lines(self, lines: Sequence[str]) -> list[str]:
        return [_replaced(line, self._rules) for line in lines]

    def _of_words(self, lines: Sequence[str]) -> list[str]:
        return [_replaced(line, self._words) for line in lines]


def _replaced(text: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, mask in rules:
        text = pattern.sub(mask, text)
    return text


def _numbered(word: str, names: Sequence[str]) -> dict[str, str]:
    distinct = dict.fromkeys(names)
    return {name: f"{word}{number if number > 1 else ''}" for number, name in enumerate(distinct, start=1)}


def _addresses(entry: Entry) -> Iterator[tuple[str, str]]:
    """(user, host) of the target and of the ones it is compared with."""
    own = [entry.target] if entry.reach else []
    if entry.reach:
        yield _split(entry.reach[-1])
    others = entry.arguments.get("targets") if entry.verb == "drift" else None
    claim = str(entry.arguments.get("claim", "")).partition(" unchanged since ")[2]
    for target in [*own, *(others if isinstance(others, list) else ()), claim]:
        found = re.match(r"(?:ssh://(?P<url>[^/:\s]+)|(?P<scp>[^/:\s]+):)", str(target))
        if found:
            yield _split(found["url"] or found["scp"])


def _split(address: str) -> tuple[str, str]:
    user, _, host = address.rpartition("@")
    return user, host


def _own_paths(entry: Entry) -> tuple[str, ...]:
    return entry.target, entry.root, entry.checkout, *entry.reach, *(row.path for row in entry.evidence)
