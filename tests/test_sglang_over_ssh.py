"""The investigation sondage is built from, asked of the real SGLang 0.5.9 behind a real OpenSSH server."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.story import Box, lay_out

pytestmark = [pytest.mark.sglang, pytest.mark.sshd, pytest.mark.xdist_group("story")]

KIMI = "sglang/srt/models/kimi_k25.py"
DEEPSEEK = "sglang/srt/models/deepseek_v2.py"
MODELS = "sglang.srt.models"


@pytest.fixture(scope="module")
def checkout(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git checkout's layout: the package two folders below the root, beside scripts and tests of the project."""
    root = tmp_path_factory.mktemp("checkout") / "sglang"
    lay_out(wheel, root / "python" / "sglang")
    (root / "benchmark").mkdir()
    (root / "benchmark" / "bench.py").write_text(
        "from sglang.srt.models.kimi_k25 import KimiK25ForConditionalGeneration\n"
    )
    (root / "setup_env.py").write_text("import sys\n")
    return root


def test_the_whole_tree_is_indexed_and_a_second_time_nothing_is_parsed(box: Box, wheel: Path) -> None:
    first = box.ask("index", wheel, "--json").json
    again = box.ask("index", wheel, "--json").json

    assert (first["files"], first["bytes"], first["classes"], first["functions"]) == (1404, 19751169, 3512, 17315)
    assert first["unreadable"] == []
    assert (again["parsed"], again["reused"], again["remote"]["commands"]) == (0, 1404, 1)


def test_the_model_file_holds_no_delegation_methods(box: Box, wheel: Path) -> None:
    pattern = "get_hidden_states_before_lm_head|get_input_embeddings|eagle.*delegate"

    answer = box.ask("search", wheel, pattern, "-g", "**/kimi_k25.py")

    assert (answer.code, answer.out) == (1, b"")


def test_the_worker_asks_five_times_whether_it_is_eagle3(box: Box, wheel: Path) -> None:
    answer = box.ask("search", wheel, r"is_eagle3\(\)", "-g", "**/speculative/eagle_worker.py", "--json")

    assert [row["line"] for row in answer.json] == [120, 135, 159, 193, 918]


def test_a_whole_tree_search_finds_what_grep_finds(box: Box, wheel: Path) -> None:
    answer = box.ask("search", wheel, "get_embed_and_head")
    grep = box.shell(f"cd {wheel} && grep -rn --include=*.py get_embed_and_head sglang")

    rows = {tuple(line.split(":", 3)[:2]) for line in answer.text.splitlines()}
    assert rows == {tuple(line.split(":", 2)[:2]) for line in grep.decode().splitlines()}


def test_a_range_is_shown_byte_for_byte(box: Box, wheel: Path) -> None:
    answer = box.ask("show", wheel, f"{DEEPSEEK}:2944,2960")

    assert answer.out == box.shell(f"sed -n 2944,2960p {wheel}/{DEEPSEEK}")
    assert answer.out.count(b"\n") == 17


def test_the_mro_says_where_it_stays_open(box: Box, wheel: Path) -> None:
    answer = box.ask("mro", wheel, "DeepseekV3ForCausalLM", "--json").json

    assert [(step["class"], step["line"]) for step in answer["order"]] == [
        (f"{MODELS}.deepseek_v2.DeepseekV3ForCausalLM", 2978),
        (f"{MODELS}.deepseek_v2.DeepseekV2ForCausalLM", 2781),
        ("torch.nn.Module", 0),
        (f"{MODELS}.deepseek_common.deepseek_weight_loader.DeepseekV2WeightLoaderMixin", 87),
    ]
    assert answer["complete"] is False
    assert "not indexed" in answer["order"][2]["open"]
    assert any("torch" in reason for reason in answer["why_incomplete"])


def test_an_inherited_method_is_located_at_its_owner(box: Box, wheel: Path) -> None:
    answer = box.ask("locate", wheel, "DeepseekV3ForCausalLM", "get_embed_and_head", "--json")

    (verdict,) = answer.json
    assert (verdict["verdict"], verdict["certainty"]) == ("inherited", "proved")
    assert verdict["owner"] == f"{MODELS}.deepseek_v2.DeepseekV2ForCausalLM"
    assert (verdict["path"], verdict["line"]) == (DEEPSEEK, 2944)
    assert answer.code == 0


