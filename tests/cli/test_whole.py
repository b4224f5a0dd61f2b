"""Whole commands against real trees: nothing stands in for anything."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sondage.cli import run
from support.sshd import Sshd, running_sshd

from .conftest import Sondage

FAST = ("--engine", "threads", "--jobs", "1")

TREE = {
    "shop/__init__.py": "",
    "shop/base.py": "import torch.nn as nn\n\n\nclass Desk(nn.Module):\n    def open(self):\n        return 1\n",
    "shop/drawer.py": "class Drawer:\n    def refund(self, amount):\n        return -amount\n",
    "shop/till.py": (
        "from shop.base import Desk\n"
        "from shop.drawer import Drawer\n"
        "\n"
        "\n"
        "class Till(Desk):\n"
        "    def __init__(self):\n"
        "        self.drawer = Drawer()\n"
        "\n"
        "    def pay(self, amount):\n"
        "        self.open()\n"
        "        return self.drawer.refund(-amount)\r\n"
    ),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for path, text in TREE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root


def test_a_second_look_parses_nothing(tree: Path, sondage: Sondage) -> None:
    first = sondage("index", str(tree), "--json", *FAST).document
    again = sondage("index", str(tree), "--json", *FAST).document
    assert (first["files"], first["classes"], first["parsed"]) == (4, 3, 4)
    assert (again["parsed"], again["reused"]) == (0, 4)


def test_a_search_names_path_line_and_column(tree: Path, sondage: Sondage) -> None:
    outcome = sondage("search", str(tree), r"refund\(", "-g", "**/till.py", *FAST)
    assert outcome.out == b"shop/till.py:11:28:        return self.drawer.refund(-amount)\n"
    assert sondage("search", str(tree), "nowhere", *FAST).code == 1


def test_a_pattern_that_cannot_be_read_is_bad_input(tree: Path, sondage: Sondage) -> None:
    outcome = sondage("search", str(tree), "(", *FAST)
    assert outcome.code == 2
    assert outcome.err.startswith("sondage: error: ")


@pytest.mark.parametrize("form", ["shop/till.py:9,11", "shop/till.py:9-11", "Till.pay", "shop.till.Till.pay"])
def test_lines_are_shown_byte_for_byte(form: str, tree: Path, sondage: Sondage) -> None:
    lines = (tree / "shop/till.py").read_bytes().splitlines(keepends=True)
    assert sondage("show", str(tree), form, *FAST).out == b"".join(lines[8:11])


def test_an_mro_names_its_open_end(tree: Path, sondage: Sondage) -> None:
    document = sondage("mro", str(tree), "Till", "--json", *FAST).document
    assert document["mro"] == ["shop.till.Till", "shop.base.Desk", "torch.nn.Module"]
    assert document["complete"] is False
    assert document["order"][2]["open"]


def test_members_are_found_inherited_or_only_held(tree: Path, sondage: Sondage) -> None:
    found = sondage("locate", str(tree), "Till", "pay", "open", *FAST)
    assert found.code == 0
    assert [line.split()[:3] for line in found.text.splitlines() if line.startswith("✓")] == [
        ["✓", "pay", "own"],
        ["✓", "open", "inherited"],
    ]
    report = sondage("contract", "check", str(tree), "Till", "--require", "pay,refund", "--json", *FAST)
    assert report.code == 1
    assert [item["verdict"] for item in report.document["results"][0]["items"]] == ["own", "held"]


DESK = {
    "shop/desk.py": (
        "from shop.till import Till\n"
        "\n"
        "\n"
        "class Clerk:\n"
        "    def __init__(self, till: Till):\n"
        "        self.till = till\n"
        "\n"
        "    def close(self):\n"
        "        self.till.pay(3)\n"
        "        if hasattr(self.till, 'audit'):\n"
        "            self.till.audit()\n"
        "        self.till.refund(1)\n"
    )
}
CLERK = ("--from", "shop/desk.py:Clerk", "--on", "self.till")


@pytest.fixture
def desk(tree: Path) -> Path:
    for path, text in DESK.items():
        (tree / path).write_text(text)
    return tree


def test_a_contract_is_derived_written_read_and_held_against_classes(
    desk: Path, tmp_path: Path, sondage: Sondage
) -> None:
    file = tmp_path / "till.toml"
    assert sondage("contract", "derive", str(desk), *CLERK, "-o", str(file), *FAST).code == 0
    report = sondage("contract", "check", str(desk), "Till", "--contract", str(file), "--json", *FAST)
    (result,) = report.document["results"]
    verdicts = {item["member"]: (item["required"], item["verdict"]) for item in result["items"]}
    assert verdicts["pay"] == ("required", "own")
    assert verdicts["refund"] == ("required", "held")
    assert verdicts["audit"][0] == "optional"
    assert (report.code, result["met"]) == (1, False)
    derived = sondage("contract", "check", str(desk), "Till", *CLERK, "--json", *FAST).document
    assert [item["member"] for item in derived["contract"]["items"]] == list(verdicts)


def test_a_consumer_that_is_not_there_is_bad_input(desk: Path, sondage: Sondage) -> None:
    outcome = sondage("contract", "derive", str(desk), "--from", "shop/desk.py:Clark", "--on", "self.till", *FAST)
    assert (outcome.code, outcome.out) == (2, b"")
    assert "Clark" in outcome.err


def test_a_matrix_goes_over_the_classes_that_a_selector_means(desk: Path, sondage: Sondage) -> None:
    words = ("--require", "pay,open", "--format", "csv", *FAST)
    rows = sondage("contract", "matrix", str(desk), "--classes", "glob:*Till", *words).text.splitlines()
    assert rows == ["class,path,line,met,pay,open", "shop.till.Till,shop/till.py,5,yes,own,inherited"]
    outcome = sondage("contract", "matrix", str(desk), "--classes", "many:Till", *words)
    assert (outcome.code, outcome.out) == (2, b"")


def test_drift_says_what_another_version_changed(tree: Path, tmp_path: Path, sondage: Sondage) -> None:
    new = tmp_path / "new"
    shutil.copytree(tree, new)
    with (new / "shop/till.py").open("a", newline="") as file:
        file.write("\n    def refund(self, amount):\n        return self.drawer.refund(amount)\n")
    words = ("--class", "Till", "--require", "pay,refund", *FAST)
    outcome = sondage("contract", "drift", str(tree), str(new), *words, "--json")
    pay, refund = outcome.document["results"][0]["items"]
    assert (outcome.code, pay["changed"], refund["changed"]) == (1, False, True)
    assert [verdict["verdict"] for verdict in refund["verdicts"]] == ["held", "forwarded"]
    assert refund["first_change"] == str(new)
    assert sondage("contract", "drift", str(tree), str(tree), *words).code == 0


def test_lint_finds_what_a_class_asks_of_itself_in_vain(tree: Path, sondage: Sondage) -> None:
    (tree / "shop/kiosk.py").write_text("class Kiosk:\n    def pay(self):\n        return self.drawr.refund(1)\n")
    outcome = sondage("lint", str(tree), "Kiosk", *FAST)
    assert outcome.code == 1
    assert outcome.text.startswith("shop/kiosk.py:3:21:proved:self.drawr\n")
    assert sondage("lint", str(tree), "Till", *FAST).code == 0


def test_overrides_go_up_and_down(tree: Path, sondage: Sondage) -> None:
    (tree / "shop/kiosk.py").write_text(
        "from shop.till import Till\n\n\nclass Kiosk(Till):\n    def open(self, key):\n        return 2\n"
    )
    outcome = sondage("overrides", str(tree), "Till.open", "--json", *FAST)
    assert [(row["direction"], row["class"], row["line"], row["same_signature"]) for row in outcome.document] == [
        ("up", "shop.base.Desk", 5, True),
        ("down", "shop.kiosk.Kiosk", 5, False),
    ]
    assert sondage("overrides", str(tree), "Till.opn", *FAST).code == 1


def test_assumptions_are_kept_in_the_session(tree: Path, sondage: Sondage) -> None:
    session = ("--session", "monday", *FAST)
    assert sondage("assume", str(tree), "Till inherits Desk", *session).code == 0
    refuted = sondage("assume", str(tree), "Till inherits Drawer", "--json", *session)
    assert (refuted.code, refuted.document["state"]) == (1, "refuted")
    transcripts = Path(sondage("paths", "--json").document["transcripts"])
    entries = [json.loads(line) for line in (transcripts / "monday.jsonl").read_bytes().splitlines()]
    assert [(entry["verb"], entry["answer"]["state"]) for entry in entries] == [
        ("assume", "holds"),
        ("assume", "refuted"),
    ]


def test_what_a_receiver_was_said_to_be_holds_for_later_commands_of_the_session(tree: Path, sondage: Sondage) -> None:
    (tree / "shop/kiosk.py").write_text(
        "class Kiosk:\n    def __init__(self, drawer):\n        self.drawer = drawer\n\n"
        "    def close(self):\n        self.drawer.refund(1)\n"
    )
    jump = ("jump", str(tree), "shop/kiosk.py:6:21", "--json", *FAST)
    (tree / "shop/safe.py").write_text("class Safe:\n    def refund(self, amount):\n        return 0\n")
    sondage("assume", str(tree), "Kiosk.drawer is Safe", "--session", "monday", *FAST)
    pinned = sondage(*jump, "--session", "monday").document
    assert [one["path"] for one in pinned["answers"]] == ["shop/safe.py"]
    assert pinned != sondage(*jump).document


def test_a_claim_can_be_about_another_version(tree: Path, tmp_path: Path, sondage: Sondage) -> None:
    old = tmp_path / "old"
    shutil.copytree(tree, old)
    claim = ("assume", str(tree), f"Till.pay unchanged since {old}")
    assert sondage(*claim, *FAST).code == 0
    (old / "shop/till.py").write_text((old / "shop/till.py").read_text().replace("amount", "price"))
    assert sondage(*claim, *FAST).code == 1


def test_a_jump_follows_an_attribute_to_its_class(tree: Path, sondage: Sondage) -> None:
    outcome = sondage("jump", str(tree), "shop/till.py:11:28", "--json", *FAST)
    assert outcome.code == 0
    (answer,) = outcome.document["answers"]
    assert (answer["path"], answer["line"]) == ("shop/drawer.py", 2)
    assert sondage("jump", str(tree), "shop/till.py:3:1", *FAST).code == 1


@pytest.mark.parametrize(
    "question",
    [
        ("mro", "Till", "--members", "--json"),
        ("search", "refund"),
        ("jump", "shop/till.py:11:28"),
        ("lint",),
        ("show", "Nobody"),
    ],
    ids=lambda question: question[0],
)
def test_a_local_question_is_answered_as_on_an_event_loop(
    question: tuple[str, ...], tree: Path, sondage: Sondage, monkeypatch: pytest.MonkeyPatch
) -> None:
    verb, *arguments = question
    without = sondage(verb, str(tree), *arguments, *FAST)
    monkeypatch.setattr(run, "_at_once", run._waiting)
    assert sondage(verb, str(tree), *arguments, *FAST) == without


def test_a_batch_asks_for_many_calls_at_once(tree: Path, sondage: Sondage) -> None:
    questions = [
        {"id": "b", "path": "shop/till.py", "line": 11, "column": 28},
        {"id": "a", "path": "shop/till.py", "line": 10, "column": 14},
        {"id": "c", "path": "shop/nowhere.py", "line": 1, "column": 1},
    ]
    stdin = "\n".join(map(json.dumps, questions)).encode()
    rows = sondage("jump", str(tree), "--batch", "-", "--jsonl", *FAST, stdin=stdin).rows
    assert [(row["id"], [answer["path"] for answer in row["answers"]]) for row in rows] == [
        ("b", ["shop/drawer.py"]),
        ("a", ["shop/base.py"]),
        ("c", []),
    ]


def test_an_answer_is_recorded_where_a_session_is_named(tree: Path, sondage: Sondage) -> None:
    sondage("search", str(tree), "pay", "--session", "monday", *FAST)
    sondage("mro", str(tree), "Till", "--session", "monday", *FAST)
    sondage("mro", str(tree), "Drawer", *FAST)
    transcripts = Path(sondage("paths", "--json").document["transcripts"])
    assert [file.name for file in transcripts.iterdir()] == ["monday.jsonl"]
    assert (transcripts / "monday.jsonl").read_bytes().count(b"\n") == 2


def test_offline_answers_from_the_cache_and_does_not_look(tree: Path, sondage: Sondage) -> None:
    assert sondage("search", str(tree), "pay", "--offline", *FAST).code == 3
    sondage("index", str(tree), *FAST)
    (tree / "shop/till.py").unlink()
    assert sondage("search", str(tree), "def pay", "--offline", *FAST).code == 0
    assert sondage("search", str(tree), "def pay", *FAST).code == 1


def test_a_file_that_is_too_large_is_said_to_be_missing_from_the_answer(tree: Path, sondage: Sondage) -> None:
    outcome = sondage("search", str(tree), "class", "--max-file-size", "100", *FAST)
    assert "1 file not" in outcome.err


def test_a_file_without_rights_is_said_to_be_missing_from_the_answer(tree: Path, sondage: Sondage) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (tree / "shop/drawer.py").chmod(0)
    outcome = sondage("search", str(tree), "class", *FAST)
    assert "1 file not" in outcome.err


def test_a_folder_that_is_not_there_is_an_error_of_the_host(tmp_path: Path, sondage: Sondage) -> None:
    outcome = sondage("index", str(tmp_path / "nowhere"))
    assert (outcome.code, outcome.out) == (3, b"")
    assert "nowhere" in outcome.err


# ---------------------------------------------------------------- over SSH


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    with running_sshd(tmp_path / "sshd") as server:
        yield server


@pytest.mark.sshd
def test_a_host_is_asked_as_a_folder_is(server: Sshd, tree: Path, sondage: Sondage) -> None:
    there = ("-F", str(server.config), "--no-input", *FAST)
    target = server.target(tree)
    assert sondage("search", *there, target, r"refund\(", "-g", "**/till.py").text.startswith("shop/till.py:11:28:")
    assert sondage("show", *there, target, "Till.pay").out.endswith(b"self.drawer.refund(-amount)\r\n")
    assert sondage("index", *there, target, "--json").document["remote"]["commands"] >= 1


@pytest.mark.sshd
def test_an_unknown_host_key_is_not_trusted_without_being_asked(server: Sshd, tree: Path, sondage: Sondage) -> None:
    server.known_hosts.write_text("")
    outcome = sondage("index", "-F", str(server.config), "--no-input", server.target(tree), *FAST)
    assert (outcome.code, outcome.out) == (3, b"")
    assert server.host_key.get_fingerprint() in outcome.err
    assert outcome.err.count("\n") == 1
    assert server.known_hosts.read_text() == ""


@pytest.mark.sshd
@pytest.mark.parametrize(("word", "code"), [("yes", 0), ("no", 3)])
def test_an_unknown_host_key_is_asked_for_on_the_terminal(word: str, code: int, server: Sshd, tree: Path) -> None:
    server.known_hosts.write_text("")
    hands, device = os.openpty()
    command = [
        sys.executable,
        "-m",
        "sondage",
        "search",
        "-F",
        str(server.config),
        server.target(tree),
        "def pay",
        *FAST,
    ]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=device, start_new_session=True
    )
    os.close(device)
    shown = _read_until(hands, b"Type yes to go on: ")
    os.write(hands, word.encode() + b"\n")
    assert process.stdout is not None
    out = process.stdout.read()
    _read_until(hands, b"")
    process.stdout.close()
    assert process.wait() == code
    assert server.host_key.get_fingerprint().encode() in shown
    assert bool(out) == (code == 0)
    assert bool(server.known_hosts.read_text()) == (code == 0)
    os.close(hands)


def _read_until(hands: int, end: bytes) -> bytes:
    """What the terminal shows up to `end`; all of it where `end` is empty."""
    shown = b""
    while not end or end not in shown:
        try:
            data = os.read(hands, 4096)
        except OSError:  # the other end is closed: on Linux an error, not an end of file
            break
        if not data:
            break
        shown += data
    return shown


@pytest.mark.sshd
def test_a_host_that_is_down_is_one_line(tmp_path: Path, server: Sshd, tree: Path, sondage: Sondage) -> None:
    server.process.terminate()
    server.process.wait(10)
    outcome = sondage("index", "-F", str(server.config), "--no-input", server.target(tree), *FAST)
    assert (outcome.code, outcome.out) == (3, b"")
    assert outcome.err.count("\n") == 1


@pytest.mark.sshd
def test_an_interrupt_ends_with_130_and_without_a_traceback(tree: Path) -> None:
    """Ctrl-C while the terminal waits for an answer: nothing is left behind on it."""
    with running_sshd(tree.parent / "untrusted", trusted=False) as server:
        hands, device = os.openpty()
        command = [sys.executable, "-m", "sondage", "index", "-F", str(server.config), server.target(tree), *FAST]
        process = subprocess.Popen(  # a shell's background job, as this test may be one, starts with Ctrl-C ignored
            command,
            stdin=device,
            stdout=subprocess.PIPE,
            stderr=device,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  no thread is started here
        )
        os.close(device)
        _read_until(hands, b"Type yes to go on: ")
        process.send_signal(2)
        assert process.stdout is not None
        assert process.stdout.read() == b""
        process.stdout.close()
        shown = _read_until(hands, b"")
        assert process.wait() == 130
        assert shown.split() == [b"sondage:", b"interrupted"]
        os.close(hands)
