"""Owns the commands that concern the terminal and the session; `commands` takes them into its table."""

from __future__ import annotations

from sondage.tui.command import Command

OF_HOUSE: tuple[Command, ...] = (
    Command(
        "mouse",
        ("percent_sign",),
        "anywhere",
        "mouse",
        "Mouse on or off",
        "Off, the terminal itself selects text; also :mouse off",
    ),
    Command(
        "copy.test", (), "anywhere", "copy_test", "Test copying", "What the terminal has to allow; also :copy-test"
    ),
    Command("index.stop", ("g s",), "anywhere", "stop", "Stop reading", "What has arrived is kept; also :stop"),
    Command(
        "session.rename", (), "anywhere", "session", "Rename the session", "Its transcript too; also :session NAME"
    ),
)
