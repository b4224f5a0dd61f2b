"""Owns how a search is asked: what stands in the prompt, what narrows it, and what to offer where nothing was found."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from sondage.core.late import late_pattern
from sondage.core.safe import one_line
from sondage.tui.models.rows import Part, Row, counted, row, with_keys

BEGINNINGS = (
    ("/", "type a pattern, -g GLOB behind it narrows it, Enter searches"),
    ("p", "go to a symbol, file or class by a few letters"),
    ("?", "all keys that work here"),
)
_GLOB = late_pattern(r"\s+-g\s+(?=\S+(?:\s+-g\s|\s*\Z))")

_MEANS_MORE = late_pattern(r"[\s*?\[\]{}!\\\x00-\x1f\x7f\ud800-\udfff]")
_NO_GLOB_YET = late_pattern(r"\s+-(?:g\s*)?\Z")


def read_prompt(typed: str) -> tuple[str, tuple[str, ...]]:
    """`pattern -g glob -g glob`, as for `rg`: the pattern and the globs, none where none was written."""
    pattern, *globs = _GLOB.split(typed)
    return pattern, tuple(glob.strip() for glob in globs)


def glob_of(path: str) -> str:
    """A glob for one file: signs that mean something in a glob, blanks and what cannot be typed become a `?`."""
    return _MEANS_MORE.sub("?", path)


def unfinished(typed: str) -> str:
    """What was typed so far without a `-g` that has no glob yet."""
    return _NO_GLOB_YET.sub("", typed)


class Filters(msgspec.Struct, frozen=True):
    """What narrows a search, as the prompt has it. `globs` are separated by spaces there."""

    fixed: bool = False
    ignore_case: bool = False
    word: bool = False
    globs: tuple[str, ...] = ()

    def named(self) -> str:
        """The filters that are on, in words; empty when none is."""
        words = []
        if self.globs:
            words.append("only files of " + " ".join(one_line(glob) for glob in self.globs))
        if not self.ignore_case:
            words.append("upper and lower case differ")
        if self.word:
            words.append("whole words")
        if self.fixed:
            words.append("plain text, no pattern")
        return " · ".join(words)

    def parts(self) -> list[Part]:
        """The three switches in 12 cells, those that are on in brackets: a pattern, its case counts, whole words."""
        switches = ((".*", not self.fixed), ("Aa", not self.ignore_case), ("ab", self.word))
        return [Part(f"[{sign}]" if on else f" {sign} ", "accent" if on else "muted") for sign, on in switches]

    def without(self, name: str) -> Filters:
        """With one of them off: `globs`, `case`, `word` or `fixed`."""
        match name:
            case "globs":
                return replace(self, globs=())
            case "case":
                return replace(self, ignore_case=True)
            case "word":
                return replace(self, word=False)
            case _:
                return replace(self, fixed=False)


class Offer(msgspec.Struct, frozen=True):
    """What Enter does on a line that is no hit: searches again without a filter, or shows the files that were hidden."""

    without: str = ""


SHOW_HIDDEN = Offer()


def as_command(pattern: str, filters: Filters) -> str:
    """The same search for a colleague: TARGET is left for them to fill in."""
    import shlex  # noqa: PLC0415  hardly ever wanted

    switches = [flag for flag, on in (("-i", filters.ignore_case), ("-w", filters.word), ("-F", filters.fixed)) if on]
    globs = [word for glob in filters.globs for word in ("-g", glob)]
    return "sondage search TARGET " + shlex.join([*switches, *globs, "--", pattern])


def rows_for_nothing(pattern: str, filters: Filters, searched: int) -> list[Row]:
    """What to say when nothing was found, and a line for each filter to search again without; Enter does it."""
    out = [
        row(
            Part("No line matches ", "text"),
            Part(one_line(pattern), "name"),
            Part(f" in {counted(searched, 'file')}", "text"),
        ),
    ]
    named = filters.named()
    if named:
        out.append(row(Part("Filters: ", "muted"), Part(named, "doubt")))
    offers = [("Enter", "look in all files", "globs")] if filters.globs else []
    offers += [("^Y", "not only whole words", "word")] if filters.word else []
    offers += [("^T", "ignore case", "case")] if not filters.ignore_case else []
    offers += [("^R", "read it as a pattern", "fixed")] if filters.fixed else []
    out.extend(
        row(Part(f"  {key:<5}", "accent"), Part("  " + what, "text"), value=Offer(name)) for key, what, name in offers
    )
    return out


def rows_to_begin() -> list[Row]:
    """What stands in the list before the first search."""
    return with_keys("Nothing searched yet.", BEGINNINGS)
