"""Owns `paths`, `demo` and the app itself: commands that open no target, or the whole screen."""

from __future__ import annotations

import sys
from typing import Any

import click

from sondage.cli.options import AskCommand, Form, Opening, answers, opens_target
from sondage.cli.out import deliver
from sondage.cli.places import places, size_of
from sondage.cli.plain import table
from sondage.cli.report import Report
from sondage.cli.run import settings_of
from sondage.errors import UsageError
from sondage.hosts.target import parse_target


@click.command(epilog="\b\nExample: sondage paths --json")
@answers(rows=False)
def paths(form: Form) -> int:
    """Show where sondage keeps its files, and how large they are."""
    found = places()
    sizes = {name: size_of(place) for name, place in found.items()}
    document = {**{name: str(place) for name, place in found.items()}, "sizes": sizes}
    lines = table((name, f"{sizes[name]:,}", str(place)) for name, place in found.items())
    return deliver(Report(document, lines, holds=True), form)


@click.command(epilog="\b\nExample: sondage demo | less")
def demo() -> int:
    """Try the whole job with nothing set up: a host of its own, and a guided investigation.

    Without a terminal the investigation is printed as text.
    """
    from sondage.demo import run  # noqa: PLC0415  it brings the app with it

    return run()


class AppCommand(AskCommand):
    """The command that a bare TARGET stands for: for the user it is `sondage` itself."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        return super().make_context("sondage", args, help_option_names=["-h", "--help"], **extra)


@click.command(cls=AppCommand, epilog="\b\nExample: sondage box:/srv/sglang")
@opens_target(required=False)
def app(opening: Opening) -> int:
    """Open the app on TARGET, or its welcome screen.

    TARGET is HOST:PATH, USER@HOST:PATH, ssh://HOST:PORT/PATH or a local folder.
    """
    target = parse_target(opening.target) if opening.target else None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the app needs a terminal", opening.target or "", "without one: sondage search TARGET PATTERN")
    from sondage.tui.app import run_app  # noqa: PLC0415  commands must not load the screen

    return run_app(target, settings_of(opening))
