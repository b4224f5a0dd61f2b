"""The investigation sondage is built from, as a transcript: recorded on the real SGLang behind a real OpenSSH server, handed
on, checked by plain commands, and asked again of the next version.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sondage.core.contracts.contract import required
from sondage.core.safe import show_line
from sondage.dig import Dig, SearchQuery, Settings, open_dig
from sondage.hosts.base import SshOptions
from sondage.hosts.target import parse_target
from support.story import Box, require_sglang, served_box
from support.wheels import SGLANG_NEXT

pytestmark = [pytest.mark.sglang, pytest.mark.sshd, pytest.mark.xdist_group("story")]

KIMI = "sglang/srt/models/kimi_k25.py"
DEEPSEEK = "sglang/srt/models/deepseek_v2.py"
DRAFT = "sglang/srt/models/llama_eagle3.py"
WORKER = "sglang/srt/speculative/eagle_worker.py"
RUNNERS = "sglang/srt/model_executor/model_runner.py,sglang/srt/model_executor/cuda_graph_runner.py"

INHERITS = "KimiK25ForConditionalGeneration inherits DeepseekV2ForCausalLM"
UNCHANGED = "the interface has not changed between versions"
NEEDS_ONLY = f"{WORKER},{RUNNERS} on ModelRunner.model needs only get_embed_and_head"
CONTRACT = required(["get_embed_and_head", "set_eagle3_layers_to_capture", "forward"], "EAGLE-3 target")


async def investigate(dig: Dig) -> None:
    """The three assumptions, the nine commands of the story, and what none of them asked."""
    for claim in (INHERITS, UNCHANGED, NEEDS_ONLY):
        await dig.assume(claim)
    await dig.search(
        SearchQuery("get_hidden_states_before_lm_head|get_input_embeddings|eagle.*delegate", ("**/kimi_k25.py",))
    )
    await dig.search(SearchQuery("def .*(hidden|embed|forward)", ("**/kimi_k25.py",)))
    await dig.symbols("LlamaForCausalLMEagle3", limit=1)
    await dig.search(SearchQuery("get_hidden|get_input_embed|target_hidden", (DRAFT,)))
    await dig.search(SearchQuery(r"is_eagle3\(\)", (WORKER,)))
    await dig.show(f"{WORKER}:119,183")
    await dig.search(SearchQuery("get_embed_and_head", ("sglang/srt/speculative/*.py",)))
    await dig.search(SearchQuery("get_embed_and_head|EntryClass", (DEEPSEEK,)))
    await dig.show(f"{DEEPSEEK}:2944,2960")
    dig.note("The list of deepseek_v2.py says nothing of Kimi, and the window ends 3 lines before the other member.")
    await dig.mro("KimiK25ForConditionalGeneration")
    await dig.mro("DeepseekV3ForCausalLM")
    await dig.check(["KimiK25ForConditionalGeneration"], CONTRACT)
    await dig.jump(KIMI, 773, 33)


@pytest.fixture(scope="module")
def next_wheel() -> Path:
    return require_sglang(SGLANG_NEXT)


@pytest.fixture(scope="module")
def box(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """The server, and the session `kimi` recorded on it."""
    with served_box(tmp_path_factory.mktemp("transcript")) as box:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in box.environment.items():
                patch.setenv(name, value)
            asyncio.run(record(box, wheel))
        yield box


async def record(box: Box, wheel: Path) -> None:
    ssh = SshOptions(config_file=str(box.server.config), no_input=True)
    dig = await open_dig(parse_target(box.server.target(wheel)), Settings(ssh=ssh, session="kimi"))
    await dig.refresh()
    await investigate(dig)
    await dig.aclose()


def exported(box: Box, form: str) -> str:
    line = ["export", "kimi", "--to", form]
    return subprocess.run([*SONDAGE, *line], capture_output=True, env=box.environment, check=True).stdout.decode()


SONDAGE = [sys.executable, "-m", "sondage"]


# ------------------------------------------------------------------ what a reader sees


class Shown(NamedTuple):
    """One step of an export: what it quotes, file by file, and the commands below."""

    quotes: list[list[str]]
    commands: list[str]
    all_quoted: bool


FENCE = re.compile(r"^(```+)(text|sh)\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)


def steps_of_markdown(text: str) -> list[Shown]:
    steps = []
    for part in re.split(r"^## \d+\. ", text, flags=re.MULTILINE)[1:]:
        blocks = FENCE.findall(part)
        quotes = [body.split("\n") for _, kind, body in blocks if kind == "text"]
        commands = [line for _, kind, body in blocks if kind == "sh" for line in body.split("\n")]
        steps.append(Shown(quotes, commands, "lines are quoted." not in part))
    return steps


class Blocks(HTMLParser):
    """The preformatted blocks of a page, entities resolved."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self.inside = False
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "pre":
            self.inside = True
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.blocks[-1] += data


ROW = re.compile(r" *(\d+)(?:  (.*))?\Z")


def numbered(quote: list[str]) -> list[tuple[int, str]]:
    """The quoted lines with their numbers; marks of a gap left out."""
    return [(int(found[1]), found[2] or "") for row in quote if (found := ROW.match(row))]


