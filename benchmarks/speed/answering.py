"""Owns the figures about answers: the first one on an empty cache, cold and warm jumps, and opening what is known."""

from __future__ import annotations

import json
import os
import random
import re
import statistics
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import peers
from figures import figure
from inputs import Place, needed, peers_home, sondage
from measuring import PeerMissingError, Row, Sample, in_turn, percentile, ratio, run, seconds
from peers_lsp import Server, ServerError
from session import Session

CLASS = "EAGLEWorker"
CLASS_FILE = "srt/speculative/eagle_worker.py"
JUMP_FILE, JUMP_LINE, JUMP_NAME = "srt/models/deepseek_nextn.py", "super().load_weights(", "load_weights"
JUMP_ANSWER = "srt/models/deepseek_v2.py"
SITES = 1000
PEER_SITES = 100
LIMIT = 60.0
"""Seconds that a server has for one answer."""


@figure("first-answer")
def first_answer(place: Place) -> Iterator[Row]:
    """A whole process on an empty cache that says the order of a class, against the whole run of ctags."""
    ctags = needed("ctags", "universal-ctags")

    def ours() -> Sample:
        sample, said = run(sondage("mro", place.tree, CLASS, "--json"), place.fresh("first"), answer=True)
        _check(json.loads(said)["path"] == CLASS_FILE, "the class was not found where it is")
        return sample

    def peer() -> Sample:
        return run([ctags, "-R", "--languages=Python", "--fields=+i", "-f", place.work / "tags", place.tree])[0]

    taken = in_turn(place.repeat, ours=ours, peer=peer)
    yield ratio(
        "first right answer about a class, empty cache, against universal-ctags, CPU",
        1.0,
        taken["ours"],
        taken["peer"],
        "cpu",
    )


@figure("open-known")
def open_known(place: Place) -> Iterator[Row]:
    """A whole process on a tree that is known and did not change, against one ripgrep over the tree."""
    rg = needed("rg", "ripgrep")
    env = place.fresh("known")
    run(sondage("index", place.tree), env)

    def ours() -> Sample:
        sample, said = run(sondage("mro", place.tree, CLASS, "--json"), env, answer=True)
        _check(json.loads(said)["path"] == CLASS_FILE, "the class was not found where it is")
        return sample

    def peer() -> Sample:
        return run([rg, "-n", f"class {CLASS}", place.tree])[0]

    taken = in_turn(place.repeat, ours=ours, peer=peer)
    what = "open a known unchanged tree, to the first answer, against rg, wall"
    yield ratio(what, 3, taken["ours"], taken["peer"], "wall")
    with Session(place.tree, env) as session:

        def inside() -> Sample:
            answer = session.ask("open", CLASS)
            _check(answer["path"] == CLASS_FILE, "the class was not found where it is")
            return Sample(answer["wall"], answer["cpu"])

        inside()
        taken = in_turn(place.repeat, ours=inside, peer=peer)
    yield ratio(f"{what}, in a process that runs already", 3, taken["ours"], taken["peer"], "wall")


@figure("cold-jump")
def cold_jump(place: Place) -> Iterator[Row]:
    """A whole process without a cache that goes from `super().load_weights` to its definition, against servers from their start."""
    line, column = _site(place.tree)

    def ours() -> Sample:
        target = f"{JUMP_FILE}:{line}:{column}"
        sample, said = run(sondage("jump", place.tree, target, "--json"), place.fresh("cold"), answer=True)
        found = [answer["path"] for answer in json.loads(said)["answers"]]
        _check(found == [JUMP_ANSWER], f"the jump led to {found}")
        return sample

    for name in peers.PEERS:
        try:
            taken = in_turn(place.repeat, ours=ours, peer=partial(_cold, name, place.tree, line, column))
        except (PeerMissingError, ServerError) as trouble:
            yield Row(f"cold jump, against {name}", None, 0, note=f"not measured: {trouble}")
            continue
        what = f"cold jump, no cache, against {name}'s cold definition, wall"
        yield ratio(what, 0.6, taken["ours"], taken["peer"], "wall")


