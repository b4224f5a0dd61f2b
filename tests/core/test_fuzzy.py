"""Which names a few typed letters mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.core.search.fuzzy import Names

NAMES = [
    "forward_extend",
    "Model.forward",
    "fast_word_order",
    "straightforward",
    "f_o_r_w_a_r_d",
    "Forward",
    "KimiK25ForConditionalGeneration",
    "DeepseekV3ForCausalLM",
    "DeepseekV2ForCausalLM.get_embed_and_head",
    "get_head",
    "HTTPServer",
    "LMHead",
]


def names(query: str, limit: int = 50, among: list[str] = NAMES) -> list[str]:
    return [among[found.position] for found in Names(among).find(query, limit)]


def test_exact_beats_beginning_beats_part_beats_scattered() -> None:
    assert names("forward") == ["Model.forward", "Forward", "forward_extend", "f_o_r_w_a_r_d", "straightforward"]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("kkcg", "KimiK25ForConditionalGeneration"),
        ("k25", "KimiK25ForConditionalGeneration"),
        ("dv3", "DeepseekV3ForCausalLM"),
        ("geah", "DeepseekV2ForCausalLM.get_embed_and_head"),
        ("getembedhead", "DeepseekV2ForCausalLM.get_embed_and_head"),
        ("hs", "HTTPServer"),
        ("server", "HTTPServer"),
        ("DEEPSEEKV3FORCAUSALLM", "DeepseekV3ForCausalLM"),
        ("lm head", "LMHead"),
    ],
)
def test_starts_of_words_find_a_name(query: str, first: str) -> None:
    assert names(query)[0] == first


def test_starts_of_words_beat_a_part_inside_a_word() -> None:
    assert names("ead", among=["header", "get_ready", "EmbedAndDraft"]) == ["EmbedAndDraft", "header", "get_ready"]


def test_misspelt_name_is_found_last() -> None:
    assert names("get_embd_and_haed")[0] == "DeepseekV2ForCausalLM.get_embed_and_head"


def test_owner_before_a_dot_narrows_the_search() -> None:
    among = ["KimiMoE.forward", "DeepseekV2MLP.forward", "pkg.kimi.forward"]
    assert names("Kimi.forward", among=among) == ["KimiMoE.forward", "pkg.kimi.forward"]


def test_closest_in_length_comes_first_and_equals_keep_their_order() -> None:
    among = ["B.head_count_of_all", "Z.head_count", "A.head_count"]
    assert names("head", among=among) == ["Z.head_count", "A.head_count", "B.head_count_of_all"]


def test_limit_keeps_the_best() -> None:
    assert names("forward", limit=2) == ["Model.forward", "Forward"]
    assert names("e", limit=1, among=["ab_e", "e", "Extend"]) == ["e"]


@pytest.mark.parametrize("query", ["", "  ", ".", "zzz", "(", "\\", "[", "\n", "é", "\udcff", "x" * 500])
def test_query_that_means_nothing_finds_nothing(query: str) -> None:
    assert names(query) == []


def test_no_names_are_searched_in_peace() -> None:
    assert Names([]).find("a") == []


def test_exact_match_has_all_points() -> None:
    assert Names(["a.b.run"]).find("run")[0].score == 100.0


A_NAME = st.text(alphabet="abAB_1", min_size=1, max_size=8)


@given(st.lists(A_NAME, max_size=8), A_NAME)
def test_exact_name_is_always_first(among: list[str], query: str) -> None:
    found = names(query, among=[*among, query])
    assert found[0] == query
