"""Owns the screens over the panes: the questions a host asks, one-line prompts, and the notice of a tiny window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from sondage.core.safe import one_line
from sondage.hosts.base import Question
from sondage.tui.models.rows import Part, Row, key_row, row, wrap
from sondage.tui.panes.base import Prompt, TextLine


class QuestionScreen(ModalScreen[str | None]):
    """What only the user can answer while connecting. There is no time limit, and the answer is kept nowhere.

    The result is `yes` for a host key that was accepted, the text typed for a secret, None for a refusal.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "refuse", show=False),
        Binding("ctrl+c", "refuse", show=False),
        Binding("tab,shift+tab", "nothing", show=False),
    ]

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question
        self.is_key = question.kind == "host_key"
        placeholder = "yes or no" if self.is_key else ""
        self.prompt = Prompt(placeholder, widget_id="question-prompt", password=not (self.is_key or question.echo))

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield TextLine(row(Part(" " + self._heading(), "heading")), classes="top")
            for line in self._body():
                yield TextLine(line)
            yield self.prompt
            yield TextLine(key_row("Enter", "answer", "Esc", "refuse" if self.is_key else "give up"))

    def on_mount(self) -> None:
        self.prompt.focus()

    def _heading(self) -> str:
        host = one_line(self.question.host)
        return f"Is this {host}? Its key is not known yet" if self.is_key else f"{host} asks"

    def _body(self) -> list[Row]:
        details = {name: one_line(text) for name, text in self.question.details.items()}
        if self.is_key:
            file = details.get("known_hosts", "known_hosts")
            said = f"`yes` appends the key to {file}" if file else "`yes` counts for this connection only"
            return [
                row(Part(" key          ", "muted"), Part(details.get("type", ""), "text")),
                row(Part(" fingerprint  ", "muted"), Part(details.get("fingerprint", ""), "accent")),
                row(""),
                row(Part(" Nothing secret was sent yet. Compare the fingerprint with the one", "muted")),
                row(Part(" that the owner of the host gives you.", "muted")),
                row(Part(" " + said, "muted")),
            ]
        text = [*self.question.instructions.splitlines(), *self.question.text.splitlines()]
        return [row(Part(" " + line, "text")) for said in text for line in wrap(one_line(said), 70)]

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        if not self.is_key:
            self.dismiss(event.value)
        elif event.value.strip().lower() in ("yes", "y"):
            self.dismiss("yes")
        elif event.value.strip().lower() in ("no", "n"):
            self.dismiss(None)

    def action_refuse(self) -> None:
        self.dismiss(None)

    def action_nothing(self) -> None:
        """Tab stays here: the answer is the only thing to type."""


class LineScreen(ModalScreen[str | None]):
    """One line to type: a note, a file name."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("ctrl+c", "leave", show=False),
        Binding("tab,shift+tab", "nothing", show=False),
    ]

    def __init__(self, heading: str, value: str = "") -> None:
        super().__init__()
        self.heading = heading
        self.prompt = Prompt(widget_id="line-prompt")
        self.prompt.value = value

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield TextLine(row(Part(" " + self.heading, "heading")), classes="top")
            yield self.prompt
            yield TextLine(key_row("Enter", "done", "Esc", "leave"))

    def on_mount(self) -> None:
        self.prompt.focus()

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip() or None)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_nothing(self) -> None:
        """Tab stays here: the line is the only thing to type."""


class NoticeScreen(ModalScreen[None]):
    """Some lines to read."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q,ctrl+c", "dismiss", show=False)]

    def __init__(self, heading: str, lines: Sequence[Row]) -> None:
        super().__init__()
        self.heading = heading
        self.lines = lines

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield TextLine(row(Part(" " + self.heading, "heading")), classes="top")
            yield from map(TextLine, self.lines)
            yield TextLine()
            yield TextLine(key_row("Esc", "close"))


class TooSmallScreen(ModalScreen[None]):
    """The window cannot show anything useful: says so, and takes every key but `q`, so that nothing acts unseen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "app.quit", show=False),
        Binding("ctrl+c", "app.quit", show=False),
    ]

    def compose(self) -> ComposeResult:
        yield TextLine(row("window too small"))
        yield TextLine(row(Part("q quits", "muted")))
