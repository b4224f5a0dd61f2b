"""The contract engine on SGLang 0.5.9: the questions of the investigation, with the answers that its code gives."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from sglang_tree import class_of, sglang

from sondage.core.answers.contracts import CallShape, Contract, ContractItem, Use, Verdict
from sondage.core.contracts import contract, lint
from sondage.core.contracts.assume import assume
from sondage.core.contracts.derive import derive
from sondage.core.contracts.derive_base import derive_base
from sondage.core.contracts.selectors import select

pytestmark = [pytest.mark.sglang, pytest.mark.xdist_group("sglang_contract")]

MATRIX = Path(__file__).parent / "data" / "eagle3_matrix.json.gz"
"""95 registered classes with the status of 24 members each, worked out by reading, independently of this engine."""
OURS = {
    "own": {"own"},
    "own-forwarder": {"forwarded"},
    "own-forwarder-guarded": {"forwarded", "own"},
    "inherited": {"inherited"},
    "inherited-forwarder": {"forwarded"},
    "instance-attr": {"instance"},
    "inherited-instance-attr": {"instance"},
    "via-__getattr__": {"dynamic", "forwarded"},
    "delegate-only": {"held"},
    "unknown-external-base": {"unknown"},
    "absent": {"unknown"},
}
"""torch is not read here: what the matrix calls absent is behind an open end."""
MODELS = "sglang/srt/models"
SPECULATIVE = "sglang/srt/speculative"


def located(class_name: str, *members: str) -> list[Verdict]:
    code = sglang()
    return list(contract.locate(code, class_of(code, class_name), members).verdicts)


def item(found: Contract, member: str) -> ContractItem:
    return next(item for item in found.items if item.member == member)


def places(uses: tuple[Use, ...]) -> set[tuple[str, int]]:
    return {(use.path.rpartition("/")[2], use.line) for use in uses}


# ------------------------------------------------------------------ judging


def test_kimi_k25_holds_the_interface_of_eagle3_but_does_not_provide_it():
    embed, layers, forward = located(
        "KimiK25ForConditionalGeneration", "get_embed_and_head", "set_eagle3_layers_to_capture", "forward"
    )
    assert (forward.verdict, forward.certainty, forward.path, forward.line) == (
        "own",
        "proved",
        f"{MODELS}/kimi_k25.py",
        719,
    )
    for verdict, line in ((embed, 2944), (layers, 2963)):
        assert (verdict.verdict, verdict.path, verdict.line) == ("held", f"{MODELS}/deepseek_v2.py", line)
        assert verdict.via == "self.language_model → DeepseekV3ForCausalLM → DeepseekV2ForCausalLM"
        assert verdict.evidence[0].path == f"{MODELS}/kimi_k25.py"
        assert verdict.evidence[0].line == 676
        assert verdict.certainty == "possible"
        assert any("torch.nn.Module" in why for why in verdict.why)


def test_deepseek_v3_inherits_it():
    (verdict,) = located("DeepseekV3ForCausalLM", "get_embed_and_head")
    assert (verdict.verdict, verdict.owner.rpartition(".")[2], verdict.line, verdict.certainty) == (
        "inherited",
        "DeepseekV2ForCausalLM",
        2944,
        "proved",
    )


def test_matrix_of_95_registered_classes_is_the_one_worked_out_by_reading():
    code = sglang()
    differences = []
    for row in json.loads(gzip.decompress(MATRIX.read_bytes())):
        ref = class_of(code, row["cls"])
        for member, known in row["members"].items():
            verdict = contract.judge.judged(code, ref, member)
            right = verdict.verdict in OURS[known["status"]]
            if known["status"] == "delegate-only":
                right = right and sorted(_holders(verdict)) == sorted(_delegates(known))
            elif "loc" in known:
                right = right and known["loc"] == f"{verdict.path}:{verdict.line}"
            if not right:
                differences.append((row["cls"], member, known["status"], verdict.verdict, verdict.why))
    assert differences == []


def _holders(verdict: Verdict) -> list[tuple[str, str, str]]:
    ways = [(holder, holder.via.split(" → ")) for holder in verdict.holders]
    return [(way[0].removeprefix("self."), f"{holder.path}:{holder.line}", way[1]) for holder, way in ways]


def _delegates(known: dict) -> list[tuple[str, str, str]]:
    return [(one["attr"], one["member"], one["attr_cls"].rpartition(".")[2]) for one in known["delegates"]]


def test_every_registered_class_is_selected():
    found = select(sglang(), "registered:EntryClass")
    assert isinstance(found, tuple)
    assert len([ref for ref in found if ref.path.startswith(MODELS)]) == 178


@pytest.mark.parametrize("class_name", ["DotsOCRForCausalLM", "OPTForCausalLM"])
def test_body_that_cannot_work_is_own_but_doubtful(class_name: str):
    (verdict,) = located(class_name, "get_embed_and_head")
    assert (verdict.verdict, verdict.doubtful) == ("own", True)
    assert "self.model.embed_tokens" in verdict.why[0]


def test_hiradix_cache_fills_in_the_base_prefix_cache():
    code = sglang()
    asked = derive_base(code, class_of(code, "BasePrefixCache"))
    verdicts = contract.check(code, [class_of(code, "HiRadixCache")], asked).results[0].items
    methods = [verdict for verdict, asked_item in zip(verdicts, asked.items, strict=True) if not asked_item.group]
    assert [verdict.verdict for verdict in methods].count("own") == 8
    assert [verdict.verdict for verdict in methods].count("inherited") == 4
    assert sorted(verdict.member for verdict in methods if verdict.same_signature is False) == [
        "cache_finished_req",
        "cache_unfinished_req",
        "dec_lock_ref",
        "init_load_back",
    ]
    assert [asked_item.member for asked_item in asked.items if asked_item.group == "PrefixCacheTrait"] == [
        "req_to_token_pool",
        "token_to_kv_pool_allocator",
        "page_size",
        "disable",
    ]


# ------------------------------------------------------------------ deriving


def test_eagle_worker_needs_one_member_of_its_target():
    found = derive(sglang(), [f"{SPECULATIVE}/eagle_worker.py:EAGLEWorker"], "self.target_worker.model_runner.model")
    (only,) = found.items
    assert (only.member, only.required, only.certainty, only.calls) == (
        "get_embed_and_head",
        "required",
        "proved",
        (CallShape(0),),
    )
    assert places(only.uses) == {("eagle_worker.py", 157)}


def test_eagle_worker_needs_more_of_its_draft_and_some_of_it_only_if_it_is_there():
    found = derive(sglang(), [f"{SPECULATIVE}/eagle_worker.py:EAGLEWorker"], "self.draft_model_runner.model")
    assert item(found, "hot_token_id").required == "required"
    assert item(found, "load_lm_head_from_target").required == "optional"
    (use,) = item(found, "set_embed").uses
    assert use.line == 168
    assert use.guards[0] == "self.speculative_algorithm.is_eagle3()"
    assert use.guards[1].startswith("not (hasattr(")
    assert ("eagle_draft_extend_cuda_graph_runner.py", 359) in places(item(found, "forward").uses)


@pytest.mark.parametrize("receiver", ["self.target_worker.model_runner.model", "self.draft_model_runner.model"])
def test_standalone_worker_needs_nothing_of_it_though_it_inherits_the_eagle_worker(receiver: str):
    found = derive(sglang(), [f"{SPECULATIVE}/standalone_worker.py:StandaloneWorker"], receiver)
    names = {one.member for one in found.items}
    assert not names & {"get_embed_and_head", "set_embed", "set_embed_and_head", "hot_token_id"}


def test_slot_of_the_model_runner_needs_the_capture_of_layers_under_its_conditions():
    found = derive(sglang(), ["sglang/srt/model_executor", SPECULATIVE], "ModelRunner.model")
    layers = item(found, "set_eagle3_layers_to_capture")
    assert layers.required == "required"
    assert layers.conditional
    assert places(layers.uses) == {("cuda_graph_runner.py", 365), ("model_runner.py", 622), ("model_runner.py", 1906)}
    assert set(layers.calls) == {CallShape(0), CallShape(1)}


def test_every_textual_site_of_a_runners_model_is_found_and_those_without_a_type_are_only_possible():
    code = sglang()
    found = derive(code, ["sglang/srt"], "ModelRunner.model")
    uses = {(use.path, use.line): use.certainty for one in found.items for use in one.uses}
    handed = {(place.path, place.line) for place in (*found.handed, *found.escapes)}
    missed = []
    for path in code.hierarchy.files():
        text = code.text_of(path)
        if path.startswith("sglang/srt/") and not path.endswith("model_executor/model_runner.py") and text is not None:
            for number, line in enumerate(text.lines, start=1):
                near = {(path, number + step) for step in range(-6, 2)}
                if re.search(r"runner[][\w.()]*\.model\b", line) and not near & (uses.keys() | handed):
                    missed.append(f"{path}:{number}")
    assert missed == []
    doubtful = [
        line
        for (path, line), sure in uses.items()
        if path.endswith("/multi_layer_eagle_worker.py") and sure == "possible"
    ]
    assert sorted(set(doubtful)) == [155, 156, 158, 160, 163, 164]


# ------------------------------------------------------------------ lint, assumptions


def test_lint_finds_the_known_defects_and_invents_none_in_classes_read_by_hand():
    code = sglang()
    names = [
        "MultiLayerEagleWorker",
        "AscendAttnBackend",
        "DotsOCRForCausalLM",
        "EAGLEWorker",
        "HiRadixCache",
        "RadixCache",
        "KimiK25ForConditionalGeneration",
        "DeepseekV2ForCausalLM",
        "LlamaForCausalLM",
        "CudaGraphRunner",
        "TpModelWorker",
        "EagleDraftWorker",
        "StandaloneWorker",
    ]
    rows = lint.lint(code, [class_of(code, name) for name in names]).rows
    assert {(row.path.rpartition("/")[2], row.line) for row in rows} == {
        ("ascend_backend.py", 1025),
        ("dots_ocr.py", 48),
        ("dots_ocr.py", 168),
        *(("multi_layer_eagle_worker.py", line) for line in (155, 156, 158, 160, 163, 164, 574)),
    }


def test_assumptions_of_the_story_are_refuted_with_their_lines():
    code = sglang()
    first = assume(code, "KimiK25ForConditionalGeneration inherits DeepseekV2ForCausalLM")
    assert (first.state, [row.line for row in first.evidence]) == ("refuted", [648, 676])
    third = assume(code, "EAGLEWorker on self.target_worker.model_runner.model needs only get_embed_and_head")
    assert third.state == "refuted"
    assert any("set_eagle3_layers_to_capture" in why for why in third.why)
