"""The picture of an investigation."""

from __future__ import annotations

from typing import Any

import pytest

from sondage.core.answers.calls import CallSite, Definition, ReceiverType, Resolution
from sondage.core.answers.classes import MroAnswer, MroStep, SubclassesAnswer, SubclassRow
from sondage.core.answers.contracts import Assumption, ClassReport, Contract, ContractReport, LocateAnswer, Verdict
from sondage.core.answers.plain import to_json
from sondage.core.transcripts.picture import MOST_CLASSES, draw, mermaid, text_lines
from sondage.core.transcripts.story import tell
from sondage.core.transcripts.transcript import Entry, Verb

V3 = MroAnswer(
    "m.V3",
    "v.py",
    30,
    ("m.V2",),
    (
        MroStep("m.V3", "v.py", 30),
        MroStep("m.V2", "v.py", 20),
        MroStep("torch.nn.Module", "", 0, "not indexed"),
        MroStep("object", "", 0),
    ),
    False,
    ("torch",),
)
HELD = Verdict("embed", "required", "held", "possible", "m.V2", "method", "v.py", 25, via="self.inner → V3 → V2")
OWN = Verdict("forward", "required", "own", "proved", "m.Kimi", "method", "k.py", 9)


def entry(verb: Verb, answer: Any) -> Entry:
    return Entry(id="1", time="", verb=verb, answer=to_json(answer))


def drawn(*entries: Entry) -> list[str]:
    return text_lines(draw(tell(entries)))


CHECK = entry("check", ContractReport(Contract("", ()), (ClassReport("m.Kimi", False, (OWN, HELD), "k.py", 5),)))


def test_chain_of_an_order_says_what_is_direct_and_what_is_not() -> None:
    assert drawn(entry("mro", V3)) == [
        "V3  v.py:30",
        "└─ inherits V2  v.py:20",
        "   └─ inherits, further up, Module  (not read)",
    ]


def test_holder_and_owner_of_a_member_are_drawn_with_it() -> None:
    assert drawn(entry("mro", V3), CHECK) == [
        "Kimi  k.py:5",
        "│    ✓ forward: own",
        "│    ✗ embed: held, possible",
        "└─ holds self.inner: V3  v.py:30",
        "   └─ inherits V2  v.py:20",
        "      │    embed at v.py:25",
        "      └─ inherits, further up, Module  (not read)",
    ]


def test_base_that_is_learned_later_takes_the_place_of_further_up() -> None:
    v2 = MroAnswer("m.V2", "v.py", 20, ("torch.nn.Module",), (MroStep("m.V2", "v.py", 20),), True)
    assert drawn(entry("mro", V3), entry("mro", v2))[-1] == "   └─ inherits Module  (not read)"


def test_inheritance_that_was_thought_and_refuted_is_drawn_as_such() -> None:
    claim = entry("assume", Assumption("Kimi inherits V2", "inherits", "refuted"))
    assert drawn(CHECK, claim)[-1] == "└─ does not inherit V2"
    assert '--x|"does not inherit"|' in mermaid(draw(tell([CHECK, claim])))


def test_jump_leads_from_the_class_of_the_receiver_to_the_owner() -> None:
    way = Definition("m.V2", "load", "v.py", 41, "proved", (), ("m.V3",))
    answer = Resolution(CallSite("k.py", 1, 1, "self.inner", "load"), (ReceiverType("m.V3", ""),), (way,), None)
    assert drawn(entry("jump", answer)) == ["V3", "└─ inherits, further up, V2", "        load at v.py:41"]


def test_subclasses_are_drawn_below_their_base() -> None:
    rows = (SubclassRow("m.A", "a.py", 1, 1), SubclassRow("m.B", "b.py", 2, 1), SubclassRow("m.C", "c.py", 3, 2))
    assert drawn(entry("subclasses", SubclassesAnswer("m.Base", rows))) == [
        "A  a.py:1",
        "└─ inherits Base",
        "B  b.py:2",
        "└─ inherits Base",
    ]


def test_class_that_was_drawn_is_referred_to() -> None:
    answers = [LocateAnswer(f"m.{name}", (HELD,)) for name in "AB"]
    assert "└─ holds self.inner: V3 (see above)" in drawn(*(entry("locate", answer) for answer in answers))


def test_circle_that_somebody_wrote_ends() -> None:
    rows = [
        {"class": name, "path": "", "line": 0, "bases": [base], "order": [{"class": name}, {"class": base}]}
        for name, base in ("AB", "BA")
    ]
    assert drawn(*(entry("mro", row) for row in rows)) == ["A", "└─ inherits B", "   └─ inherits A (see above)"]


def test_text_of_a_host_means_nothing_to_mermaid_or_a_terminal() -> None:
    nasty = 'X"];click c1 "javascript:x"</script>```\n\x1b]52;c\x07\u202e%%{init}'
    report = ClassReport(nasty, False, (Verdict(nasty, "required", "held", "proved", nasty, via=nasty),), nasty, 1)
    picture = draw(tell([entry("check", ContractReport(Contract("", ()), (report,)))]))
    written = mermaid(picture)
    assert len(written.splitlines()) == 1 + len(picture.nodes) + len(picture.edges)
    assert not any(sign in written for sign in ("</", "`", "\x1b", "\u202e", "%", 'javascript:x"', "];"))
    assert not any(sign in "".join(text_lines(picture)) for sign in ("\x1b", "\n", "\u202e"))


@pytest.mark.parametrize("answer", [None, [], {}, {"order": 3}, {"class": "x", "order": [1], "bases": None}])
@pytest.mark.parametrize("verb", ["mro", "check", "locate", "jump", "assume", "subclasses"])
def test_answer_of_another_shape_is_passed_over(verb: Verb, answer: Any) -> None:
    assert len(draw(tell([Entry(id="1", time="", verb=verb, answer=answer)])).nodes) < 2


def test_too_many_classes_make_no_picture() -> None:
    entries = [entry("locate", LocateAnswer(f"m.C{number}", ())) for number in range(MOST_CLASSES + 1)]
    assert not draw(tell(entries))
