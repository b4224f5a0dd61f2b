"""Contracts on the command line: files that are read, refused, written and not overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Sondage
from .fakes import DERIVED, FakeDig

GOOD = '[members.pay]\ncalls = ["(_)"]\n\n[members.audit]\nrequired = false\n'
DERIVE = ("contract", "derive", "box:/srv", "--from", "shop/desk.py:Desk", "--on", "self.till")


def test_a_contract_file_is_what_classes_are_held_against(tmp_path: Path, dig: FakeDig, sondage: Sondage) -> None:
    file = tmp_path / "desk.toml"
    file.write_text(GOOD)
    sondage("contract", "check", "box:/srv", "Till", "--contract", str(file))
    _, _, contract = dig.asked.pop()
    assert (contract.name, [item.required for item in contract.items]) == ("desk", ["required", "optional"])
    assert contract.items[0].calls[0].positional == 1


def test_a_contract_can_come_from_stdin(dig: FakeDig, sondage: Sondage) -> None:
    sondage("contract", "check", "box:/srv", "Till", "--contract", "-", stdin=GOOD.encode())
    assert [item.member for item in dig.asked.pop()[2].items] == ["pay", "audit"]


@pytest.mark.parametrize(
    ("text", "place", "trouble"),
    [
        (b"[members.pay]\nrequired = true\nreqired = false\n", ":3", "unknown key reqired"),
        (b"[members.pay]\nrequired = 1\n", ":2", "required must be true or false"),
        (b"[members.pay]\ncalls = ['_']\n", ":2", "is no call"),
        (b"[members.pay\n", ":1", "not TOML"),
        (b"[members.pay]\n# caf\xe9\n", ":2", "a contract file is UTF-8"),
        (b"name = 'empty'\n", "", "the contract names no member"),
    ],
)
def test_a_bad_contract_file_is_refused_with_its_line_before_anything_is_opened(
    text: bytes, place: str, trouble: str, tmp_path: Path, dig: FakeDig, sondage: Sondage
) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(text)
    outcome = sondage("contract", "check", "box:/srv", "Till", "--contract", str(file))
    assert (outcome.code, outcome.out, dig.opened) == (2, b"", ())
    assert f"{file}{place}" in outcome.err
    assert trouble in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_key_that_is_nearly_right_is_named(tmp_path: Path, sondage: Sondage) -> None:
    (tmp_path / "bad.toml").write_text("[members.pay]\nreqired = true\n")
    outcome = sondage("contract", "check", "box:/srv", "Till", "--contract", str(tmp_path / "bad.toml"))
    assert "(did you mean required?)" in outcome.err


def test_a_contract_file_that_is_not_there_is_bad_usage(tmp_path: Path, sondage: Sondage) -> None:
    outcome = sondage("contract", "check", "box:/srv", "Till", "--contract", str(tmp_path / "no.toml"))
    assert outcome.code == 2
    assert "no.toml': No such file" in outcome.err


def test_a_contract_that_asks_for_nothing_does_not_pass(dig: FakeDig, sondage: Sondage) -> None:
    from msgspec.structs import replace

    dig.answers["derive_base"] = replace(DERIVED, items=(), escapes=())
    dig.verdicts = ()
    outcome = sondage("contract", "check", "box:/srv", "Till", "--base", "Desk")
    assert (outcome.code, outcome.err) == (1, "sondage: note: the contract asks for nothing\n")


def test_what_was_not_followed_is_told_beside_the_answer(dig: FakeDig, sondage: Sondage) -> None:
    told = "sondage: note: the object also goes to a place where it was not followed; `contract derive` lists it\n"
    assert sondage("contract", "check", "box:/srv", "Till", "--base", "Desk").err == told
    assert sondage(*DERIVE).err == (
        "sondage: note: the object also goes to a place where it was not followed; the end of the contract lists it\n"
    )


# ------------------------------------------------------------------ writing


def test_a_derived_contract_is_toml_that_is_read_back_as_the_same_questions(dig: FakeDig, sondage: Sondage) -> None:
    written = sondage(*DERIVE).out
    assert b"# shop/desk.py:12 Desk.close call\n" in written
    sondage("contract", "check", "box:/srv", "Till", "--contract", "-", stdin=written)
    contract = dig.asked.pop()[2]
    assert [(item.member, item.required, item.calls) for item in contract.items] == [
        (item.member, item.required, item.calls) for item in DERIVED.items
    ]
    assert (contract.consumers, contract.receiver) == (DERIVED.consumers, DERIVED.receiver)


def test_a_contract_is_written_into_a_new_file_and_only_said_to_be(
    tmp_path: Path, dig: FakeDig, sondage: Sondage
) -> None:
    file = tmp_path / "desk.toml"
    outcome = sondage(*DERIVE, "-o", str(file))
    assert (outcome.code, outcome.out) == (0, b"")
    assert outcome.err.splitlines()[0] == f"sondage: note: 2 members written to {file}"
    assert file.read_bytes() == sondage(*DERIVE).out
    assert list(tmp_path.glob("*.toml")) == [file]


def test_json_goes_to_stdout_beside_a_file(tmp_path: Path, dig: FakeDig, sondage: Sondage) -> None:
    outcome = sondage(*DERIVE, "-o", str(tmp_path / "desk.toml"), "--json")
    assert outcome.document["receiver"] == "self.till"
    assert (tmp_path / "desk.toml").exists()


def test_a_file_is_not_overwritten_and_nothing_is_opened_for_it(tmp_path: Path, dig: FakeDig, sondage: Sondage) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("mine")
    outcome = sondage(*DERIVE, "-o", str(file))
    assert (outcome.code, file.read_text(), dig.opened) == (2, "mine", ())
    assert outcome.err == f"sondage: error: not overwritten: {file} (--force, or another name)\n"


def test_a_link_to_nowhere_is_not_written_through(tmp_path: Path, dig: FakeDig, sondage: Sondage) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(tmp_path / "elsewhere")
    assert sondage(*DERIVE, "-o", str(link)).code == 2
    assert sondage(*DERIVE, "-o", str(link), "--force").code == 0
    assert not link.is_symlink()
    assert not (tmp_path / "elsewhere").exists()


def test_force_overwrites_whole(tmp_path: Path, dig: FakeDig, sondage: Sondage) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("mine")
    assert sondage(*DERIVE, "-o", str(file), "--force").code == 0
    assert file.read_bytes() == sondage(*DERIVE).out
    assert [path.name for path in tmp_path.iterdir() if "mine" in path.name] == ["mine.toml"]


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path, dig: FakeDig, sondage: Sondage) -> None:
    outcome = sondage(*DERIVE, "-o", str(tmp_path / "no" / "desk.toml"))
    assert outcome.code == 2
    assert outcome.err.startswith("sondage: error: the contract cannot be written: ")
