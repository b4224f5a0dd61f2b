#!/usr/bin/env python3
"""Times the first right answers about a tree that nothing is known of, over a slow way, beside reading all of it.

    python benchmarks/remote_first.py [--rounds 3] [--tree FOLDER] [--file PATH] [--class NAME]

The way is that of remote.py, with a rate of 8 Mbit/s. What counts is the ratio: how much of the time that the whole takes
goes by until a range of a file is there (a command of its own), until a file is on the screen, and until the order of a
class is what it is in the end (both while the app reads the tree).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path

from remote import long_wire, spread
from sondage.core.answers.classes import MroAnswer
from sondage.dig import Dig, Settings, open_dig
from sondage.hosts.base import SshOptions
from sondage.hosts.target import parse_target
from support import wheels
from support.sshd import running_sshd

RATE = 1_000_000
"""Bytes a second."""


async def opened(config: Path, target: str, folder: Path) -> Dig:
    """With a cache of its own, which is empty."""
    for name in ("CACHE", "STATE", "CONFIG"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    return await open_dig(parse_target(target), Settings(SshOptions(config_file=str(config), no_input=True)))


async def show(dig: Dig, path: str) -> dict[str, float]:
    started = time.perf_counter()
    await dig.look(spec=f"{path}:1-9")
    await dig.show(f"{path}:1-9")
    return {"range of a file": time.perf_counter() - started}


async def read(dig: Dig, path: str, name: str) -> dict[str, float]:
    """As the app does: the file that was open is wanted at once, the class is asked for again as the index grows."""
    started = time.perf_counter()
    times: dict[str, float] = {}
    grown = asyncio.Event()
    dig.listen(grown.set)
    dig.want(path)
    await dig.mro(name, commit=False)
    reading = asyncio.ensure_future(dig.refresh())
    reading.add_done_callback(lambda _: grown.set())
    answers: list[tuple[float, list[str]]] = []
    while not reading.done():
        await grown.wait()
        grown.clear()
        if dig.source(path) is not None:
            times.setdefault("file on the screen", time.perf_counter() - started)
        answer = await dig.mro(name, commit=False)
        answers.append((time.perf_counter() - started, order(answer)))
    await reading
    times["whole"] = time.perf_counter() - started
    final = order(await dig.mro(name, commit=False))
    wrong = max((at for at, one in answers if one != final), default=0.0)
    times["order of a class"] = min((at for at, one in answers if at > wrong), default=times["whole"])
    return times


def order(answer: object) -> list[str]:
    return [step.class_ for step in answer.order] if isinstance(answer, MroAnswer) else []


async def measure(config: Path, target: str, folder: Path, args: argparse.Namespace) -> dict[str, float]:
    times: dict[str, float] = {}
    for number, task in enumerate((lambda dig: show(dig, args.file), lambda dig: read(dig, args.file, args.name))):
        dig = await opened(config, target, folder / str(number))
        times |= await task(dig)
        await dig.aclose()
    return times


def main() -> None:
    args = arguments()
    tree = args.tree or wheels.unpacked(wheels.SGLANG)
    rounds: dict[str, list[float]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="sondage-first-") as folder,
        running_sshd(Path(folder) / "sshd") as server,
        long_wire(server, RATE) as config,
    ):
        for number in range(args.rounds):
            own = Path(folder) / f"round-{number}"
            for what, seconds in asyncio.run(measure(config, server.target(tree), own, args)).items():
                rounds.setdefault(what, []).append(seconds)
    print("| first right answer | seconds | of the whole |\n|---|---|---|")
    for what, seconds in rounds.items():
        ratio = statistics.median(seconds) / statistics.median(rounds["whole"])
        print(f"| {what} | {spread(seconds)} | {ratio:.2f} |")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tree", type=Path, help="a folder with Python files (default: SGLang 0.5.9)")
    parser.add_argument("--file", default="sglang/srt/models/deepseek_v2.py")
    parser.add_argument("--class", dest="name", default="sglang.srt.models.glm4_moe.Glm4MoeForCausalLM")
    return parser.parse_args()


if __name__ == "__main__":
    main()
