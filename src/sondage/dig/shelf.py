"""Owns the sources of one tree and the facts about them: parsed at the moment a question leads there, unless they are known.

So a question about a few classes of a large tree costs the parsing of a few files. Where it would take more than it
may, `TooMuchError` ends the question: all the rest is parsed first, in processes, and it is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sondage.core.classes.world import Mention
from sondage.core.source.facts import FileFacts, decode, encode
from sondage.dig.mentions import KnownWords, Mentions
from sondage.dig.sources import Source

Known = Callable[[Sequence[str]], Mapping[str, bytes]]
"""From digests to the encoded facts of those contents that are known."""


ALLOWANCE = 4_000_000
"""Bytes of source that are parsed one by one, in half a second; more are parsed sooner by processes."""


class TooMuchError(Exception):
    """More would have to be parsed than one question may."""


class Shelf(Mapping[str, FileFacts]):
    """Facts by path, for every one of `files`. May be read from several threads: what is parsed twice is the same.

    `encoded` are the facts that are known, by path; what is worked out elsewhere may still come in there.
    """

    def __init__(
        self, files: Mapping[str, Source], encoded: dict[str, bytes], known: Known, words: KnownWords | None = None
    ) -> None:
        self.files = files
        self.allowance = ALLOWANCE
        """Bytes of source that may still be parsed here."""
        self.fresh: dict[str, FileFacts] = {}
        """Parsed here, and not kept in the store yet."""
        self._known = known
        self._asked: set[str] = set()
        self._encoded = encoded
        self._facts: dict[str, FileFacts] = {}
        self._mentions = Mentions(files, words)

    def __getitem__(self, path: str) -> FileFacts:
        facts = self._facts.get(path)
        if facts is None:
            self._look_up((path,))
            encoded = self._encoded.get(path)
            facts = self._facts[path] = self._parsed(path) if encoded is None else decode(encoded)
        return facts

    def __contains__(self, path: object) -> bool:
        return path in self.files

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def mentioning(self, mentions: Iterable[Mention] | None) -> frozenset[str]:
        """The files that may hold one of the mentions; all where None.

        Raises `TooMuchError` where they are more than may be parsed.
        """
        paths = frozenset(self.files) if mentions is None else self._mentions(mentions)
        if self._cost(paths) > self.allowance:
            raise TooMuchError
        return paths

    def take_fresh(self) -> dict[str, bytes]:
        """What was parsed here since the last time, encoded."""
        fresh, self.fresh = self.fresh, {}
        return {path: encode(facts) for path, facts in fresh.items()}

    # ---- inside

    def _parsed(self, path: str) -> FileFacts:
        from sondage.core.source.extract import extract  # noqa: PLC0415  where facts are known no parser is loaded

        data = self.files[path].data
        if len(data) > self.allowance:
            raise TooMuchError
        self.allowance -= len(data)
        facts = self.fresh[path] = extract(data)
        return facts

    def _cost(self, paths: Iterable[str]) -> int:
        missing = [path for path in paths if path not in self._facts and path not in self._encoded]
        self._look_up(missing)
        return sum(self.files[path].size for path in missing if path not in self._encoded)

    def _look_up(self, paths: Sequence[str]) -> None:
        """Fetches the facts that the store knows of files it was not asked for yet."""
        fresh = [path for path in paths if path not in self._asked and path not in self._facts]
        if not fresh:
            return
        self._asked.update(fresh)
        known = self._known([self.files[path].digest for path in fresh])
        found = {path: known.get(self.files[path].digest) for path in fresh} if known else {}
        self._encoded.update((path, facts) for path, facts in found.items() if facts is not None)
