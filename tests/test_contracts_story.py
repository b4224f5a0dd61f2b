"""The contract of EAGLE-3 in the real SGLang, asked on the command line: derived, checked, as a matrix, over two versions."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.story import Answer, require_sglang
from support.wheels import SGLANG_NEXT

pytestmark = [pytest.mark.sglang, pytest.mark.xdist_group("contracts")]

KIMI = "KimiK25ForConditionalGeneration"
WORKER = "sglang/srt/speculative/eagle_worker.py"
TARGET_MODEL = "self.target_worker.model_runner.model"
NEEDED = "get_embed_and_head,set_eagle3_layers_to_capture,forward"

Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """`sondage WORDS…` as a new process; all of them share one cache, so that the tree is read once."""
    home = tmp_path_factory.mktemp("home")
    places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}

    def run(*words: str | Path) -> Answer:
        line = [sys.executable, "-m", "sondage", *map(str, words)]
        done = subprocess.run(line, capture_output=True, env={**os.environ, **places}, timeout=300, check=False)
        return Answer(done.returncode, done.stdout, done.stderr.decode())

    return run


def items_of(contract: dict[str, Any]) -> dict[str, Any]:
    return {item["member"]: item for item in contract["items"]}


def test_the_worker_needs_one_member_of_its_target_without_a_condition(ask: Ask, wheel: Path, tmp_path: Path) -> None:
    file = tmp_path / "target.toml"

    derived = ask(
        "contract", "derive", wheel, "--from", f"{WORKER}:EAGLEWorker", "--on", TARGET_MODEL, "-o", file, "--json"
    )
    checked = ask("contract", "check", wheel, KIMI, "--contract", file, "--json")

    items = items_of(derived.json)
    assert derived.code == 0
    assert "set_embed_and_head" not in items
    item = items["get_embed_and_head"]
    assert (item["required"], [use["guards"] for use in item["uses"]]) == ("required", [[]])
    (use,) = item["uses"]
    assert (use["how"], use["path"], use["line"], use["call"]["positional"]) == ("call", WORKER, 157, 0)
    assert f"# {WORKER}:157 EAGLEWorker.__init__ call\n" in file.read_text()
    assert (checked.code, checked.json["results"][0]["met"]) == (1, False)


def test_the_worker_needs_other_members_of_its_draft(ask: Ask, wheel: Path) -> None:
    answer = ask(
        *("contract", "derive", wheel, "--from", f"{WORKER}:EAGLEWorker"),
        *("--on", "self.draft_model_runner.model", "--json"),
    )

    items = items_of(answer.json)
    assert items["hot_token_id"]["required"] == "required"
    assert items["set_embed"]["required"] == "required"
    assert items["load_lm_head_from_target"]["required"] == "optional"
    (use,) = items["set_embed"]["uses"]
    assert use["line"] == 168
    assert any("is_eagle3()" in guard for guard in use["guards"])
    assert any("load_lm_head_from_target" in guard for guard in use["guards"])


def test_a_worker_that_overrides_the_methods_needs_nothing_of_its_target(ask: Ask, wheel: Path) -> None:
    consumer = "sglang/srt/speculative/standalone_worker.py:StandaloneWorker"

    answer = ask("contract", "derive", wheel, "--from", consumer, "--on", TARGET_MODEL, "--json")

    assert not items_of(answer.json).keys() & {"get_embed_and_head", "set_embed_and_head"}


def test_a_matrix_has_a_row_for_each_registered_class(ask: Ask, wheel: Path) -> None:
    command = ("contract", "matrix", wheel, "--classes", "registered:EntryClass", "--require", "get_embed_and_head")

    answer = ask(*command, "--format", "csv", "--sort", "met")

    head, *rows = [line.split(",") for line in answer.text.splitlines()]
    models = {row[0]: row[3:] for row in rows if row[1].startswith("sglang/srt/models/")}
    assert head == ["class", "path", "line", "met", "get_embed_and_head"]
    assert len(models) == 178
    assert models[f"sglang.srt.models.kimi_k25.{KIMI}"] == ["no", "held"]
    assert models["sglang.srt.models.deepseek_v2.DeepseekV3ForCausalLM"] == ["yes", "inherited"]
    assert [row[3] for row in rows] == sorted((row[3] for row in rows), key=["no", "undecided", "yes"].index)
    assert answer.code == 1


def test_the_next_version_forwards_what_this_one_only_holds(ask: Ask, wheel: Path) -> None:
    later = require_sglang(SGLANG_NEXT)

    answer = ask("contract", "drift", wheel, later, "--class", KIMI, "--require", NEEDED, "--json")

    (result,) = answer.json["results"]
    items = {item["member"]: item for item in result["items"]}
    for member, line in (("get_embed_and_head", 852), ("set_eagle3_layers_to_capture", 841)):
        before, after = items[member]["verdicts"]
        assert (before["verdict"], after["verdict"]) == ("held", "forwarded")
        assert (after["path"], after["line"]) == ("sglang/srt/models/kimi_k25.py", line)
        assert any(guard.startswith("hasattr(") for guard in after["guards"])
        assert (items[member]["changed"], items[member]["first_change"]) == (True, str(later))
    assert answer.code == 1


def test_lint_finds_the_paths_that_cannot_work(ask: Ask, wheel: Path) -> None:
    answer = ask("lint", wheel, "OPTForCausalLM", "MultiLayerEagleWorker", "DotsOCRForCausalLM", "--json")

    found = {(row["path"].rpartition("/")[2], row["line"]) for row in answer.json}
    assert {("opt.py", line) for line in (520, 609, 612, 614, 620, 629)} <= found
    assert {("multi_layer_eagle_worker.py", line) for line in (155, 156, 158, 160, 163, 164, 574)} <= found
    assert ("dots_ocr.py", 168) in found
    assert answer.code == 1


def test_a_cache_fills_in_its_base_and_four_signatures_differ(ask: Ask, wheel: Path) -> None:
    answer = ask("contract", "check", wheel, "HiRadixCache", "--base", "BasePrefixCache", "--json")

    items, verdicts = answer.json["contract"]["items"], answer.json["results"][0]["items"]
    methods = [verdict for item, verdict in zip(items, verdicts, strict=True) if not item["group"]]
    assert [verdict["verdict"] for verdict in methods].count("own") == 8
    assert {verdict["owner"].rpartition(".")[2] for verdict in methods if verdict["verdict"] == "inherited"} == {
        "RadixCache"
    }
    assert (len(methods), [verdict["same_signature"] for verdict in methods].count(False)) == (12, 4)
    assert [item["group"] for item in items if item["group"]] == ["PrefixCacheTrait"] * 4
    assert answer.code == 0


def test_the_assumptions_of_the_story_are_refuted_with_the_line(ask: Ask, wheel: Path) -> None:
    first = ask("assume", wheel, f"{KIMI} inherits DeepseekV2ForCausalLM", "--json")
    third = ask("assume", wheel, f"{WORKER}:EAGLEWorker on {TARGET_MODEL} needs only get_embed_and_head", "--json")

    assert (first.code, first.json["state"]) == (1, "refuted")
    lines = {(row["path"], row["line"]) for row in first.json["evidence"]}
    assert {("sglang/srt/models/kimi_k25.py", line) for line in (648, 676)} <= lines
    assert (third.code, third.json["state"]) == (1, "refuted")
    assert any("set_eagle3_layers_to_capture" in reason for reason in third.json["why"])
