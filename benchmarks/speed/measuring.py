"""Owns how things are timed: one process at a time, ours and the peer's in turn, wall clock beside CPU, and the noise."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

CALIBRATION = 400_000
"""Rounds of the fixed loop: some 30 ms on a machine of 2020."""

By = Literal["wall", "cpu"]


class PeerMissingError(Exception):
    """The tool that a figure is measured against is not installed; the text says which, and how to get it."""


@dataclass(frozen=True)
class Sample:
    """Seconds, and the peak of resident memory in bytes (0 where it was not asked for)."""

    wall: float
    cpu: float
    peak: int = 0


@dataclass(frozen=True)
class Row:
    """One line of the table. `value` is None where it could not be measured; `note` says why, or what it was."""

    what: str
    value: float | None
    goal: float
    unit: str = "×"
    ours: str = ""
    peer: str = ""
    note: str = ""
    raw: Any = None

    @property
    def met(self) -> bool | None:
        return None if self.value is None else self.value <= self.goal

    def document(self) -> dict[str, Any]:
        return asdict(self) | {"met": self.met}


def run(
    command: Sequence[str | os.PathLike[str]],
    env: Mapping[str, str] | None = None,
    answer: bool = False,
    allowed: Sequence[int] = (0,),
) -> tuple[Sample, bytes]:
    """One process, with what its children took. Its output is only kept as `answer`.

    Raises RuntimeError where it ends otherwise than `allowed`.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as trouble:
        started = time.perf_counter()
        process = subprocess.Popen(
            list(map(os.fspath, command)),
            env=dict(env) if env is not None else None,
            stdin=subprocess.DEVNULL,
            stdout=out if answer else subprocess.DEVNULL,
            stderr=trouble,
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        trouble.seek(0)
        if process.returncode not in allowed:
            raise RuntimeError(
                f"{command[0]} ended with {process.returncode}: {trouble.read(400).decode('utf-8', 'replace')}"
            )
        out.seek(0)
        return Sample(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024), out.read()


def in_turn(repeat: int, **candidates: Callable[[], Sample]) -> dict[str, list[Sample]]:
    """Each candidate once unmeasured, then all of them in turn, `repeat` times: what else the machine does meets all alike."""
    for candidate in candidates.values():
        candidate()
    taken: dict[str, list[Sample]] = {name: [] for name in candidates}
    for _ in range(repeat):
        for name, candidate in candidates.items():
            taken[name].append(candidate())
    return taken


def median(samples: Sequence[Sample], by: By) -> float:
    return statistics.median(getattr(sample, by) for sample in samples)


def ratio(what: str, goal: float, ours: Sequence[Sample], peer: Sequence[Sample], by: By, note: str = "") -> Row:
    """The median of ours over the peer's, pair by pair as they ran: what slows one of a pair down slows both."""
    pairs = zip(ours, peer, strict=True)
    value = statistics.median(getattr(one, by) / max(getattr(other, by), 1e-9) for one, other in pairs)
    raw = {"by": by, "ours": list(map(asdict, ours)), "peer": list(map(asdict, peer))}
    return Row(what, value, goal, "×", described(ours), described(peer), note, raw)


def described(samples: Sequence[Sample]) -> str:
    return f"{seconds(median(samples, 'wall'))} wall, {seconds(median(samples, 'cpu'))} CPU"


def seconds(value: float) -> str:
    return f"{value * 1000:.3g} ms" if value < 1 else f"{value:.3g} s"


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least that share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, int(share * len(ordered) + 0.999999) - 1))]


def calibrate() -> Sample:
    """A fixed loop: how its time varies over a run is the noise that every other number has in it."""
    wall, cpu = time.perf_counter(), time.process_time()
    total = 0
    for number in range(CALIBRATION):
        total += number & 7
    return Sample(time.perf_counter() - wall, time.process_time() - cpu)


def spread(samples: Sequence[Sample]) -> Iterator[str]:
    """The noise in words: least, median and most of the fixed loop."""
    for by in ("wall", "cpu"):
        values = sorted(getattr(sample, by) for sample in samples)
        middle = statistics.median(values)
        yield f"{by} {seconds(values[0])} – {seconds(middle)} – {seconds(values[-1])} ({values[-1] / values[0]:.2f} ×)"
