"""Where files are parsed: processes, threads and a real dask cluster say the same of them, byte for byte."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from importlib.util import find_spec

import pytest

from sondage.dig import cluster
from sondage.dig.executor import open_executor
from sondage.errors import ConnectError, UsageError
from sondage.worker import encoded_facts
from support.dask_cluster import running_cluster

SOURCES = [
    b"class A(B):\n    def m(self):\n        self.x = 1\n",
    "# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n".encode("latin-1"),
    b"class Half(:\n    def n(self): pass\n\xff\n",
    b"",
]

pytestmark = pytest.mark.xdist_group("dask")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    if find_spec("distributed") is None:
        pytest.skip("dask's distributed is not installed (pip install 'sondage[dask]')")
    with running_cluster() as address:
        yield address


def results(executor: Executor) -> list[bytes]:
    """Each source as work of its own, so that several workers have something to do."""
    with executor:
        done = [executor.submit(encoded_facts, [source]) for source in SOURCES]
        return [one.result(timeout=120)[0] for one in done]


def failure(executor: Executor) -> BaseException | None:
    with executor:
        return executor.submit(encoded_facts, SOURCES).exception(timeout=120)


def test_every_engine_on_this_machine_says_the_same_of_a_file() -> None:
    here = encoded_facts(SOURCES)
    assert results(open_executor("threads", 2)) == here
    assert results(open_executor("processes", 2)) == here


def test_two_workers_of_a_dask_cluster_say_what_this_machine_says(scheduler: str) -> None:
    assert results(open_executor(f"dask={scheduler}", None)) == encoded_facts(SOURCES)


def test_cluster_is_left_without_waiting_for_it(scheduler: str) -> None:
    executor = open_executor(f"dask={scheduler}", None)
    assert executor.submit(encoded_facts, SOURCES).result(timeout=120) == encoded_facts(SOURCES)
    executor.shutdown(wait=False, cancel_futures=True)
    leaving = [thread for thread in threading.enumerate() if thread.name == "sondage-dask-leave"]
    for thread in leaving:
        thread.join(timeout=60)
        assert not thread.is_alive()


def test_facts_of_workers_that_read_otherwise_are_refused(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "way_of_reading", lambda: "facts 0, tree-sitter 0")
    trouble = failure(open_executor(f"dask={scheduler}", None))
    assert isinstance(trouble, UsageError)
    assert "the dask workers read otherwise (facts " in str(trouble)


def test_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask's distributed is not installed")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        trouble = failure(open_executor(f"dask=tcp://127.0.0.1:{taken.getsockname()[1]}", None))
    assert isinstance(trouble, ConnectError)
    assert trouble.what == "no dask scheduler answers"


def test_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    trouble = failure(open_executor("dask=tcp://box:8786", None))
    assert isinstance(trouble, UsageError)
    assert str(trouble) == "dask is not installed: dask=tcp://box:8786 (pip install 'sondage[dask]')"


@pytest.mark.parametrize("engine", ["ray", "dask", "dask="])
def test_engine_that_is_none_is_refused(engine: str) -> None:
    with pytest.raises(UsageError, match="processes, threads or dask=ADDRESS"):
        open_executor(engine, None)


def test_dask_is_loaded_by_nobody_who_does_not_ask_for_it() -> None:
    import subprocess

    loaded = "import sys, sondage.dig.executor; print('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=True, capture_output=True).stdout == b"False\n"
