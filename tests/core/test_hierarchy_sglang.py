"""Names and classes of the whole SGLang 0.5.9 wheel."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pytest

from sondage.core.classes.hierarchy import Hierarchy, Library
from sondage.core.classes.modules import infer_layout
from sondage.core.classes.refs import ClassRef
from sondage.core.source.extract import extract
from sondage.core.source.facts import FileFacts
from support.story import require_sglang

pytestmark = pytest.mark.sglang
ORDERS = Path(__file__).parent / "data" / "sglang_orders.json"
KIMI = "sglang/srt/models/kimi_k25.py"


@lru_cache(maxsize=1)
def _facts(folder: Path) -> dict[str, FileFacts]:
    return {str(file.relative_to(folder)): extract(file.read_bytes()) for file in sorted(folder.glob("sglang/**/*.py"))}


@lru_cache(maxsize=1)
def _tree(folder: Path) -> Hierarchy:
    facts = _facts(folder)
    return Hierarchy.build(facts, infer_layout(list(facts), facts))


def tree() -> Hierarchy:
    return _tree(require_sglang())


def class_of(name: str) -> ClassRef:
    found = tree().find_class(name)
    assert isinstance(found, ClassRef), found
    return found


def test_every_class_of_the_wheel_is_found_and_has_an_order() -> None:
    classes = list(tree().classes())
    assert len(classes) == 3512
    assert [ref.name for ref in classes if tree().linear(ref).error] == []


def test_no_file_is_partial() -> None:
    assert [path for path, facts in _facts(require_sglang()).items() if facts.partial] == []


def test_orders_are_those_of_an_independent_reading() -> None:
    """Of 95 registered models, by another program (`data/sglang_orders.json`: place of the class → full names)."""
    for place, wanted in json.loads(ORDERS.read_text()).items():
        path, line = place.rsplit(":", 1)
        ref = tree().class_at(path, int(line))
        assert ref is not None, place
        assert [one.name for one in tree().linear(ref).order if one.name != "object"] == wanted


def test_base_of_the_story_has_seven_subclasses() -> None:
    rows = tree().subclasses(class_of("DeepseekV2ForCausalLM")).rows
    assert {row.class_.rpartition(".")[2] for row in rows} == {
        "DeepseekV3ForCausalLM",
        "DeepseekV32ForCausalLM",
        "GlmMoeDsaForCausalLM",
        "Glm4MoeLiteForCausalLM",
        "DeepseekV3ForCausalLMNextN",
        "MistralLarge3ForCausalLM",
        "MistralLarge3ForCausalLMEagle",
    }


@pytest.mark.parametrize("above", ["sglang", "python", "srv/sglang/python"])
def test_names_are_the_same_with_the_root_further_up(above: str) -> None:
    facts = {f"{above}/{path}": one for path, one in _facts(require_sglang()).items()}
    layout = infer_layout(list(facts), facts)
    assert layout.module_of(f"{above}/{KIMI}") == "sglang.srt.models.kimi_k25"
    assert layout.roots == (above,)


@pytest.mark.parametrize("inside", ["sglang", "sglang/srt"])
def test_names_are_the_same_with_the_root_inside_the_package(inside: str) -> None:
    whole = _facts(require_sglang())
    facts = {path.removeprefix(f"{inside}/"): one for path, one in whole.items() if path.startswith(f"{inside}/")}
    layout = infer_layout(list(facts), facts)
    assert layout.module_of(KIMI.removeprefix(f"{inside}/")) == "sglang.srt.models.kimi_k25"


def test_model_of_the_story_is_complete_once_torch_was_read() -> None:
    sources = {
        "torch": ("torch/__init__.py", "from torch import nn as nn\n"),
        "torch.nn": ("torch/nn/__init__.py", "from torch.nn.modules import *\n"),
        "torch.nn.modules": ("torch/nn/modules/__init__.py", "from .module import Module\n"),
        "torch.nn.modules.module": ("torch/nn/modules/module.py", "class Module:\n    pass\n"),
    }
    ref = class_of("KimiK25ForConditionalGeneration")
    grown = tree()
    assert grown.mro(ref).mro == (ref.name, "torch.nn.Module")
    while wanted := grown.wanted(ref):
        read = [Library(sources[one][0], one, extract(sources[one][1].encode())) for one in wanted if one in sources]
        grown = grown.with_libraries(read, [one for one in wanted if one not in sources])
    assert grown.mro(ref).mro == (ref.name, "torch.nn.modules.module.Module", "object")
    assert grown.mro(ref).complete