def printed(command: str) -> list[str]:
    """What the command prints in a real shell, as it may be shown."""
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert done.returncode in (0, 1)
    return [show_line(line).text for line in done.stdout.decode().split("\n")[:-1]]


def check_step(step: Shown) -> None:
    """Each command prints exactly the lines that are quoted above it (the first of them, where more were found)."""
    if any(" grep " in command for command in step.commands):
        (command,) = step.commands
        rows = [re.sub(r"^(?:/[^:]+:)?(?=\d+:)", "", row).split(":", 1) for row in printed(command)]
        expected = [(number, text) for quote in step.quotes for number, text in numbered(quote)]
        assert [(int(number), text) for number, text in rows][: len(expected)] == expected
        assert not step.all_quoted or len(rows) == len(expected)
        return
    assert len(step.commands) == len(step.quotes)
    for command, quote in zip(step.commands, step.quotes, strict=True):
        lines = [text for _, text in numbered(quote)]
        shown = printed(command)
        assert shown[: len(lines)] == lines
        assert not step.all_quoted or len(shown) == len(lines)


# ------------------------------------------------------------------ the story


def test_every_command_of_the_markdown_prints_what_is_quoted_above_it(box: Box) -> None:
    steps = steps_of_markdown(exported(box, "md"))
    assert len(steps) == 17
    assert sum(bool(step.commands) for step in steps) == 15
    for step in steps:
        if step.commands:
            check_step(step)


def test_commands_and_quotes_of_the_page_are_those_of_the_markdown(box: Box) -> None:
    written = [
        block for step in steps_of_markdown(exported(box, "md")) for block in [*step.quotes, step.commands] if block
    ]
    assert [block.split("\n") for block in Blocks(exported(box, "html")).blocks[2:]] == written


def test_ledger_refutes_the_first_and_the_third_assumption_and_leaves_the_second_open(box: Box) -> None:
    ledger = json.loads(exported(box, "json"))["ledger"]
    assert [(claim["claim"], claim["state"]) for claim in ledger] == [
        (INHERITS, "refuted"),
        (UNCHANGED, "open"),
        (NEEDS_ONLY, "refuted"),
    ]
    assert any("self.language_model" in why for why in ledger[0]["why"])
    assert any("set_eagle3_layers_to_capture" in why for why in ledger[2]["why"])
    text = exported(box, "md")
    assert text.index(f"- **refuted** `{INHERITS}`") < text.index("## 1. ")


def test_picture_shows_who_holds_and_where_each_item_was_found(box: Box) -> None:
    walked = subprocess.run([*SONDAGE, "open", "kimi"], capture_output=True, env=box.environment, check=True)
    lines = [line.strip("│├└─ ") for line in walked.stdout.decode().split("\n")]
    for line in (
        f"KimiK25ForConditionalGeneration  {KIMI}:648",
        "✓ forward: own",
        "✗ get_embed_and_head: held, possible",
        f"holds self.language_model: DeepseekV3ForCausalLM  {DEEPSEEK}:2978",
        f"inherits DeepseekV2ForCausalLM  {DEEPSEEK}:2781",
        f"get_embed_and_head at {DEEPSEEK}:2944",
        f"set_eagle3_layers_to_capture at {DEEPSEEK}:2963",
    ):
        assert line in lines


def test_nothing_has_changed_where_nothing_was_changed(box: Box, wheel: Path) -> None:
    answer = box.ask("replay kimi", wheel, "--json")
    assert {row["state"] for row in answer.json} == {"same"}
    assert answer.code == 0


def test_replay_on_the_next_version_says_what_moved_and_what_changed(box: Box, next_wheel: Path) -> None:
    answer = box.ask("replay kimi", next_wheel, "--json")
    rows = {row["step"]: row for row in answer.json}
    assert {step: row["state"] for step, row in rows.items()} == {
        **dict.fromkeys((2, 4), "same"),
        **dict.fromkeys((6, 7, 8, 10, 11, 12, 14, 15, 17), "moved"),
        **dict.fromkeys((1, 3, 5, 9, 16), "changed"),
    }
    assert rows[12]["moves"] == [{"path": DEEPSEEK, "line": 2944, "new_path": DEEPSEEK, "new_line": 2276}]
    assert any(move["line"] == 773 and move["new_line"] == 830 for move in rows[17]["moves"])
    assert "KimiK25ForConditionalGeneration, met: False → True" in rows[16]["differences"]
    for member in ("get_embed_and_head", "set_eagle3_layers_to_capture"):
        said = [
            text for text in rows[16]["differences"] if text.startswith(f"KimiK25ForConditionalGeneration, {member}: ")
        ]
        assert [re.sub(r", by \S+", "", text).partition(": ")[2] for text in said] == [
            "held, possible → forwarded, proved"
        ]
    assert answer.code == 1


def test_the_second_assumption_is_answered_by_looking_at_both_versions(box: Box, wheel: Path, next_wheel: Path) -> None:
    claim = f"KimiK25ForConditionalGeneration.get_embed_and_head unchanged since {box.server.target(wheel)}"
    answer = box.ask("assume", next_wheel, claim, "--session", "next", "--json")
    assert (answer.code, answer.json["state"]) == (1, "refuted")
    assert "verdict: held → forwarded" in answer.json["why"]
