"""Commands that open no target: where files are kept, the demo, the app."""

from __future__ import annotations

from pathlib import Path

from sondage.cli.commands.house import size_of

from .conftest import Sondage


def test_paths_are_a_table_of_place_and_size(own_places: Path, sondage: Sondage) -> None:
    (own_places / "config" / "sondage").mkdir(parents=True)
    (own_places / "config" / "sondage" / "config.toml").write_text("mouse = false\n")
    lines = sondage("paths").text.splitlines()
    assert lines[0].split() == ["config", "14", "bytes", str(own_places / "config" / "sondage")]
    names = ["config", "cache", "state", "transcripts", "sessions", "themes", "log"]
    assert [line.split()[0] for line in lines] == names


def test_asking_for_the_places_makes_none_of_them(own_places: Path, sondage: Sondage) -> None:
    assert set(sondage("paths", "--json").document["sizes"].values()) == {0}
    assert list(own_places.iterdir()) == []


def test_a_folder_is_as_large_as_its_files_and_a_link_counts_as_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(b"x" * 1000)
    (tmp_path / "b").write_bytes(b"x" * 24)
    assert size_of(tmp_path) == 1024
    (tmp_path / "c").symlink_to("/usr")
    assert size_of(tmp_path) < 2000


def test_the_cache_is_trimmed_and_transcripts_are_not(own_places: Path, tmp_path: Path, sondage: Sondage) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("def pay(): ...\n")
    question = ("search", str(tree), "pay", "--engine", "threads", "--session", "monday")
    assert sondage("index", str(tree), "--engine", "threads").code == 0
    assert sondage(*question).code == 0

    kept = sondage("gc", "--older", "30", "--json").document
    assert (kept["roots"], kept["sources"]) == (0, 0)
    assert sondage(*question, "--offline").code == 0

    assert sondage("gc", "--older", "0").text.startswith("1 target and 1 source forgotten, ")
    assert sondage(*question, "--offline").code == 3
    assert (own_places / "state" / "sondage" / "transcripts" / "monday.jsonl").exists()


def test_a_host_of_which_nothing_is_kept_is_said_to_be_unknown(sondage: Sondage) -> None:
    outcome = sondage("gc", "--host", "box")
    assert (outcome.code, outcome.err) == (1, "sondage: note: nothing is kept of box\n")


def test_a_cache_that_cannot_be_had_is_not_said_to_be_trimmed(own_places: Path, sondage: Sondage) -> None:
    (own_places / "cache").write_text("a file where the folder should be")
    outcome = sondage("gc")
    assert (outcome.code, outcome.out) == (4, b"")
    assert outcome.err.startswith("sondage: error: the cache cannot be trimmed: ")