@figure("warm-jump")
def warm_jump(place: Place) -> Iterator[Row]:
    """Calls of a method, drawn at random, each asked once in a session that is at rest; ty is asked some of them twice."""
    sites = _sites(place.tree)
    with Session(place.tree, place.fresh("warm")) as session:
        times = [session.ask("jump", site)["wall"] for site in sites]
    p50, p95, most = statistics.median(times), percentile(times, 0.95), max(times)
    ours = f"p50 {seconds(p50)}, p95 {seconds(p95)}, most {seconds(most)}"
    try:
        warm = _ty_warm(place.tree, sites[:PEER_SITES])
        peer = f"ty p50 {seconds(statistics.median(warm))}, p95 {seconds(percentile(warm, 0.95))}"
    except PeerMissingError as missing:
        warm, peer = [], str(missing)
    what = f"warm jump, p95 over {SITES:,} calls"
    yield Row(what, p95 * 1000, 5, "ms", ours, peer, raw={"ours": times, "ty": warm})
    value = p95 / percentile(warm, 0.95) if warm else None
    yield Row(f"{what}, or else against ty's p95", value, 10, "×", ours, peer)


def _check(holds: bool, trouble: str) -> None:
    if not holds:
        raise RuntimeError(trouble)


def _site(tree: Path) -> tuple[int, int]:
    """Line and column, from 1, of the name in the call that is asked."""
    for number, line in enumerate((tree / JUMP_FILE).read_text().split("\n"), 1):
        if JUMP_LINE in line:
            return number, line.index(JUMP_NAME) + 1
    raise ValueError(f"{JUMP_FILE} has no {JUMP_LINE}")


def _sites(tree: Path) -> list[tuple[str, int, int]]:
    """Method calls, the same ones in every run."""
    found = []
    for path in sorted(tree.rglob("*.py")):
        for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1):
            if line.lstrip().startswith("#") or not line.isascii():
                continue
            found += [
                (str(path.relative_to(tree)), number, call.start(1) + 1) for call in re.finditer(r"\w\.(\w+)\(", line)
            ]
    return random.Random(7).sample(found, SITES)


# ------------------------------------------------------------------ peers


class _Measured(Server):
    """A server that says what it has used."""

    def cpu(self) -> float:
        """Seconds since it was started, in steps of ten milliseconds."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100


def _start(name: str, tree: Path) -> _Measured:
    """Its workspace is the folder above the package, which is where imports start from."""
    peer, home = peers.PEERS[name], peers_home()
    command = [part.format(cache=home) for part in peer.command]
    program = home / "bin" / command[0]
    if not list(home.glob(f"lib/python*/site-packages/{name}-{peer.version}.dist-info")):
        raise PeerMissingError(f"{name} {peer.version} is not installed (make accuracy puts it there)")
    path = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "VIRTUAL_ENV": str(home)}
    return _Measured([str(program), *command[1:]], tree.parent, environment, peer.settings)


def _shown(server: _Measured, tree: Path, site: tuple[str, int, int]) -> tuple[str, int, str]:
    """The question about a call, put as the server wants it, with the file opened."""
    path, line, column = site
    source = (tree / path).read_text()
    name = f"{tree.name}/{path}"
    server.open(name, source)
    return name, line, source.split("\n")[line - 1][: column - 1]


def _cold(name: str, tree: Path, line: int, column: int) -> Sample:
    started = time.perf_counter()
    server = _start(name, tree)
    try:
        server.greet(LIMIT)
        found = server.definition(*_shown(server, tree, (JUMP_FILE, line, column)), LIMIT)
        sample = Sample(time.perf_counter() - started, server.cpu())
        if [place["file"] for place in found] != [str(tree / JUMP_ANSWER)]:
            raise ServerError(f"{name} was led to {[place['file'] for place in found]}")
        return sample
    finally:
        server.close()


def _ty_warm(tree: Path, sites: list[tuple[str, int, int]]) -> list[float]:
    """The seconds of each answer when it is asked for the second time."""
    server = _start("ty", tree)
    times: list[float] = []
    try:
        server.greet(LIMIT)
        for site in sites:
            path = _shown(server, tree, site)
            server.definition(*path, LIMIT)
            started = time.perf_counter()
            server.definition(*path, LIMIT)
            times.append(time.perf_counter() - started)
            server.forget(path[0])
    finally:
        server.close()
    return times
