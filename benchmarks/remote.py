#!/usr/bin/env python3
"""Times connecting, listing and pulling over a long way, beside `rsync -az` over ssh of the same files.

    python benchmarks/remote.py [--rounds 5] [--tree FOLDER] [--markdown]

A real sshd on loopback, behind a proxy that delays each way and can limit the rate (tests/support/long_wire.py). Each
round runs every candidate once, one after the other, so that what else the machine does meets all of them; what counts
is the ratio of the medians. What the numbers mean: benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "remote"), str(HERE.parent / "tests")]

from candidates import Rsync, Sondage  # noqa: E402  the scripts lie in a folder

from support import wheels  # noqa: E402
from support.sshd import Sshd, running_sshd  # noqa: E402

DELAY = 0.05
"""Seconds each way: a round trip of 100 ms."""
LINKS = {"100 ms": 0, "100 ms, 100 Mbit/s": 12_500_000}
"""Bytes a second; 0: as fast as it goes."""
TASKS = {
    "connect, list, pull": ("rsync cold", "sondage cold", {"100 ms": 0.9, "100 ms, 100 Mbit/s": 0.6}),
    "connect, nothing changed": ("rsync again", "sondage again", dict.fromkeys(LINKS, 0.55)),
    "connected, nothing changed": ("rsync again", "sondage connected", dict.fromkeys(LINKS, 0.2)),
}
"""Which of ours is measured against which of rsync's, and the most that the ratio may be."""

Times = dict[str, list[float]]


def main() -> int:
    args = arguments()
    if not shutil.which("rsync"):
        sys.exit("rsync is what this measures against (Debian: apt install rsync)")
    before = os.getloadavg()[0]
    tree = args.tree or wheels.unpacked(wheels.SGLANG)
    with tempfile.TemporaryDirectory(prefix="sondage-remote-") as folder, running_sshd(Path(folder) / "sshd") as server:
        results = {
            name: measure(server, tree, Path(folder), name, rate, args.rounds)
            for name, rate in LINKS.items()
            if args.link in ("", name)
        }
    rows = list(table(results))
    print("\n".join(rows))
    load = (round(before, 1), round(os.getloadavg()[0], 1))
    print(
        f"\nprocesses that wanted the {os.cpu_count()} cores: {load[0]} before, {load[1]} after (one of them is this)"
    )
    keep(args.json, {"tree": tree.name, "rounds": args.rounds, "load": load}, results)
    return 0 if all("over" not in row for row in rows) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tree", type=Path, help="a folder with Python files (default: SGLang 0.5.9)")
    parser.add_argument("--link", default="", choices=["", *LINKS], help="only this one")
    parser.add_argument("--json", type=Path, help="where the times are kept (default: a file in results/)")
    return parser.parse_args()


def measure(server: Sshd, tree: Path, folder: Path, name: str, rate: int, rounds: int) -> Times:
    """Seconds by candidate, one for each round."""
    times: Times = {}
    with long_wire(server, rate) as config:
        for number in range(rounds):
            destination = folder / f"copy-{rate}-{number}"
            rsync, sondage = Rsync(config, server.target(tree), destination), Sondage(config, server.target(tree))
            taken = {"rsync cold": rsync.run(), "sondage cold": sondage.cold(), "rsync again": rsync.run()}
            taken["sondage again"], taken["sondage connected"] = sondage.refreshes()
            if rsync.count() != sondage.files:
                raise RuntimeError("the two did not fetch the same files")
            shutil.rmtree(destination)
            for candidate, seconds in taken.items():
                times.setdefault(candidate, []).append(seconds)
            print(f"{name}, round {number + 1}:", show(taken), file=sys.stderr)
    return times


@contextmanager
def long_wire(server: Sshd, rate: int) -> Iterator[Path]:
    """A configuration of ssh whose alias `box` leads to the server by way of the wire."""
    command = [sys.executable, HERE / "remote" / "wire.py", str(server.port), str(DELAY), str(rate)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as wire:
        assert wire.stdin
        assert wire.stdout
        port = int(wire.stdout.readline())
        config = server.folder / f"config-{port}"
        known = server.folder / f"known-{port}"
        known.write_text(server.known_hosts.read_text().replace(str(server.port), str(port)))
        lines = server.config.read_text().replace(f"Port {server.port}", f"Port {port}")
        config.write_text(lines.replace(str(server.known_hosts), str(known)))
        try:
            yield config
        finally:
            wire.stdin.close()


def show(taken: dict[str, float]) -> str:
    return ", ".join(f"{candidate} {seconds:.2f} s" for candidate, seconds in taken.items())


def table(results: dict[str, Times]) -> Iterator[str]:
    """Medians in seconds with the least and the most, and the ratios, as Markdown."""
    yield "| link | task | rsync -az | sondage | ratio | at most |"
    yield "|---|---|---|---|---|---|"
    for link, times in results.items():
        for task, (peer, own, limits) in TASKS.items():
            ratio = statistics.median(times[own]) / statistics.median(times[peer])
            verdict = "" if ratio <= limits[link] else " (over)"
            yield (
                f"| {link} | {task} | {spread(times[peer])} | {spread(times[own])} | {ratio:.2f}{verdict} | {limits[link]} |"
            )


def spread(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} s ({min(seconds):.2f}–{max(seconds):.2f})"


def keep(file: Path | None, about: dict[str, Any], results: dict[str, Times]) -> None:
    now = datetime.datetime.now(datetime.UTC)
    file = file or HERE / "results" / f"remote-{now:%Y%m%dT%H%M%SZ}.json"
    about |= {"when": now.isoformat(timespec="seconds"), "python": platform.python_version(), "cores": os.cpu_count()}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"about": about, "seconds": results}, indent=1) + "\n")
    print(f"kept in {file}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
