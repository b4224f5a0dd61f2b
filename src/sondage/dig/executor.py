"""Owns where files are parsed: processes or threads, behind the one seam `concurrent.futures.Executor`."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

from sondage.dig.cluster import ClusterExecutor
from sondage.errors import UsageError
from sondage.worker import start_worker

MAX_JOBS = 8
"""More parse processes than this wait for the pull, not for a core."""
BATCHES_OUT = 64
"""Batches at a dask cluster at a time, where the user names no number: how many cores it has is not known here."""


def open_executor(engine: str, jobs: int | None) -> Executor:
    """An executor for `sondage.worker.encoded_facts`: `processes`, `threads`, or `dask=ADDRESS` of a scheduler.

    Nothing is started or connected yet. The caller shuts it down. Raises `UsageError` for an unknown engine.
    """
    workers = jobs or min(os.cpu_count() or 1, MAX_JOBS)
    if workers < 1:
        raise UsageError("the number of jobs must be at least 1", str(jobs))
    if engine == "threads":
        return ThreadPoolExecutor(workers, thread_name_prefix="sondage-parse")
    if engine == "processes":
        # Spawned, not forked: a fork would copy the threads' locks of an app that is running, and costs the same here.
        return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=start_worker)
    kind, _, address = engine.partition("=")
    if kind == "dask" and address:
        return ClusterExecutor(address, jobs or BATCHES_OUT)
    raise UsageError("unknown engine", engine, "processes, threads or dask=ADDRESS")
