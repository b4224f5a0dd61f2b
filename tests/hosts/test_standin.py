"""The SSH configuration where there is no `ssh` to ask: what is not understood is named with file and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sondage.errors import ConfigError
from sondage.hosts import standin
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.resolve import resolve

pytestmark = pytest.mark.usefixtures("standing_in")


@pytest.fixture
def standing_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"Host box # comment\n Port 2222 # why not\n", "config:2"),
        (b"Host box\n ConnectTimeout 1m\n", "config:2"),
        (b"\nMatch version 9\n", "config:2"),
        (b"Host box\n Port\n", "config:2"),
        (b"Host 'box\n", "config:1"),
        (b"# one\n# caf\xe9\n", "config:2"),
    ],
)
async def test_what_is_not_understood_is_named_with_its_line(tmp_path: Path, text: bytes, place: str) -> None:
    (tmp_path / "config").write_bytes(text)
    with pytest.raises(ConfigError) as error:
        await resolve(Address("box"), SshOptions(config_file=str(tmp_path / "config")))
    assert error.value.where == str(tmp_path / place)


async def test_the_line_of_an_included_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(f"Host box\nInclude {tmp_path / 'more'}\n")
    (tmp_path / "more").write_text("\n Port many\n")
    with pytest.raises(ConfigError) as error:
        await resolve(Address("box"), SshOptions(config_file=str(tmp_path / "config")))
    assert error.value.where == f"{tmp_path / 'more'}:2"


async def test_a_file_that_includes_itself_comes_to_an_end(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(f"Include {tmp_path / 'config'}\n")
    with pytest.raises(ConfigError, match="includes itself"):
        await resolve(Address("box"), SshOptions(config_file=str(tmp_path / "config")))


async def test_the_configuration_of_the_system_counts_after_that_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host box\n Port 2022\n")
    (tmp_path / "system").write_text("Host *\n Port 2023\n User everybody\n StrictHostKeyChecking yes\n")
    monkeypatch.setattr(standin, "home", lambda: str(tmp_path))
    monkeypatch.setattr(standin, "_SYSTEM_FILE", str(tmp_path / "system"))
    (hop,) = await resolve(Address("box"), SshOptions())
    assert (hop.port, hop.user, hop.strictness) == (2022, "everybody", "yes")
