"""Owns `index`, `search`, `symbols` and `show`: questions about the text and the size of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sondage.cli.opening import Opening
from sondage.cli.options import AskCommand, Form, answers, opens_target
from sondage.cli.plain import counted, excerpt_lines, hit_lines, index_lines, symbol_lines
from sondage.cli.report import Report
from sondage.cli.run import Opened, put
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.index import IndexSummary
from sondage.core.answers.text import Excerpt, SearchAnswer, SymbolRow

if TYPE_CHECKING:
    from sondage.dig import SearchQuery


@click.command(cls=AskCommand, epilog="\b\nExample: sondage index box:/srv/sglang --json")
@opens_target()
@answers(rows=False)
def index(opening: Opening, form: Form) -> int:
    """Read TARGET into the cache and say what was found.

    Every other command does this first too; a second time nothing is pulled or parsed again.
    """

    async def ask(opened: Opened) -> IndexSummary:
        assert isinstance(opened.summary, IndexSummary)
        return opened.summary

    return put(opening, form, ask, _index_report, whole=True)


def _index_report(summary: IndexSummary) -> Report:
    notes = () if summary.files else ("note: no Python file lies below the root",)
    return Report(summary, index_lines(summary), holds=summary.files > 0, notes=notes)


class SearchCommand(AskCommand):
    """`-i` and `-F` are grep's here and ssh's everywhere else; both habits are served where only one can be meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """grep's meaning first; where that leaves a word too many, `-F FILE` and `-i FILE` are ssh's."""
        try:
            return super().parse_args(ctx, list(args))
        except click.UsageError:
            spelled_out = _spelled_out(args)
            if spelled_out == args:
                raise
            ctx.params.clear()
            return super().parse_args(ctx, spelled_out)


def _spelled_out(args: Sequence[str]) -> list[str]:
    """`-F` and `-i` ahead of the name of a file, written as the long options that take one."""
    long_names = {"-F": "--ssh-config", "-i": "--identity"}
    return [
        long_names[word] if word in long_names and Path(following).is_file() else word
        for word, following in zip(args, [*args[1:], ""], strict=True)
    ]


@click.command(
    cls=SearchCommand,
    epilog="\b\nExample: sondage search box:/srv/sglang 'is_eagle3\\(\\)' -g '**/eagle_worker.py'",
)
@opens_target(short_flags=False)
@click.argument("pattern")
@click.option("-i", "--ignore-case", is_flag=True, help="Upper and lower case are the same.")
@click.option("-w", "--word", is_flag=True, help="Whole words only.")
@click.option("-F", "--fixed", is_flag=True, help="PATTERN is plain text.")
@click.option("-g", "--glob", "globs", metavar="GLOB", multiple=True, help="Only paths like this; repeatable.")
@click.option("--max", "limit", type=click.IntRange(min=1), metavar="N", help="Show at most N lines.")
@answers(rows=True)
def search(opening: Opening, form: Form, **fields: Any) -> int:
    """Find lines that match PATTERN (RE2 syntax).

    One line a match: path:line:column:text. Exit 1 when nothing matches.
    """

    symbols = form != "plain" or opening.session is not None  # else nobody sees what a line stands in

    async def ask(opened: Opened) -> SearchAnswer:
        return await opened.dig.search(_query(fields, symbols))

    return put(opening, form, ask, _search_report)


def _query(fields: dict[str, Any], symbols: bool) -> SearchQuery:
    from sondage.dig import SearchQuery  # noqa: PLC0415  no `--help` waits for the service

    return SearchQuery(**fields, symbols=symbols)


def _search_report(answer: SearchAnswer) -> Report:
    notes = []
    if answer.total > len(answer.hits):
        notes.append(f"note: {len(answer.hits):,} of {answer.total:,} matches shown (--max)")
    if answer.unsearched:
        files = counted(len(answer.unsearched), "file")
        notes.append(f"note: {files} not searched, for want of the text; `sondage index` says why")
    hits = tuple(answer.hits)
    return Report(hits, hit_lines(hits), holds=bool(hits), notes=tuple(notes))


@click.command(cls=AskCommand, epilog="\b\nExample: sondage symbols box:/srv/sglang kimik25forcond")
@opens_target()
@click.argument("query")
@click.option("--max", "limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N", help="Rows.")
@answers(rows=True)
def symbols(opening: Opening, form: Form, query: str, limit: int) -> int:
    """Find classes, functions and methods whose name is like QUERY, best first."""

    async def ask(opened: Opened) -> tuple[SymbolRow, ...]:
        return await opened.dig.symbols(query, limit=limit)

    return put(opening, form, ask, lambda rows: Report(rows, symbol_lines(rows), holds=bool(rows)))


@click.command(
    cls=AskCommand, epilog="\b\nExample: sondage show box:/srv/sglang sglang/srt/models/deepseek_v2.py:2944,2960"
)
@opens_target()
@click.argument("what")
@answers(rows=False)
def show(opening: Opening, form: Form, what: str) -> int:
    """Print lines of a file, byte for byte, as `sed -n 'A,Bp'` does.

    WHAT is PATH:A-B, PATH:A,B, PATH:A or Class.method.
    """

    async def ask(opened: Opened) -> Excerpt | Candidates:
        return await opened.dig.show(what)

    return put(opening, form, ask, _show_report, spec=what)


def _show_report(excerpt: Excerpt) -> Report:
    notes = () if excerpt.lines else (f"note: the file has {excerpt.total_lines} lines",)
    return Report(excerpt, excerpt_lines(excerpt), holds=bool(excerpt.lines), data=excerpt.data, notes=notes)
