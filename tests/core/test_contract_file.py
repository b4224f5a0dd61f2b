"""Contract files: what is written is read back, and what is wrong is refused with its line and the nearest key."""

from __future__ import annotations

import tomllib

import pytest

from sondage.core.answers.certainty import Evidence
from sondage.core.answers.contracts import CallShape, Contract, ContractItem, Escape, Use
from sondage.core.contracts import contract_file
from sondage.errors import UsageError

TARGET = Contract(
    "eagle on target",
    (
        ContractItem(
            "embed",
            uses=(
                Use("call", "worker.py", 7, symbol="Worker.start", call=CallShape(0), guards=("self.fast",)),
                Use("call", "worker.py", 9, call=CallShape(1, ("key",), star=True), guards=("self.slow",)),
            ),
        ),
        ContractItem("hot", "optional", "possible", (Use("read", "worker.py", 12, optional=True),)),
        ContractItem("close", soft=True, group="Closing", signature='(self, how="now")', share=0.5),
    ),
    consumers=("worker.py:Worker",),
    receiver="self.model",
    escapes=(Escape("worker.py", 20, "patch(self.model)", "patch was not read"),),
)


def read_error(text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        contract_file.read(text, "c.toml")
    return caught.value


def test_a_written_contract_asks_the_same_questions_when_it_is_read_back():
    again = contract_file.read(contract_file.write(TARGET), "c.toml")
    assert (again.name, again.consumers, again.receiver) == (TARGET.name, TARGET.consumers, TARGET.receiver)
    for item, before in zip(again.items, TARGET.items, strict=True):
        assert (item.member, item.required, item.certainty) == (before.member, before.required, before.certainty)
        assert (item.signature, item.soft, item.group, item.share) == (
            before.signature,
            before.soft,
            before.group,
            before.share,
        )
        assert item.calls == before.calls
        assert item.conditional == before.conditional


def test_the_evidence_of_every_use_stands_as_a_comment_beside_its_member():
    text = contract_file.write(TARGET)
    assert "# worker.py:7 Worker.start call  if self.fast" in text
    assert "# worker.py:20 patch(self.model): patch was not read" in text


def test_bytes_of_a_host_cannot_break_out_of_a_comment_or_a_string():
    nasty = 'x"\n[members.evil]\x1b[31m\udc80'
    contract = Contract(nasty, (ContractItem("a", evidence=(Evidence("p\n.py", 1, nasty),)),), receiver=nasty)
    data = tomllib.loads(contract_file.write(contract))
    assert list(data["members"]) == ["a"]


def test_a_member_table_may_be_empty_and_is_then_required():
    contract = contract_file.read("[members.forward]\n", "eagle3.toml")
    assert contract.name == "eagle3"
    assert contract.items == (ContractItem("forward"),)


def test_an_unknown_key_is_refused_with_its_line_and_the_nearest_one():
    error = read_error("[members.a]\ncalls = []\n\n[members.b]\nrequird = true\n")
    assert str(error) == "unknown key requird: c.toml:5 (did you mean required?)"


def test_a_value_of_the_wrong_type_is_refused_with_its_line():
    assert str(read_error('name = "x"\n[members.a]\nrequired = "yes"\n')) == "required must be true or false: c.toml:3"


def test_a_call_that_is_none_is_refused():
    assert str(read_error('[members.a]\ncalls = ["one"]\n')).startswith("'one' is no call: c.toml:2")


def test_broken_toml_is_refused_with_the_line_of_the_parser():
    assert read_error("name = \n[members.a]\n").where == "c.toml:1"


def test_a_contract_without_members_is_refused():
    assert "names no member" in str(read_error('name = "x"\n'))


def test_a_member_that_can_be_no_attribute_is_refused():
    assert read_error('[members."a b"]\n').where == "c.toml:1"
