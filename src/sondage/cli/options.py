"""Owns the arguments that many commands share: the target, how it is opened, and the form of the answer."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar

import click

from sondage.cli.opening import SESSION, Opening

Form: TypeAlias = Literal["plain", "json", "jsonl"]
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


def size(text: str) -> int:
    """A number of bytes, as the configuration file takes it too."""
    from sondage.config.settings import parse_size  # noqa: PLC0415  only who gives a size pays for the configuration

    try:
        return parse_size(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def engine(text: str) -> str:
    """`processes`, `threads`, or `dask=ADDRESS`."""
    if not re.fullmatch(r"processes|threads|dask=\S+", text):
        raise click.BadParameter(f"{text!r} is none of processes, threads, dask=ADDRESS")
    return text


def _shared(short_flags: bool) -> list[Callable[[AnyFunction], AnyFunction]]:
    """The options of every command that opens a target; `-F` and `-i`, which `search` needs itself, on demand."""

    def names(short: str, *others: str) -> tuple[str, ...]:
        return (short, *others) if short_flags else others

    return [
        click.option(*names("-F", "--ssh-config", "config_file"), metavar="FILE", help="SSH configuration file."),
        click.option("-p", "--port", type=click.IntRange(1, 65535), help="Port of the SSH server."),
        click.option(
            *names("-i", "--identity", "identities"), metavar="FILE", multiple=True, help="Private key; repeatable."
        ),
        click.option("-J", "--jump-host", "hops", metavar="HOSTS", help="Hosts to hop over, comma between."),
        click.option(
            "--transport",
            type=click.Choice(["auto", "asyncssh", "ssh"]),
            help="Who speaks SSH: sondage itself, or the program ssh; auto: ssh where only it can. [default: auto]",
        ),
        click.option("--no-input", is_flag=True, help="Never ask: a question on the way is an error."),
        click.option(
            "--refresh",
            type=click.Choice(["auto", "never", "always"]),
            default="auto",
            show_default=True,
            help="Pull what changed, nothing, or everything.",
        ),
        click.option("--offline", is_flag=True, help="Never connect; answer from the cache."),
        click.option(
            "--source-root",
            "source_roots",
            metavar="DIR",
            multiple=True,
            help="Folder below the root that imports start from; repeatable. [default: inferred]",
        ),
        click.option("--exclude", metavar="GLOB", multiple=True, help="Paths not to read; repeatable."),
        click.option("--max-file-size", type=size, metavar="SIZE", help="Larger files are not read. [default: 16M]"),
        click.option(
            "--deps",
            type=click.Choice(["auto", "never"]),
            help="Follow classes into the host's own Python libraries. [default: auto]",
        ),
        click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Parse workers. [default: one a core]"),
        click.option(
            "--engine",
            type=engine,
            metavar="ENGINE",
            help="Where files are parsed: processes, threads, dask=ADDRESS. [default: processes]",
        ),
        click.option("--session", metavar="NAME", envvar=SESSION, help="Record the answer in this transcript."),
    ]


SHARED = frozenset(Opening.__struct_fields__) - {"target"}


def opens_target(short_flags: bool = True, required: bool = True) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Gives the function a first argument TARGET and the shared options, gathered as `opening`."""

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(function)
        def gathered(**values: Any) -> int:
            own = {name: value for name, value in values.items() if name not in Opening.__struct_fields__}
            opening = Opening(**{name: value for name, value in values.items() if name not in own})
            return function(opening=opening, **own)

        for option in reversed(_shared(short_flags)):
            gathered = option(gathered)
        return click.argument("target", required=required)(gathered)

    return decorate


def answers(rows: bool) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Gives the function `--json`, for rows `--jsonl` too, gathered as `form`."""

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(function)
        def gathered(**values: Any) -> int:
            as_json, as_lines = values.pop("as_json"), values.pop("as_lines", False)
            if as_json and as_lines:
                raise click.UsageError("--json and --jsonl exclude each other")
            form: Form = "json" if as_json else "jsonl" if as_lines else "plain"
            return function(form=form, **values)

        if rows:
            gathered = click.option("--jsonl", "as_lines", is_flag=True, help="One JSON object a line.")(gathered)
        return click.option("--json", "as_json", is_flag=True, help="One JSON document.")(gathered)

    return decorate


class AskCommand(click.Command):
    """A command whose own options stand before the shared ones in its help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own: list[tuple[str, str]] = []
        shared: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record:
                (shared if parameter.name in SHARED else own).append(record)
        with formatter.section("Options"):
            formatter.write_dl(own)
        if shared:
            with formatter.section("Reaching and reading the target"):
                formatter.write_dl(shared)
