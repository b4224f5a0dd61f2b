"""Owns the way in over commands and options: arguments in, exit code out."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import click

from sondage import __version__
from sondage.cli.failure import guarded, say
from sondage.cli.table import COMMANDS, FOUND, Entry, names_target
from sondage.errors import UsageError

APP = ""
"""The name of the command that a bare TARGET stands for; an empty argument is no target either."""

EPILOG = """A TARGET is HOST:PATH, USER@HOST:PATH, ssh://HOST:PORT/PATH or a folder here; HOST may be an
alias of ~/.ssh/config. A folder that bears the name of a command is written ./demo. More on a
command: sondage COMMAND --help
"""


class Sondage(click.Group):
    """Loads a command's module when the command is asked for; anything that is no command is a TARGET for the app."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(FOUND)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = Entry("app", "", "app") if cmd_name == APP else FOUND.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"sondage.cli.commands.{entry.module}")
        command: click.Command = getattr(module, entry.function or cmd_name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in FOUND.keys() | {"-h", "--help", "--version"}:
            _refuse_slips(ctx, args)
            args = [APP, *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "[OPTIONS] [TARGET]")
        formatter.write_usage(ctx.command_path, "COMMAND TARGET [ARGS]...", prefix="       ")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, family in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.help) for name, entry in family.items()])


def _refuse_slips(ctx: click.Context, args: Sequence[str]) -> None:
    """A mistyped command, or an option ahead of its command, is not taken for a target."""
    first = args[0] if args else "."
    if first.startswith("-"):
        behind = next((name for name in args if name in FOUND), None)
        if behind:
            raise click.UsageError(f"options stand behind the command: sondage {behind} … {first}", ctx)
    elif not names_target(first):
        import difflib  # noqa: PLC0415  only a slip pays for it

        near = difflib.get_close_matches(first, FOUND, n=1)
        hint = f"did you mean {near[0]}?" if near else "see sondage --help"
        raise UsageError("no such command or folder", first, hint)


@click.group(
    cls=Sondage,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="sondage %(version)s")
def sondage() -> None:
    """Read Python where it lies, here or on another machine: search it, walk its classes, and prove or refute that a
    class keeps a contract. It goes over SSH, and nothing is installed or run there.

    \b
    sondage demo                 see the whole job, with nothing set up
    sondage ./src                open the app on a folder here
    sondage box:/srv/sglang      ... or on a folder of a host
    sondage search box:/srv/sglang 'def forward'     one question, one answer
    """


def run(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code. Never raises, never shows a traceback."""
    return guarded(lambda: _run(list(arguments)))


def _run(arguments: list[str]) -> int:
    try:
        return int(sondage.main(arguments, prog_name="sondage", standalone_mode=False) or 0)
    except click.ClickException as error:
        say(f"error: {_usage_line(error)}")
        return 2
    except click.Abort:
        raise KeyboardInterrupt from None


def _usage_line(error: click.ClickException) -> str:
    """`WHAT: WHERE (HINT)` out of what click says in a sentence."""
    message = error.format_message().strip().rstrip(".")
    what = message[:1].lower() + message[1:]
    context = getattr(error, "ctx", None)
    if context is None:
        return what
    return f"{what}: {context.command_path} (try {context.command_path} --help)"
