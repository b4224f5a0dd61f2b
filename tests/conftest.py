"""Owns what tests of several rooms share: the real parts of the story, and where snapshots lie.

Those are `snapshots/<test module>/<test name>.svg` at the top of the repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_textual_snapshot
from syrupy.location import PyTestLocation

from support.story import Box, require_sglang, served_box

TESTS = Path(__file__).parent


class TopLevelSnapshots(pytest_textual_snapshot.SVGImageExtension):  # type: ignore[misc]
    """The plugin's own format, kept beside the sources instead of beside the tests."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation, **_: Any) -> str:
        module = Path(test_location.filepath).relative_to(TESTS).with_suffix("")
        return str(TESTS.parent / "snapshots" / module)


pytest_textual_snapshot.SVGImageExtension = TopLevelSnapshots


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The folder of SGLang's sources."""
    return require_sglang()


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A real server that serves them."""
    with served_box(tmp_path_factory.mktemp("story")) as box:
        yield box
