#!/usr/bin/env python3
"""Scores what sondage answers against what Python itself did, beside jedi, basedpyright, ty and pyrefly.

    python benchmarks/accuracy.py [--peers none] [--markdown]

Packages and peers are fetched into a cache outside the repository, `sondage-dev` in $XDG_CACHE_HOME or ~/.cache.
What the numbers mean, and what the truth does not say: benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ORACLE = HERE / "accuracy"
sys.path.insert(0, str(ORACLE))

import get_packages  # noqa: E402  the scripts lie in a folder, each runs by itself as well
import measures  # noqa: E402
import peers  # noqa: E402
import product  # noqa: E402
import score  # noqa: E402

Question = dict[str, Any]

TRUTH, CALLS = ORACLE / "truth" / "open", ORACLE / "calls" / "open"
TRUTH_PYTHON = "3.12.1"
"""The CPython that the truth was taken with; only its own library folder answers for the files marked `stdlib:`."""
EVERYTHING = 10**6
"""More than there is: the size of the sample that leaves nothing out."""
MEMBERS = 4000
"""Of each package when asked thoroughly. There are hundreds of thousands; more would not move a digit that is shown."""


def main() -> int:
    args = arguments()
    cache = cache_folder()
    site = cache / "site"
    fetch_packages(site)
    peers.install(args.peers, cache / "peers")
    lib = args.lib or library_of_truth()
    with tempfile.TemporaryDirectory(prefix="sondage-accuracy-") as folder:
        judge = Judge(site, lib, Path(folder))
        # A cache of its own: what an older state of the sources left behind must not answer.
        command = ["env", f"XDG_CACHE_HOME={folder}/cache", *shlex.split(args.sondage)]
        result = measure(args, judge, command, cache / "peers")
    show(result, args.markdown)
    kept = args.json or HERE / "results" / f"accuracy-{result['made']}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    say(f"kept as {kept}")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=500, metavar="N", help="call sites a receiver shape (500)")
    parser.add_argument("--peer-sample", type=int, default=60, metavar="N", help="the same for the peers (60)")
    parser.add_argument("--thorough", action="store_true", help="every class and call site, many more members")
    parser.add_argument("--peers", type=peer_names, default=list(peers.PEERS), metavar="A,B", help="or none (all)")
    parser.add_argument("--packages", metavar="A,B", help="only these packages of the truth (all)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--lib", type=Path, metavar="DIR", help=f"library folder of CPython {TRUTH_PYTHON} (searched for)"
    )
    parser.add_argument("--sondage", default=shlex.join([sys.executable, "-m", "sondage"]), metavar="COMMAND")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the result is kept (benchmarks/results/)")
    parser.add_argument(
        "--verdicts", type=Path, metavar="FILE", help="keep the verdict on each answer of sondage there"
    )
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args()


def peer_names(text: str) -> list[str]:
    names = [] if text == "none" else text.split(",")
    for name in names:
        if name not in peers.PEERS:
            raise argparse.ArgumentTypeError(f"no such peer: {name} (known: {', '.join(peers.PEERS)})")
    return names


# ------------------------------------------------------------------ what is needed


def cache_folder() -> Path:
    """The folder that the tests keep their wheels in, too."""
    stated = os.environ.get("SONDAGE_TEST_CACHE")
    return Path(stated or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sondage-dev")


def fetch_packages(site: Path) -> None:
    """Fetches the packages unless each lies there in its pinned version already."""
    missing = [pin for pin in get_packages.PINS if not any(site.glob(dist_info(pin)))]
    if missing:
        say(f"fetching {', '.join(missing)}")
        subprocess.run([sys.executable, str(ORACLE / "get_packages.py"), str(site)], check=True, stdout=sys.stderr)


def dist_info(pin: str) -> str:
    """The pattern of the folder in which a wheel keeps its description."""
    name, _, version = pin.partition("==")
    return f"{re.sub('[-_.]+', '_', name)}-{version or '*'}.dist-info"


def library_of_truth() -> Path | None:
    """The standard library of the Python that the truth was taken with, where that Python can be run here."""
    tell = "import platform, sysconfig; print(platform.python_version(), sysconfig.get_path('stdlib'))"
    for python in (sys.executable, shutil.which("python3.12")):
        done = subprocess.run([python or "false", "-c", tell], check=False, capture_output=True, text=True)
        version, _, folder = done.stdout.strip().partition(" ")
        if version == TRUTH_PYTHON:
            return Path(folder)
    say(f"no CPython {TRUTH_PYTHON} here: questions about its standard library are left out (see --lib)")
    return None


# ------------------------------------------------------------------ what is measured


class Judge:
    """`score.py` as it runs by itself: it chooses the questions and judges the answers."""

    def __init__(self, site: Path, lib: Path | None, work: Path) -> None:
        self.site = site
        self.lib = lib
        self._work = work

    def questions(self, args: argparse.Namespace) -> list[Question]:
        """About MRO, members and calls; those about files that are not here are left out."""
        out = self._work / "questions.jsonl"
        # Unless all are asked, subclasses are drawn as well: the same seed then gives the questions of score.py itself.
        sizes = {"call": args.sample}
        if args.thorough:
            sizes = {"call": EVERYTHING, "mro": EVERYTHING, "member": MEMBERS, "sub": 0}
        options = [f"--{name}={size}" for name, size in sizes.items()] + [f"--seed={args.seed}"]
        options += [f"--packages={args.packages}"] if args.packages else []
        self._run("sample", *options, "--out", str(out))
        asked = [question for question in score.load_lines(str(out)) if question["q"] != "sub"]
        return [question for question in asked if self.lib or not question["file"].startswith("stdlib:")]

    def verdicts(self, questions: Iterable[Question], answers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """One line a question, with `verdict` and `answer`; a question without an answer is unresolved."""
        asked, answered, dump = (self._work / f"{name}.jsonl" for name in ("asked", "answered", "verdicts"))
        write_lines(asked, questions)
        write_lines(answered, answers)
        places = ["--root", str(self.site), *(["--lib", str(self.lib)] if self.lib else [])]
        files = ["--questions", str(asked), "--answers", str(answered), "--dump", str(dump)]
        self._run("score", *places, *files, "--missing")
        return list(score.load_lines(str(dump)))

    def _run(self, command: str, *options: str) -> None:
        truth = ["--truth", str(TRUTH), "--calls", str(CALLS)]
        script = [sys.executable, str(ORACLE / "score.py"), command]
        subprocess.run([*script, *truth, *options], check=True, stdout=subprocess.DEVNULL)


def measure(args: argparse.Namespace, judge: Judge, command: Sequence[str], home: Path) -> dict[str, Any]:
    """The result that is kept: the counts of every column, and the proved answers that the truth contradicts."""
    questions = judge.questions(args)
    truth = score.Truth([str(TRUTH)])
    say(f"sondage: {len(questions):,} questions")
    found = product.found_classes(command, judge.site, known_classes(truth, args.packages))
    answers, calls = product.ask(command, {"": judge.site, "stdlib:": judge.lib}, questions)
    verdicts = judge.verdicts(questions, answers)
    if args.verdicts:
        write_lines(args.verdicts, verdicts)
    proved = frozenset(name for name, row in calls.items() if product.is_proved(row))
    whole = measures.count(verdicts, proved) | {"classes": found}
    columns = {"sondage": whole}
    if args.peers:
        same = first_of_each_shape(questions, args.peer_sample)
        ids = {question["id"] for question in same}
        columns["sondage, same sites"] = measures.count([line for line in verdicts if line["id"] in ids], proved)
        for name in args.peers:
            given = ask_peer(name, home, judge.site, same)
            columns[f"{name} {peers.PEERS[name].version}"] = measures.count(judge.verdicts(same, given)) | {
                "seconds": round(sum(answer["t"] for answer in given), 1),
                "troubles": Counter(answer["error"] for answer in given if "error" in answer),
            }
    return {
        "made": datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ"),
        "sondage": product.version(command),
        "commit": commit(),
        "python": platform.python_version(),
        "standard_library": bool(judge.lib),
        "asked": {name: getattr(args, name) for name in ("sample", "peer_sample", "thorough", "packages", "seed")},
        "packages": sorted(info.stem for info in judge.site.glob("*.dist-info")),
        "columns": columns,
        "contradicted": list(contradictions(verdicts, calls, proved)),
    }


def known_classes(truth: score.Truth, packages: str | None) -> Iterator[tuple[str, int]]:
    """Path and line of each class of the truth that some class statement of the packages makes."""
    for package, records in truth.pk.items():
        if not packages or package in packages.split(","):
            for record in filter(score.askable, records):
                if not record["file"].startswith("stdlib:"):
                    yield record["file"], record["line"]


def first_of_each_shape(questions: Iterable[Question], size: int) -> list[Question]:
    """A smaller sample for the peers. The questions come shuffled, so that their beginning is a fair one."""
    chosen: list[Question] = []
    taken: Counter[str] = Counter()
    for question in questions:
        if question["q"] == "call" and not question["file"].startswith("stdlib:") and taken[question["shape"]] < size:
            taken[question["shape"]] += 1
            chosen.append(question)
    return chosen


def ask_peer(name: str, home: Path, site: Path, questions: Sequence[Question]) -> list[dict[str, Any]]:
    def report(done: int) -> None:
        if done % 100 == 0 or done == len(questions):
            say(f"{name}: {done} of {len(questions)}")

    return peers.ask(peers.PEERS[name], home, site, questions, report)


def contradictions(
    verdicts: Iterable[dict[str, Any]], calls: dict[str, dict[str, Any]], proved: frozenset[str]
) -> Iterator[dict[str, Any]]:
    """The proved answers of which none is an observed target, each with what was answered, why, and what ran."""
    wrong = {line["id"]: line for line in verdicts if line["id"] in proved and line["verdict"]["_v"] != "right"}
    for file in sorted(CALLS.glob("*.calls.jsonl.gz")):
        for record in score.load_lines(str(file)):
            name = "call:{}:{}".format(record["file"], ":".join(map(str, record["span"])))
            if name in wrong:
                place = calls[name]["call"]
                yield {
                    "site": f"{place['path']}:{place['line']}:{place['column']}",
                    "call": f"{place['receiver'] or ''}.{place['name']}".lstrip("."),
                    "shape": record["shape"],
                    "verdict": wrong[name]["verdict"]["_v"],
                    "answers": [
                        {"at": f"{one['path']}:{one['line']}", "owner": one["owner"], "why": one["why"]}
                        for one in calls[name]["answers"]
                    ],
                    "ran": sorted(observed(target) for target in record["targets"]),
                }


def observed(target: dict[str, Any]) -> str:
    """What ran, as the truth names it; a class that says another module of itself is known by its `__init__` only."""
    first = [target["file"], target["line"]] if "file" in target else target["init"][0]
    return f"{first[0]}:{first[1]} {target['qualname']}"


def commit() -> str | None:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=HERE, check=False, capture_output=True, text=True
    )
    return done.stdout.strip() or None


# ------------------------------------------------------------------ what is shown


def show(result: dict[str, Any], as_markdown: bool) -> None:
    columns = list(result["columns"].values())
    heads = [f"{name} ({one['all_calls'].get('asked', 0):,} calls)" for name, one in result["columns"].items()]
    table = measures.rows(columns)
    print(measures.markdown(heads, table) if as_markdown else measures.plain(heads, table))
    print(f"\n{result['sondage']} ({result['commit']}), Python {result['python']}, seed {result['asked']['seed']}")
    print(f"\nProved, but contradicted by what ran: {len(result['contradicted'])}")
    for one in result["contradicted"]:
        print(f"- {one['site']}  {one['call']}  ({one['shape']}, {one['verdict']})")
        for answer in one["answers"]:
            print(f"    answered {answer['at']} {answer['owner'] or ''}: {'; '.join(answer['why'])}")
        print(f"    ran      {', '.join(one['ran'])}")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def write_lines(path: Path, values: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(value) + "\n" for value in values)


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except subprocess.CalledProcessError as trouble:  # its own words stand above
        raise SystemExit(f"{shlex.join(trouble.cmd)}: exit {trouble.returncode}") from None