def test_what_is_only_held_is_no_tick(box: Box, wheel: Path) -> None:
    needed = "get_embed_and_head,set_eagle3_layers_to_capture,forward"

    answer = box.ask("contract check", wheel, "KimiK25ForConditionalGeneration", "--require", needed, "--json")

    (result,) = answer.json["results"]
    embed, layers, forward = result["items"]
    assert (forward["verdict"], forward["path"], forward["line"]) == ("own", KIMI, 719)
    for verdict, line in ((embed, 2944), (layers, 2963)):
        assert verdict["verdict"] == "held"
        assert verdict["via"] == "self.language_model → DeepseekV3ForCausalLM → DeepseekV2ForCausalLM"
        assert (verdict["path"], verdict["line"]) == (DEEPSEEK, line)
        assert (KIMI, 676) in {(one["path"], one["line"]) for one in verdict["evidence"]}
    assert result["met"] is False
    assert answer.code == 1


def test_a_call_on_an_attribute_leads_to_the_parent_that_defines_it(box: Box, wheel: Path) -> None:
    answer = box.ask("jump", wheel, f"{KIMI}:773:33", "--json").json

    assert answer["call"]["receiver"] == "self.language_model"
    assert [one["class"] for one in answer["receiver_types"]] == [f"{MODELS}.deepseek_v2.DeepseekV3ForCausalLM"]
    assert ":676" in answer["receiver_types"][0]["how"]
    (definition,) = answer["answers"]
    assert definition["owner"] == f"{MODELS}.deepseek_v2.DeepseekV2ForCausalLM"
    assert (definition["name"], definition["path"], definition["line"]) == ("load_weights", DEEPSEEK, 2941)


@pytest.mark.parametrize("above", [0, 1], ids=["root is the import root", "root is one level above"])
def test_module_names_stay_the_same_in_a_checkout(box: Box, checkout: Path, above: int) -> None:
    root, prefix = ((checkout / "python", ""), (checkout, "python/"))[above]

    mro = box.ask("mro", root, "DeepseekV3ForCausalLM", "--json").json
    located = box.ask("locate", root, "DeepseekV3ForCausalLM", "get_embed_and_head", "--json").json
    jump = box.ask("jump", root, f"{prefix}{KIMI}:773:33", "--json").json

    assert mro["class"] == f"{MODELS}.deepseek_v2.DeepseekV3ForCausalLM"
    assert mro["path"] == prefix + DEEPSEEK
    assert (located[0]["owner"], located[0]["line"]) == (f"{MODELS}.deepseek_v2.DeepseekV2ForCausalLM", 2944)
    assert (jump["answers"][0]["path"], jump["answers"][0]["line"]) == (prefix + DEEPSEEK, 2941)


def test_held_is_proved_once_the_library_of_the_host_is_read(box: Box, wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "srv" / ".venv"
    site = environment / "lib" / "python3.12" / "site-packages"
    modules = site / "torch" / "nn" / "modules"
    modules.mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.1\n")
    (site / "torch" / "__init__.py").write_text("from torch import nn as nn\n")
    (site / "torch" / "nn" / "__init__.py").write_text("from torch.nn.modules import *\n")
    (modules / "__init__.py").write_text("from .module import Module\n__all__ = ['Module']\n")
    (modules / "module.py").write_text(
        "class Module:\n"
        "    def __init__(self, *args, **kwargs):\n"
        "        self._modules = {}\n"
        "    def __getattr__(self, name):\n"
        "        if name in self.__dict__['_modules']:\n"
        "            return self.__dict__['_modules'][name]\n"
        "        raise AttributeError(name)\n"
    )
    root = lay_out(wheel, tmp_path / "srv" / "sglang" / "sglang").parent

    mro = box.ask("mro", root, "KimiK25ForConditionalGeneration", "--json").json
    located = box.ask("locate", root, "KimiK25ForConditionalGeneration", "get_embed_and_head", "--json").json

    assert [step["class"].rpartition(".")[2] for step in mro["order"]] == [
        "KimiK25ForConditionalGeneration",
        "Module",
        "object",
    ]
    assert mro["complete"] is True
    assert (located[0]["verdict"], located[0]["certainty"]) == ("held", "proved")
