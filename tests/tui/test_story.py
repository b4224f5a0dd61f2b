"""The nine steps of the investigation, by keys, in the app, on the real SGLang 0.5.9 behind a real OpenSSH server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from sondage.dig import Dig, Settings, open_dig
from sondage.hosts.base import Asker, SshOptions
from sondage.hosts.target import parse_target
from sondage.tui.app import SondageApp
from sondage.tui.options import Options, Wanted
from support.story import Box

from .driving import screen_text, settle, typed

pytestmark = [pytest.mark.sglang, pytest.mark.sshd, pytest.mark.xdist_group("story")]

KIMI = "sglang/srt/models/kimi_k25.py"
DEEPSEEK = "sglang/srt/models/deepseek_v2.py"
CONTRACT = "contract KimiK25ForConditionalGeneration get_embed_and_head,set_eagle3_layers_to_capture,forward"


class Hands:
    """What the user does: command keys are counted, a text typed into a prompt counts as one."""

    def __init__(self, app: SondageApp, pilot: Pilot[Any], *, at_one_go: bool) -> None:
        self.at_one_go = at_one_go
        self.app = app
        self.pilot = pilot
        self.count = 0

    async def press(self, *keys: str) -> None:
        self.count += len(keys)
        await typed(self.pilot, *keys)

    async def search(self, pattern: str, glob: str = "") -> None:
        """Without a glob the one that stands there is kept. Both can be typed at one go, or each into its own field."""
        if not glob:
            await self.press("slash", f"text:{pattern}", "enter")
        elif self.at_one_go:
            await self.press("slash", f"text:{pattern} -g {glob}", "enter")
        else:
            await self.press("slash", f"text:{pattern}", "tab", f"text:{glob}", "enter")

    async def command(self, text: str) -> None:
        await self.press("colon", f"text:{text}", "enter")

    @property
    def hits(self) -> list[int]:
        found = self.app.panes.search.found
        assert found is not None
        return [spot.line for spot in found.spots]


@asynccontextmanager
async def app_on_the_box(
    box: Box, wheel: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Hands]:
    for name, value in box.environment.items():
        if name.startswith("XDG_"):
            monkeypatch.setenv(name, value)
    ssh = SshOptions(config_file=str(box.server.config), no_input=True)

    async def opener(wanted: Wanted, asker: Asker) -> Dig:
        return await open_dig(parse_target(wanted.target), Settings(ssh, session=f"story {size[0]}"))

    app = SondageApp(opener, box.server.target(wheel), Options(clock=lambda: 0.0))
    async with app.run_test(size=size) as pilot:
        while app.dig is None or not app.dig.coverage.files_listed or not app.dig.coverage.whole or app.progress:
            await pilot.pause(0.05)
        await settle(pilot)
        yield Hands(app, pilot, at_one_go=size[0] > 80)


@pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=["80x24", "140x40"])
async def test_nine_steps_by_keys_end_with_the_true_conclusion_and_a_saved_transcript(
    box: Box, wheel: Path, size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with app_on_the_box(box, wheel, size, monkeypatch) as hands:
        # 5377: are there delegation methods in the model file?
        await hands.search(
            "get_hidden_states_before_lm_head|get_input_embeddings|eagle.*delegate", "**/models/kimi_k25.py"
        )
        assert hands.hits == []
        assert "No line matches" in screen_text(hands.app)
        # 5378: anything like them, wider?
        await hands.search("def .*(hidden|embed|forward)")
        assert hands.hits == [137, 176, 214, 257, 408, 445, 519, 571, 596, 719]
        # 5379: is the draft model's file there?
        await hands.command("open sglang/srt/models/llama_eagle3.py")
        assert "llama_eagle3.py" in screen_text(hands.app)
        # 5380: what does it expect?
        await hands.press("f", "text:get_hidden|get_input_embed|target_hidden", "enter")
        assert hands.hits == [130, 131]
        # 5381: where does the worker branch?
        await hands.search(r"is_eagle3\(\)", "**/speculative/eagle_worker.py")
        assert hands.hits == [120, 135, 159, 193, 918]
        # 5382: read its initialisation
        await hands.command("119,183")
        assert "119-183" in screen_text(hands.app)
        # 5383: who calls get_embed_and_head?
        await hands.search("get_embed_and_head", "**/speculative/*.py")
        assert sorted(hands.hits) == [149, 157, 169, 194]
        # 5384: the likely base
        await hands.search("get_embed_and_head|EntryClass", "**/models/deepseek_v2.py")
        assert hands.hits == [2944, 2986]
        # 5385: read it
        await hands.command("2944,2960")
        assert "2944-2960" in screen_text(hands.app)
        # and the question the chain of greps could not answer
        await hands.command(CONTRACT)
        assert hands.app.dig is not None
        (result,) = hands.app.dig.entries()[-1].answer["results"]
        assert [item["verdict"] for item in result["items"]] == ["held", "held", "own"]
        assert result["met"] is False
        shown = screen_text(hands.app)
        assert shown.count("✗") >= 2
        assert "self.language_model" in shown
        await hands.press("W")

    saved = (tmp_path / f"story {size[0]}.md").read_text()
    assert saved.count("\n## ") >= 10
    for said in ("is_eagle3", "119,183p", "2944,2960p", "self.language_model", "grep -nE"):
        assert said in saved
    print(f"{hands.count} command keys")
    assert hands.count <= 40
