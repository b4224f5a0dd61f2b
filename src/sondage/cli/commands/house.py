"""Owns `paths`, `gc` and `demo`: commands that open no target of the user's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from msgspec import structs

from sondage.cli.log import start_log
from sondage.cli.options import Form, answers
from sondage.cli.out import deliver, tell
from sondage.cli.plain import counted, table
from sondage.cli.report import Report
from sondage.config.paths import find_paths
from sondage.errors import StoreError


@click.command(epilog="\b\nExample: sondage paths --json")
@answers(rows=False)
def paths(form: Form) -> int:
    """Show where sondage keeps its files, and how large they are."""
    found: dict[str, Path] = structs.asdict(find_paths())
    sizes = {name: size_of(place) for name, place in found.items()}
    document = {**{name: str(place) for name, place in found.items()}, "sizes": sizes}
    lines = table((name, f"{sizes[name]:,} bytes", str(place)) for name, place in found.items())
    return deliver(Report(document, lines, holds=True), form)


def size_of(place: Path) -> int:
    """Bytes of a file, or of all files below a folder; what cannot be read counts nothing, links are not followed."""
    if not place.is_dir():
        return _bytes_of(place)
    return sum(_bytes_of(Path(folder) / name) for folder, _, names in os.walk(place) for name in names)


def _bytes_of(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0


@click.command(epilog="\b\nExample: sondage gc --older 90")
@click.option("--host", metavar="HOST", help="Forget all sources of this host, by the name it was reached by.")
@click.option("--older", type=click.FloatRange(0), metavar="DAYS", help="Forget targets not opened for so long.")
@answers(rows=False)
def gc(form: Form, host: str | None, older: float | None) -> int:
    """Trim the cache. Without options only what no target needs any more goes.

    Transcripts are no part of it. Exit 1 when --host names a host of which nothing is kept.
    """
    from sondage.store import open_store  # noqa: PLC0415  no `--help` waits for the database

    start_log()
    cache = find_paths().cache
    store = open_store(cache)
    try:
        freed = store.gc(older_than_days=older, host=host)
        if store.in_memory:
            raise StoreError("the cache cannot be trimmed", str(cache), store.note)
    finally:
        store.close()
    line = f"{counted(freed.roots, 'target')} and {counted(freed.sources, 'source')} forgotten, {freed.bytes:,} bytes freed"
    unknown = host is not None and older is None and not freed.roots
    notes = [f"note: nothing is kept of {host}"] if unknown else []
    if freed.kept:
        notes.append(
            f"note: {counted(freed.kept, 'source')} still to go: another sondage has the cache open; end it and repeat",
        )
    return deliver(Report(freed, (line,), holds=not unknown, notes=tuple(notes)), form)


@click.command(epilog="\b\nExample: sondage demo | less")
def demo() -> int:
    """See the whole job with nothing set up: a host of its own, and a guided investigation.

    Without a terminal the investigation is printed as text.
    """
    from sondage.demo import run_app_demo, run_text  # noqa: PLC0415  it brings SSH, store and parser with it

    start_log()
    if sys.stdin.isatty() and sys.stdout.isatty():
        from sondage.cli.screen import looks  # noqa: PLC0415  the text needs no screen

        return run_app_demo(looks())
    run_text(tell)
    return 0
