"""Where files are kept, and how large they are."""

from __future__ import annotations

from pathlib import Path

from sondage.cli.places import places, size_of


def test_the_places_follow_the_xdg_variables(own_places: Path) -> None:
    found = places()
    assert found["cache"].is_relative_to(own_places / "cache")
    assert found["config"].is_relative_to(own_places / "config")
    assert found["transcripts"].is_relative_to(own_places / "state")


def test_asking_for_the_places_makes_none_of_them(own_places: Path) -> None:
    assert all(size_of(place) == 0 for place in places().values())
    assert list(own_places.iterdir()) == []


def test_a_folder_is_as_large_as_its_files_and_a_link_counts_as_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(b"x" * 1000)
    (tmp_path / "b").write_bytes(b"x" * 24)
    assert size_of(tmp_path) == 1024
    (tmp_path / "c").symlink_to("/usr")
    assert size_of(tmp_path) < 2000
