"""Words of texts: what they rule out is really not there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sondage.core.classes.codebase import finished
from sondage.core.search.words import Words

TEXTS = [b"def get_head(self):\n", b"x.get_head_of(1)\n", b"my_self = 1\n", b"", "a→b größe\n".encode()]


def words_of(texts: list[bytes]) -> Words:
    return finished(Words.read(texts))


def test_word_is_found_where_it_stands_alone() -> None:
    words = words_of(TEXTS)
    assert list(words.with_word(b"get_head")) == [0]
    assert list(words.with_word(b"self")) == [0]
    assert list(words.with_word(b"head")) == []
    assert list(words.with_word("größe".encode())) == [4]


def test_name_that_touches_a_sign_beyond_ascii_is_found_too() -> None:
    assert list(words_of(TEXTS).with_word(b"b")) == [4]


def test_part_of_a_word_is_found_in_all_that_hold_it() -> None:
    assert words_of(TEXTS).with_text(b"et_hea") == {0, 1}
    assert words_of(TEXTS).with_text(b"nowhere") == frozenset()


def test_edges_of_words_inside_a_text_count() -> None:
    words = words_of(TEXTS)
    assert words.with_text(b"def get") == {0}
    assert words.with_text(b"self)") == {0, 2}
    assert words.with_text(b".get_head(") == {0}  # a superset: the word stands there, the dot does not


def test_text_of_signs_alone_rules_nothing_out() -> None:
    assert words_of(TEXTS).with_text(b"):") is None
    assert words_of(TEXTS).with_text(b"a") is None


def test_part_of_too_many_words_rules_nothing_out() -> None:
    assert words_of([b" ".join(b"name%d" % number for number in range(2000))]).with_text(b"name") is None


def test_case_is_ignored_on_demand() -> None:
    words = words_of([b"Get_Head", b"nothing", "GET_\u212ain".encode()])
    assert words.with_text(b"gET_h", ignore_case=True) == {0, 2}
    assert words.with_text(b"get_kin", ignore_case=True) == {2}
    assert words.with_text("é".encode(), ignore_case=True) is None


def test_words_of_very_many_texts_are_kept_too() -> None:
    """More than numbers of two bytes can tell apart."""
    words = words_of([b"all"] * 65_536 + [b"all last"])
    restored = Words.restored(*words.pieces())
    assert list(restored.with_word(b"last")) == [65_536]
    assert len(restored.with_word(b"all")) == 65_537


def test_few_bytes_are_kept() -> None:
    text = b" ".join(b"name_%d" % number for number in range(5000))
    assert words_of([text] * 20).size < len(text) * 20


@given(
    st.lists(st.text(alphabet="ab_é→ .\n", max_size=12), max_size=5),
    st.text(alphabet="ab_é→ .", min_size=1, max_size=5),
)
def test_text_that_is_there_is_never_ruled_out(texts: list[str], wanted: str) -> None:
    data = [text.encode() for text in texts]
    found = words_of(data).with_text(wanted.encode())
    assert found is None or found >= {number for number, text in enumerate(data) if wanted.encode() in text}
