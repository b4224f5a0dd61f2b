"""How Textual is imported for the app: without its command palette, which is there all the same for who asks for it."""

from __future__ import annotations

from tests.test_imports import loaded_by

from sondage.tui.lean import NAMED

START = "from sondage.tui.lean import import_textual; import_textual(); import sondage.cli.screen"


def test_the_app_starts_without_the_command_palette_of_textual() -> None:
    loaded = loaded_by(START)
    assert "textual.app" in loaded
    assert not loaded & {"textual.command", "textual.widgets._select", "textual.widgets._directory_tree"}


def test_who_imports_the_command_palette_later_gets_the_real_one() -> None:
    asked = f"{START}; from textual.command import {', '.join(NAMED)}; assert Provider.__abstractmethods__"
    assert "textual.widgets._select" in loaded_by(asked)
