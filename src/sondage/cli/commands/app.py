"""Owns the command that a bare TARGET stands for: the app itself."""

from __future__ import annotations

from typing import Any

import click

from sondage.cli.opening import Opening, enter_app
from sondage.cli.options import AskCommand, opens_target


class AppCommand(AskCommand):
    """The command that a bare TARGET stands for: for the user it is `sondage` itself."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        return super().make_context("sondage", args, help_option_names=["-h", "--help"], **extra)


@click.command(cls=AppCommand, epilog="\b\nExample: sondage box:/srv/sglang")
@opens_target(required=False)
@click.option(
    "--no-mouse", is_flag=True, help="Leave the mouse to the terminal; % in the app takes it and gives it back."
)
def app(opening: Opening, no_mouse: bool) -> int:
    """Open the app on TARGET, or its welcome screen.

    TARGET is HOST:PATH, USER@HOST:PATH, ssh://HOST:PORT/PATH or a local folder.
    """
    return enter_app(opening, mouse=not no_mouse)
