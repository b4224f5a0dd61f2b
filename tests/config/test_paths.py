"""Where files are kept: the XDG base directory specification, on every system."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from sondage.config.paths import find_paths
from sondage.errors import ConfigError

XDG = {"XDG_CONFIG_HOME": "/x/config", "XDG_STATE_HOME": "/x/state", "XDG_CACHE_HOME": "/x/cache"}


def test_the_places_follow_the_variables() -> None:
    paths = find_paths(XDG)
    assert paths.config_file == Path("/x/config/sondage/config.toml")
    assert paths.themes == Path("/x/config/sondage/themes")
    assert paths.cache == Path("/x/cache/sondage")
    assert paths.transcripts == Path("/x/state/sondage/transcripts")
    assert paths.sessions == Path("/x/state/sondage/sessions")
    assert paths.log == Path("/x/state/sondage/log.txt")


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_without_the_variables_the_places_lie_in_the_home_folder_on_every_system(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    paths = find_paths({"HOME": "/home/ada"})
    assert paths.config == Path("/home/ada/.config/sondage")
    assert paths.state == Path("/home/ada/.local/state/sondage")
    assert paths.cache == Path("/home/ada/.cache/sondage")


@pytest.mark.parametrize("value", ["", "relative/folder", "~/config", "."])
def test_a_variable_that_is_no_absolute_path_is_ignored(value: str) -> None:
    paths = find_paths({"HOME": "/home/ada", "XDG_CONFIG_HOME": value})
    assert paths.config == Path("/home/ada/.config/sondage")


@pytest.mark.parametrize("home", [{}, {"HOME": ""}, {"HOME": "ada"}])
def test_without_a_home_of_its_own_the_list_of_users_is_asked(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = pwd.struct_passwd(("ada", "x", 1, 1, "", "/users/ada", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda number: listed)
    assert find_paths(home).cache == Path("/users/ada/.cache/sondage")


def test_who_has_no_home_at_all_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(number: int) -> pwd.struct_passwd:
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(ConfigError, match="no home folder") as caught:
        find_paths({})
    assert "XDG_CONFIG_HOME" in caught.value.hint


def test_who_has_no_home_needs_none_where_the_variables_say_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pwd, "getpwuid", lambda number: pytest.fail("the list of users was asked"))
    assert find_paths(XDG).state == Path("/x/state/sondage")
