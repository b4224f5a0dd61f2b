#!/usr/bin/env python3
"""Scores the answers of sondage against what Python itself did, and beside jedi, basedpyright, ty and pyrefly.

    python benchmarks/accuracy.py [--peers none] [--markdown] …

Everything fetched lies in the cache ($XDG_CACHE_HOME or ~/.cache, there in sondage-dev). See benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ORACLE = HERE / "accuracy"
sys.path.insert(0, str(ORACLE))

import ask_sondage  # noqa: E402  the oracle's scripts lie in a folder, not in a package
import get_packages  # noqa: E402
import measures  # noqa: E402
import peers  # noqa: E402
import score  # noqa: E402

Question = dict[str, Any]
TRUTH, CALLS = ORACLE / "truth" / "open", ORACLE / "calls" / "open"
TRUTH_PYTHON = "3.12.1"
"""The CPython that the truth was taken with: only its own library folder can answer questions about `stdlib:` files."""
LONGEST_LIST = 60


@dataclass
class Run:
    """One measurement: where things lie, what is asked, and what came out."""

    site: Path
    work: Path
    lib: Path | None
    command: list[str]
    questions: list[Question]
    columns: dict[str, measures.Counts] = field(default_factory=dict)
    contradicted: list[dict[str, Any]] = field(default_factory=list)

    def scored(self, answers: Path, questions: Iterable[Question], missing: bool = True) -> list[dict[str, Any]]:
        """The verdicts of score.py on an answer file, one line a question."""
        asked, dump = self.work / "asked.jsonl", self.work / "dump.jsonl"
        write_lines(asked, questions)
        command = [sys.executable, str(ORACLE / "score.py"), "score", "--truth", str(TRUTH), "--calls", str(CALLS)]
        command += ["--root", str(self.site), *(["--lib", str(self.lib)] if self.lib else []), "--questions", str(asked)]
        command += ["--answers", str(answers), "--dump", str(dump), *(["--missing"] if missing else [])]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return list(read_lines(dump))


def main() -> int:
    args = arguments()
    cache = Path(os.environ.get("SONDAGE_TEST_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sondage-dev")
    names = [] if args.peers == "none" else args.peers.split(",")
    site = cache / "site"
    fetch_packages(site)
    if names:
        say(f"peers: {', '.join(f'{name} {peers.PEERS[name].version}' for name in names)}")
        peers.install(names, cache / "peers")
    with tempfile.TemporaryDirectory(prefix="sondage-accuracy-") as work:
        lib = args.lib or library_of(TRUTH_PYTHON)
        run = Run(site, Path(work), lib, shlex.split(args.sondage), [])
        run.questions = sample(run, args)
        ask_product(run)
        ask_peers(run, names, cache / "peers", args.peer_sample)
    ...


if __name__ == "__main__":
    raise SystemExit(main())
