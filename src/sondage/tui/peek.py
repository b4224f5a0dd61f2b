"""Owns the look into a file of another target: the text at a line, over whatever asked for it, to be read and left."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from sondage.core.safe import one_line
from sondage.core.source.text import SourceText
from sondage.tui import commands, reading
from sondage.tui.chrome import hint_parts
from sondage.tui.models.rows import Part, cut_path
from sondage.tui.panes.base import TextLine
from sondage.tui.panes.code import CodeView
from sondage.tui.panes.paint import table_of


class PeekScreen(ModalScreen[None]):
    """`target` as the user named it. Nothing can be asked from here: questions are about the target that is open."""

    BINDINGS: ClassVar[list[BindingType]] = [*commands.bindings("peek"), Binding("ctrl+c", "close", show=False)]

    def __init__(self, target: str, path: str, text: SourceText, line: int) -> None:
        super().__init__(id="peek")
        self.target = target
        self.path = path
        self.text = text
        self.line = line
        self.title_line = TextLine(widget_id="peek-title")
        self.view = CodeView("peek", widget_id="peek-view")
        self.keys = TextLine(widget_id="peek-keys")

    def compose(self) -> ComposeResult:
        yield self.title_line
        yield self.view
        yield self.keys

    def on_mount(self) -> None:
        where = f"{cut_path(one_line(self.path), 48)}:{self.line}"
        self.title_line.show([Part(f" {one_line(self.target)}  ", "accent"), Part(where, "path")])
        self.keys.show(hint_parts(commands.hints("peek", table_of(self))))
        self.view.show(self.path, self.text)
        if len(self.text.utf8) <= reading.SMALL_FILE:
            self.view.colour(self.path, reading.colours_of(self.text))
        self.view.focus()
        self.call_after_refresh(self.view.stand, self.line)

    def action_copy(self) -> None:
        copied = f"{self.target.rstrip('/')}/{self.path}:{self.view.line}"
        self.app.copy_to_clipboard(copied)

    def action_close(self) -> None:
        self.dismiss(None)
