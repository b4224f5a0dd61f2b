"""Owns the figures about size: ten releases, copies with content of their own, sixty thousand files, and memory."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from figures import figure
from inputs import Place, copies, releases, sondage
from measuring import Row, Sample, described, run, seconds

MEGA = 1_000_000
COPIES = (1, 2, 4, 8)
SMALL_TREE, LARGE_TREE = 15_000, 60_000
CLASS = "EAGLEWorker"


@figure("memory")
def memory(place: Place) -> Iterator[Row]:
    """The peak of a process that reads the whole tree anew, workers apart, and of one that has it open and answered."""
    size = sum(path.stat().st_size for path in place.sources())
    peaks = [_indexed(place.tree, place, f"memory-{number}")[0] for number in range(place.repeat)]
    peak = statistics.median(sample.peak for sample in peaks)
    empty = run(sondage("index", _empty(place), "--json"), place.fresh("memory-empty"))[0].peak
    ours = f"{peak / MEGA:,.0f} MB at the most, {empty / MEGA:,.0f} MB for an empty file"
    yield Row(
        "memory to read SGLang, for each MB of source",
        (peak - empty) / size,
        10,
        "MB",
        ours,
        raw=[p.peak for p in peaks],
    )


@figure("releases", slow=True)
def ten_releases(place: Place) -> Iterator[Row]:
    """What is parsed when ten releases are indexed one after the other into one cache, against the first alone."""
    env = place.fresh("releases")
    parsed: list[int] = []
    cpu: list[float] = []
    folders = releases()
    for folder in folders:
        new, size = _contents(folder, place.work)
        sample, said = run(sondage("index", folder, "--json"), env, answer=True)
        if (files := json.loads(said)["parsed"]) != new:
            raise RuntimeError(f"{files} files of {folder.name} were parsed, {new} have a content that is new")
        parsed.append(size)
        cpu.append(sample.cpu)
    ours = f"{sum(parsed) / MEGA:,.1f} MB parsed of {len(folders)} releases, {seconds(sum(cpu))} CPU in all"
    peer = f"{parsed[0] / MEGA:,.1f} MB for the first, {seconds(cpu[0])} CPU"
    what = f"parsing {len(folders)} releases of SGLang, against one, bytes parsed"
    yield Row(what, sum(parsed) / parsed[0], 3.5, "×", ours, peer, raw={"bytes": parsed, "cpu": cpu})
    yield Row(what.replace("bytes parsed", "CPU of all work"), sum(cpu) / cpu[0], 3.5, "×", ours, peer)


@figure("growth", slow=True)
def growth(place: Place) -> Iterator[Row]:
    """Copies with content of their own: the CPU of a first index and its peak, a copy, against those of one."""
    work: dict[int, float] = {}
    peak: dict[int, float] = {}
    for count in COPIES:
        with copies(place.tree, place.work, count) as folder:
            samples = [_indexed(folder, place, "growth")[0] for _ in range(max(1, place.repeat // 2))]
        work[count] = statistics.median(sample.cpu for sample in samples)
        peak[count] = statistics.median(sample.peak for sample in samples)
    for what, taken in (("CPU", work), ("memory", peak)):
        slopes = [(taken[more] - taken[less]) / (more - less) for less, more in pairwise(COPIES)]
        shown = ", ".join(f"{count}: {_amount(what, taken[count])}" for count in COPIES)
        named = f"growth over 1, 2, 4, 8 copies, {what}: the steepest step against the first"
        yield Row(named, max(slopes) / slopes[0], 1.1, "×", shown)


@figure("large-tree", slow=True)
def large_tree(place: Place) -> Iterator[Row]:
    """A tree of sixty thousand files and one of fifteen thousand, made of copies: read, then opened and asked one question."""
    reading: dict[int, Sample] = {}
    asking: dict[int, Sample] = {}
    for files in (SMALL_TREE, LARGE_TREE):
        with copies(place.tree, place.work, -(-files // len(place.sources()))) as folder:
            for path in sorted(folder.rglob("*.py"))[files:]:
                path.unlink()
            reading[files], count = _indexed(folder, place, "large")
            question = sondage("symbols", folder, CLASS, "--json", "--refresh", "never")
            asking[files], said = run(question, place.home("large"), answer=True)
            if count != files or not json.loads(said):
                raise RuntimeError(f"{count} files were read of {files}; the answer was {said[:200]!r}")
    for what, taken in (("read", reading), ("open and answer", asking)):
        ours, peer = (
            f"{one.peak / MEGA:,.0f} MB, {described([one])}" for one in (taken[LARGE_TREE], taken[SMALL_TREE])
        )
        value = taken[LARGE_TREE].peak / taken[SMALL_TREE].peak
        yield Row(f"memory to {what} {LARGE_TREE:,} files, against {SMALL_TREE:,}", value, 4, "×", ours, peer)


def _indexed(tree: Path, place: Place, name: str) -> tuple[Sample, int]:
    """A first index by one process without workers, so that its peak is all there is; and the files it read."""
    sample, said = run(
        sondage("index", tree, "--json", "--engine", "threads", "--jobs", "1"), place.fresh(name), answer=True
    )
    return sample, int(json.loads(said)["files"])


def _contents(folder: Path, work: Path) -> tuple[int, int]:
    """The files with a content that none of the folders before had, and their bytes; remembered in `work`."""
    ledger = work / "contents.json"
    known = set(json.loads(ledger.read_text())) if ledger.exists() else set()
    contents = [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    digests = [hashlib.sha256(data).hexdigest() for data in contents]
    new = [len(data) for data, digest in zip(contents, digests, strict=True) if digest not in known]
    ledger.write_text(json.dumps(sorted(known.union(digests))))
    return len(new), sum(new)


def _empty(place: Place) -> Path:
    folder = place.work / "empty"
    folder.mkdir(exist_ok=True)
    (folder / "nothing.py").write_text("")
    return folder


def _amount(what: str, value: float) -> str:
    return seconds(value) if what == "CPU" else f"{value / MEGA:,.0f} MB"
