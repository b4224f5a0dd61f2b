"""Owns `open`, `note`, `export` and `replay`: what is done with a transcript after the questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from msgspec.structs import asdict, replace

from sondage.cli.opening import Opening
from sondage.cli.options import AskCommand, Form, answers, opens_target
from sondage.cli.out import deliver
from sondage.cli.plain import table
from sondage.cli.plain_replay import replay_lines, tally
from sondage.cli.report import Report
from sondage.cli.run import Opened, put
from sondage.config.paths import find_paths
from sondage.errors import StoreError, UsageError

if TYPE_CHECKING:
    from sondage.core.transcripts.document import Document
    from sondage.core.transcripts.replay import Replayed
    from sondage.core.transcripts.transcript import Entry

TRANSCRIPTS = "TRANSCRIPT is the name of a session, or a path (with a / in it, or ending in .jsonl)."


def transcript_of(name: str) -> tuple[list[Entry], tuple[str, ...]]:
    """The entries of a transcript, and notes on lines that are none. Raises `UsageError` where there is nothing to read."""
    from sondage.journal import find_transcript, read_entries  # noqa: PLC0415  no `--help` waits for what reads entries

    path = find_transcript(find_paths().transcripts, name)
    entries, problems = read_entries(path)
    if not entries:
        raise UsageError("the transcript has no entry", str(path), problems[0] if problems else "")
    return entries, tuple(f"note: the transcript has a line that is no entry: {problem}" for problem in problems)


# ------------------------------------------------------------------ open and export


@click.command("open", epilog=f"\b\nExample: sondage open kimi\n{TRANSCRIPTS}")
@click.argument("transcript", required=False)
def open_transcript(transcript: str | None) -> int:
    """Walk through a TRANSCRIPT without its host: its ledger, its picture, each step with the lines it rests on.

    Without a TRANSCRIPT the sessions are listed, the last written first. What looks like a secret is redacted.
    """
    if transcript is None:
        return _list_sessions()
    from sondage.core.transcripts.walk import to_lines  # noqa: PLC0415  as above

    shown, notes = _document(transcript, keep_secrets=False, mask_host=False)
    return deliver(Report(None, to_lines(shown), holds=True, notes=notes), "plain")


def _list_sessions() -> int:
    from sondage.journal import sessions  # noqa: PLC0415  as above

    found = sessions(find_paths().transcripts)
    rows = ((session.name, f"{session.size:,} bytes", str(session.path)) for session in found)
    return deliver(Report(None, table(rows), holds=bool(found)), "plain")


def _document(name: str, *, keep_secrets: bool, mask_host: bool) -> tuple[Document, tuple[str, ...]]:
    from sondage.core.transcripts.document import document  # noqa: PLC0415  as above

    entries, notes = transcript_of(name)
    session = Path(name).name.removesuffix(".jsonl")
    shown = document(entries, session, keep_secrets=keep_secrets, mask_host=mask_host)
    return shown, (*notes, *(f"note: {remark}" for remark in shown.remarks))


@click.command(epilog=f"\b\nExample: sondage export kimi --to html -o kimi.html\n{TRANSCRIPTS}")
@click.argument("transcript")
@click.option("--to", "form", type=click.Choice(["md", "html", "json"]), required=True, help="The form to make.")
@click.option("-o", "--output", metavar="FILE", help="Write here instead of to stdout; nothing is overwritten.")
@click.option("--mask-host", is_flag=True, help="Leave out the names of hosts and users.")
@click.option("--keep-secrets", is_flag=True, help="Leave in what looks like keys, tokens and passwords.")
def export(
    transcript: str, form: Literal["md", "html", "json"], output: str | None, mask_host: bool, keep_secrets: bool
) -> int:
    """Make a TRANSCRIPT ready to hand on: each step with its finding, the lines quoted, and the plain command for them.

    What looks like a secret in the quoted lines is redacted, and said.
    """
    shown, notes = _document(transcript, keep_secrets=keep_secrets, mask_host=mask_host)
    text = _written(shown, form)
    if output is None:
        data = text.encode("utf-8", "backslashreplace")
        return deliver(Report(None, text.splitlines(), holds=True, data=data, notes=notes), "plain")
    from sondage.dig.saving import write_story  # noqa: PLC0415  as above

    place = Path(output).expanduser().absolute()
    write_story(text, place)
    return deliver(Report(None, (str(place),), holds=True, notes=notes), "plain")


def _written(shown: Document, form: Literal["md", "html", "json"]) -> str:
    from sondage.core.transcripts.document import to_json_text  # noqa: PLC0415  as above
    from sondage.core.transcripts.html import to_html  # noqa: PLC0415
    from sondage.core.transcripts.markdown import to_markdown  # noqa: PLC0415

    return {"md": to_markdown, "html": to_html, "json": to_json_text}[form](shown)


# ------------------------------------------------------------------ note


@click.command(
    epilog="\b\nExample: sondage note --session kimi The base has it, the class only holds one.\n"
    "Example: sondage note --session kimi --on 3f7ad5 --verdict refuted It is composition."
)
@click.argument("words", metavar="[TEXT]...", nargs=-1)
@click.option("--session", metavar="NAME", envvar="SONDAGE_SESSION", required=True, help="The session to add it to.")
@click.option("--hypothesis", is_flag=True, help="TEXT is a claim, open until somebody judges it.")
@click.option("--on", "of", metavar="ID", help="The entry of the claim that --verdict is on.")
@click.option("--verdict", "state", type=click.Choice(["holds", "refuted", "open"]), help="How the claim stands.")
@click.option("--drop", metavar="ID", help="Leave this entry out of the story; dropping a drop takes it in again.")
def note(words: tuple[str, ...], session: str, hypothesis: bool, of: str | None, state: Any, drop: str | None) -> int:
    """Add a note, a hypothesis or a verdict to a session, or leave an entry out of its story.

    An entry is named by its ID, as `sondage open` shows it; the beginning is enough. The new entry's id is printed.
    """
    text = " ".join(words)
    _refuse_mixtures(text, hypothesis, of, state, drop)
    from sondage.dig.recorder import Recorder  # noqa: PLC0415  as above
    from sondage.journal import open_journal  # noqa: PLC0415

    journal = open_journal(find_paths().transcripts, session)
    recorder = Recorder(journal, target="")
    if drop:
        recorder.drop(drop)
    elif state and of:
        recorder.verdict(of, state, text)
    elif hypothesis:
        recorder.hypothesis(text)
    else:
        recorder.note(text)
    journal.close()
    if recorder.notes:
        raise StoreError(recorder.notes[-1])
    return deliver(Report(None, (recorder.entries[-1].id,), holds=True, notes=_notes(journal.notes)), "plain")


def _notes(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"note: {text}" for text in texts)


def _refuse_mixtures(text: str, hypothesis: bool, of: str | None, state: str | None, drop: str | None) -> None:
    context = click.get_current_context()
    if bool(of) != bool(state):
        raise click.UsageError("--verdict and --on ID go together", context)
    if sum(map(bool, (hypothesis, state, drop))) > 1:
        raise click.UsageError("--hypothesis, --verdict and --drop exclude each other", context)
    if drop and text:
        raise click.UsageError("--drop takes no TEXT", context)
    if not (text or drop or state):
        raise click.UsageError("nothing to write: TEXT is missing", context)


# ------------------------------------------------------------------ replay


@click.command(
    cls=AskCommand,
    epilog=f"\b\nExample: sondage replay kimi box:/srv/sglang-0.5.10\n{TRANSCRIPTS}",
)
@click.argument("transcript")
@opens_target(required=False)
@answers(rows=True)
def replay(opening: Opening, form: Form, transcript: str) -> int:
    """Ask every question of a TRANSCRIPT again, of TARGET or of where it was asked, and compare.

    same, moved (it reads the same and stands elsewhere), changed, or gone. Exit 0 only when all are the same. Without a
    TARGET the hosts named in the transcript are connected to; of how they were reached only the port is taken from it.
    """
    from sondage.core.transcripts.story import tell  # noqa: PLC0415  as above
    from sondage.core.transcripts.transcript import OF_THE_STORY  # noqa: PLC0415

    entries, notes = transcript_of(transcript)
    asked = [step for step in tell(entries).steps if step.entry.verb not in OF_THE_STORY]
    if not asked:
        raise UsageError("the transcript asks nothing", transcript)
    questions = [step.entry for step in asked]
    targets = [opening.target] if opening.target else _targets(questions)
    others = [*targets[1:], *(target for target in _compared_with(questions) if target not in targets)]

    async def ask(opened: Opened) -> list[Replayed]:
        digs = dict(zip([targets[0], *others], [opened.dig, *opened.others], strict=True))
        own = (opened.dig if opening.target else digs[_target(entry)] for entry in questions)
        return [await dig.replay(entry, digs) for dig, entry in zip(own, questions, strict=True)]

    def report(found: list[Replayed]) -> Report:
        rows = [(step.number, one) for step, one in zip(asked, found, strict=True)]
        holds = all(one.state == "same" for one in found)
        return Report([_row(*row) for row in rows], replay_lines(rows), holds, notes=(*notes, tally(found)))

    return put(
        _as_recorded(opening, targets[0], questions), form, ask, report, others=[as_typed(one) for one in others]
    )


def _row(number: int, one: Replayed) -> dict[str, Any]:
    from sondage.core.transcripts.wording import question  # noqa: PLC0415  as above

    return {
        "step": number,
        "id": one.entry.id,
        "verb": one.entry.verb,
        "question": question(one.entry),
        "state": one.state,
        "differences": list(one.differences),
        "moves": [move._asdict() for move in one.moves],
    }


def _targets(entries: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(map(_target, entries)))


def _target(entry: Entry) -> str:
    """Where it was asked: a local folder may have been named from another one, its root was resolved."""
    return entry.target if entry.reach or not entry.root else entry.root


def _compared_with(entries: Sequence[Entry]) -> tuple[str, ...]:
    from sondage.dig.replaying import other_targets  # noqa: PLC0415  as above

    return other_targets(entries)


def _as_recorded(opening: Opening, target: str, entries: Sequence[Entry]) -> Opening:
    """Opened as the tree was read then, where the command line says nothing else. Nothing is recorded."""
    settings = entries[0].settings if all(entry.settings == entries[0].settings for entry in entries) else {}
    given = asdict(opening)
    fields = {name: value for name, value in settings.items() if name in given and not given[name]}
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return replace(opening, **fields, target=as_typed(target), session=None)


def as_typed(target: str) -> str:
    """A target as an entry names it, in a form that can be read again: a port can only be written in a URL."""
    found = re.fullmatch(r"(?P<address>[^/:\[\]]+:\d{1,5}):(?P<path>[/~].*)", target)
    if found is None:
        return target
    path = found["path"] if found["path"].startswith("/") else f"/{found['path']}"
    return f"ssh://{found['address']}{path}"
