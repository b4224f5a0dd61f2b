#!/usr/bin/env python3
"""Measures how fast sondage is, each figure as a ratio against a peer that runs in turn with it.

    python benchmarks/speed.py [--only NAME,…] [--all] [--repeat 5] [--markdown] [--list]

What the figures mean, and which tools they need: benchmarks/README.md. A peer that is not installed is named as missing.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "speed"), str(HERE / "accuracy"), str(HERE.parent / "tests")]

from figures import FIGURES, SLOW  # noqa: E402  the scripts lie in a folder
from inputs import Place  # noqa: E402
from measuring import PeerMissingError, Row, Sample, calibrate, spread  # noqa: E402

from support import wheels  # noqa: E402

for module in ("parsing", "answering", "searching", "screen", "scale"):
    importlib.import_module(module)


def main() -> int:
    args = arguments()
    if args.list:
        print("\n".join(f"{name}{'  (slow)' if name in SLOW else ''}" for name in FIGURES))
        return 0
    names = args.only or [name for name in FIGURES if args.all or name not in SLOW]
    noise: list[Sample] = [calibrate() for _ in range(3)][1:]
    loads = [os.getloadavg()[0]]
    rows: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory(prefix="sondage-speed-") as folder:
        place = Place(args.tree or wheels.unpacked(wheels.SGLANG) / "sglang", Path(folder), args.repeat)
        for name in names:
            say(f"{name} …")
            rows[name] = list(measured(name, place))
            noise += [calibrate() for _ in range(2)]
            loads.append(os.getloadavg()[0])
            for row in rows[name]:
                say(f"  {row.what}: {shown(row)}{'' if row.met is not False else '  OVER'}  {row.note}")
    about = described(args, noise, loads)
    print("\n".join(table(rows, about)))
    keep(args.json, about, rows)
    return 0 if all(row.met for some in rows.values() for row in some) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=figure_names, metavar="NAME,…", help="these figures alone")
    parser.add_argument("--all", action="store_true", help="the slow ones too")
    parser.add_argument("--list", action="store_true", help="name the figures")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="times that each is measured (5)")
    parser.add_argument(
        "--tree", type=Path, help="a folder with Python files (SGLang 0.5.9; some figures need that one)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the result is kept (benchmarks/results/)")
    return parser.parse_args()


def figure_names(text: str) -> list[str]:
    for name in text.split(","):
        if name not in FIGURES:
            raise argparse.ArgumentTypeError(f"no such figure: {name} (see --list)")
    return text.split(",")


def measured(name: str, place: Place) -> Iterator[Row]:
    """A figure's rows; where it cannot be measured, one that says why."""
    try:
        yield from FIGURES[name](place)
    except PeerMissingError as missing:
        yield Row(name, None, 0, note=f"not measured: {missing}")
    except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as trouble:
        yield Row(name, None, 0, note=f"failed: {type(trouble).__name__}: {trouble}")


def described(args: argparse.Namespace, noise: list[Sample], loads: list[float]) -> dict[str, Any]:
    """Where and when, and how restless the machine was."""
    return {
        "made": datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.release()}, {os.cpu_count()} cores",
        "repeat": args.repeat,
        "load": {"least": min(loads), "most": max(loads)},
        "fixed loop": list(spread(noise)),
    }


def table(rows: dict[str, list[Row]], about: dict[str, Any]) -> Iterable[str]:
    """Markdown, as it stands in the README."""
    yield "| figure | measured | goal | sondage | peer |"
    yield "|---|---|---|---|---|"
    for some in rows.values():
        for row in some:
            verdict = {True: "", False: " **over**", None: ""}[row.met]
            goal = f"≤ {row.goal:g}{'' if row.unit == '×' else ' ' + row.unit}" if row.value is not None else ""
            yield f"| {row.what} | {shown(row)}{verdict} | {goal} | {'; '.join(filter(None, (row.ours, row.note)))} | {row.peer} |"
    load, machine = about["load"], f"{about['machine']}, Python {about['python']}"
    yield ""
    yield f"{machine}; load {load['least']:.1f} to {load['most']:.1f}; median of {about['repeat']}."
    yield f"A fixed loop took, at the least – in the middle – at the most: {'; '.join(about['fixed loop'])}."


def shown(row: Row) -> str:
    if row.value is None:
        return "–"
    return f"{row.value:.3g}" if row.unit == "×" else f"{row.value:,.4g} {row.unit}"


def keep(file: Path | None, about: dict[str, Any], rows: dict[str, list[Row]]) -> None:
    file = file or HERE / "results" / f"speed-{about['made']}.json"
    document = {"about": about, "figures": {name: [row.document() for row in some] for name, some in rows.items()}}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    say(f"kept as {file}")


def say(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
