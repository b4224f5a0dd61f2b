"""`open`, `note`, `export` and `replay` on the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sondage.cli.commands.transcript import as_typed
from sondage.core.transcripts.transcript import Entry, encode_line
from sondage.hosts.target import parse_target

from .conftest import Sondage

FAST = ("--engine", "threads", "--jobs", "1")
TREE = {
    "shop/__init__.py": "",
    "shop/desk.py": "class Desk:\n    def open(self):\n        return 1\n",
    "shop/till.py": 'from shop.desk import Desk\n\nPASSWORD = "hunter2"\n\n\nclass Till(Desk):\n    pass\n',
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for path, text in TREE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def recorded(tree: Path, sondage: Sondage) -> Path:
    """The session `shop`: an order, a search that shows a password, an excerpt."""
    for words in (("mro", str(tree), "Till"), ("search", str(tree), "PASSWORD"), ("show", str(tree), "Desk.open")):
        assert sondage(*words, "--session", "shop", *FAST).code == 0
    return tree


def pushed_down(tree: Path) -> None:
    path = tree / "shop/till.py"
    path.write_text("import os\n" + path.read_text())


# ------------------------------------------------------------------ open


def test_session_is_walked_through_without_its_tree(recorded: Path, sondage: Sondage) -> None:
    for path in TREE:
        (recorded / path).unlink()
    outcome = sondage("open", "shop")
    assert outcome.code == 0
    assert "Till  shop/till.py:6\n  └─ inherits Desk" in outcome.text
    assert "1. In which order is Till looked up?" in outcome.text
    assert 'PASSWORD = "[redacted: password]"' in outcome.text
    assert "hunter2" not in outcome.text
    assert f"$ sed -n 2,3p {recorded}/shop/desk.py" in outcome.text


def test_without_a_name_the_sessions_are_listed(recorded: Path, sondage: Sondage) -> None:
    assert sondage("open").text.startswith("shop  ")
    assert sondage("open", "till").code == 2
    assert "the last sessions are shop" in sondage("open", "till").err


def test_lines_that_are_no_entries_are_said(recorded: Path, sondage: Sondage, own_places: Path) -> None:
    path = own_places / "state/sondage/transcripts/shop.jsonl"
    path.write_bytes(b"torn{\n" + path.read_bytes())
    outcome = sondage("open", str(path))
    assert outcome.code == 0
    assert "line 1" in outcome.err
    (own_places / "none.jsonl").write_bytes(b"torn{\n")
    assert sondage("open", str(own_places / "none.jsonl")).code == 2


# ------------------------------------------------------------------ export


@pytest.mark.parametrize(("form", "begins"), [("md", b"# Investigation"), ("html", b"<!doctype html>"), ("json", b"{")])
def test_export_writes_the_form_to_stdout_or_to_a_file(
    form: str, begins: bytes, recorded: Path, sondage: Sondage, tmp_path: Path
) -> None:
    outcome = sondage("export", "shop", "--to", form)
    assert outcome.out.startswith(begins)
    assert "note: What looks like secrets was redacted: 1 password." in outcome.err
    place = tmp_path / f"out.{form}"
    assert sondage("export", "shop", "--to", form, "-o", str(place)).text == f"{place}\n"
    assert place.read_bytes() == outcome.out
    assert b"hunter2" not in outcome.out


def test_secrets_are_kept_on_demand(recorded: Path, sondage: Sondage) -> None:
    outcome = sondage("export", "shop", "--to", "md", "--keep-secrets")
    assert b"hunter2" in outcome.out
    assert "It holds what looks like secrets" in outcome.err


def test_host_is_masked_on_demand(sondage: Sondage, tmp_path: Path) -> None:
    entry = Entry(id="1", time="", verb="note", note="on box", target="ann@box:/srv", reach=("ann@box",))
    (tmp_path / "x.jsonl").write_bytes(encode_line(entry))
    outcome = sondage("export", str(tmp_path / "x.jsonl"), "--to", "json", "--mask-host")
    assert b"ann" not in outcome.out
    assert outcome.document["steps"][0]["entry"]["reach"] == ["USER@HOST"]


@pytest.mark.parametrize("make", [lambda path: path.write_text("mine"), lambda path: path.symlink_to("elsewhere")])
def test_nothing_is_overwritten_and_no_link_followed(
    make: object, recorded: Path, sondage: Sondage, tmp_path: Path
) -> None:
    place = tmp_path / "out.md"
    assert callable(make)
    make(place)
    outcome = sondage("export", "shop", "--to", "md", "-o", str(place))
    assert (outcome.code, outcome.out) == (2, b"")
    assert "not overwritten" in outcome.err
    assert not (tmp_path / "elsewhere").exists()


# ------------------------------------------------------------------ note


def test_words_and_verdicts_are_added_and_left_out(recorded: Path, sondage: Sondage) -> None:
    claim = sondage("note", "--session", "shop", "--hypothesis", "Till", "overrides", "open").text.strip()
    verdict = sondage(
        "note", "--session", "shop", "--on", claim[:5], "--verdict", "refuted", "it is empty"
    ).text.strip()
    note = sondage("note", "--session", "shop", "never mind").text.strip()
    assert sondage("note", "--session", "shop", "--drop", note).code == 0

    document = sondage("export", "shop", "--to", "json").document
    assert [step["entry"]["verb"] for step in document["steps"]][3:] == ["hypothesis", "verdict"]
    assert document["steps"][4]["entry"]["id"] == verdict
    (row,) = document["ledger"]
    assert row == {
        "claim": "Till overrides open",
        "state": "refuted",
        "why": ["it is empty"],
        "step": 5,
        "judged": True,
    }
    assert document["left_out"] == 1


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--session", "shop"),
        ("--session", "shop", "--verdict", "holds", "x"),
        ("--session", "shop", "--on", "abcdef", "x"),
        ("--session", "shop", "--drop", "abcdef", "x"),
        ("--session", "shop", "--drop", "abcdef"),
        ("--session", "shop", "--hypothesis", "--on", "abcdef", "--verdict", "open", "x"),
        ("--session", "../shop", "x"),
    ],
)
def test_what_cannot_be_meant_is_bad_input(words: tuple[str, ...], sondage: Sondage) -> None:
    outcome = sondage("note", *words)
    assert (outcome.code, outcome.out) == (2, b"")


def test_session_may_come_from_the_environment(sondage: Sondage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDAGE_SESSION", "shop")
    assert sondage("note", "one").code == 0
    assert "one" in sondage("open", "shop").text


# ------------------------------------------------------------------ replay


def test_what_has_not_changed_is_the_same(recorded: Path, sondage: Sondage) -> None:
    outcome = sondage("replay", "shop", *FAST)
    assert outcome.code == 0
    assert outcome.text.splitlines()[0] == "same     1. In which order is Till looked up?"
    assert "note: 3 same" in outcome.err


def test_what_has_moved_changed_or_gone_is_said_with_exit_1(recorded: Path, sondage: Sondage) -> None:
    pushed_down(recorded)
    (recorded / "shop/desk.py").write_text(TREE["shop/desk.py"].replace("return 1", "return 2"))
    outcome = sondage("replay", "shop", *FAST)
    assert outcome.code == 1
    assert outcome.text.splitlines() == [
        "moved    1. In which order is Till looked up?",
        "           shop/till.py:6 → 7",
        "moved    2. Which lines match PASSWORD?",
        "           shop/till.py:3 → 4",
        "changed  3. What stands at Desk.open?",
        "                def open(self):",
        "           -        return 1",
        "           +        return 2",
    ]
    assert "note: 2 moved, 1 changed" in outcome.err


def test_another_target_is_asked_instead(recorded: Path, sondage: Sondage, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "shop").mkdir(parents=True)
    (other / "shop/desk.py").write_text(TREE["shop/desk.py"])
    rows = sondage("replay", "shop", str(other), "--json", *FAST).document
    assert [(row["step"], row["verb"], row["state"]) for row in rows] == [
        (1, "mro", "gone"),
        (2, "search", "gone"),
        (3, "show", "same"),
    ]
    assert set(rows[0]) == {"step", "id", "verb", "question", "state", "differences", "moves"}
    lines = sondage("replay", "shop", str(other), "--jsonl", *FAST).rows
    assert lines == rows


def test_tree_is_read_as_it_was_when_it_was_asked(tree: Path, sondage: Sondage) -> None:
    assert sondage("search", str(tree), "class", "--exclude", "**/desk.py", "--session", "part", *FAST).code == 0
    assert sondage("replay", "part", *FAST).code == 0


def test_local_tree_is_found_from_another_folder(
    tree: Path, sondage: Sondage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    assert sondage("mro", ".", "Till", "--session", "here", *FAST).code == 0
    monkeypatch.chdir(tmp_path)
    assert sondage("replay", "here", *FAST).code == 0


def test_entries_that_were_left_out_are_not_asked_and_nothing_is_recorded(recorded: Path, sondage: Sondage) -> None:
    first = sondage("export", "shop", "--to", "json").document["steps"][0]["entry"]["id"]
    sondage("note", "--session", "shop", "--drop", first)
    before = sondage("export", "shop", "--to", "json").out
    assert len(sondage("replay", "shop", "--session", "shop", *FAST).text.splitlines()) == 2
    assert sondage("export", "shop", "--to", "json").out == before


def test_transcript_that_asks_nothing_cannot_be_replayed(sondage: Sondage) -> None:
    sondage("note", "--session", "words", "one")
    assert sondage("replay", "words").code == 2


def test_claim_about_two_versions_opens_both(tree: Path, sondage: Sondage, tmp_path: Path) -> None:
    old = tmp_path / "old"
    os.renames(tree, old)
    for path, text in TREE.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    claim = f"Till.open unchanged since {old}"
    assert sondage("assume", str(tree), claim, "--session", "two", *FAST).code == 0
    assert sondage("replay", "two", *FAST).code == 0
    (old / "shop/desk.py").write_text(TREE["shop/desk.py"].replace("self", "self, key"))
    outcome = sondage("replay", "two", *FAST)
    assert (outcome.code, "state: holds → refuted" in outcome.text) == (1, True)


@pytest.mark.parametrize(
    "text", ["ssh://box:2222/srv/x", "ssh://ann@box:22/~/x", "box:/srv/x", "ann@box:~/x", "/srv/x"]
)
def test_target_of_an_entry_can_be_typed_again(text: str) -> None:
    target = parse_target(text, is_folder=lambda path: False)
    assert parse_target(as_typed(str(target)), is_folder=lambda path: False) == target


def test_json_of_an_export_is_one_document(recorded: Path, sondage: Sondage) -> None:
    assert json.loads(sondage("export", "shop", "--to", "json").out)["form"] == 1
