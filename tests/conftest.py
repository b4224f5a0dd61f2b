"""Owns where snapshots lie: `snapshots/<test module>/<test name>.svg` at the top of the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest_textual_snapshot
from syrupy.location import PyTestLocation

TESTS = Path(__file__).parent


class TopLevelSnapshots(pytest_textual_snapshot.SVGImageExtension):  # type: ignore[misc]
    """The plugin's own format, kept beside the sources instead of beside the tests."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation, **_: Any) -> str:
        module = Path(test_location.filepath).relative_to(TESTS).with_suffix("")
        return str(TESTS.parent / "snapshots" / module)


pytest_textual_snapshot.SVGImageExtension = TopLevelSnapshots
