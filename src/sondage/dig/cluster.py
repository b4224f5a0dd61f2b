"""Owns parsing by a dask cluster, as one more `concurrent.futures.Executor`: sources go out and facts come back as bytes.

The scheduler is trusted as this machine is: dask's messages may hold code. Workers need the same sondage installed, and
each reply says how it was read: facts of another version are refused, never mixed in.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import Any

from sondage.errors import ConnectError, HostError, SondageError, UsageError
from sondage.worker import encoded_facts, signed_facts, way_of_reading

CONNECT_SECONDS = 10
"""Longest wait for the scheduler."""


class ClusterExecutor(Executor):
    """Nothing is imported or connected before the first submission; the threads only wait for replies.

    Results raise `UsageError` where dask is missing or the workers read otherwise, `ConnectError` where nobody answers,
    `HostError` where the work failed.
    """

    def __init__(self, address: str, waiting: int) -> None:
        """`waiting` is the number of batches that are out at a time."""
        self._address = address
        self._threads = ThreadPoolExecutor(waiting, thread_name_prefix="sondage-dask")
        self._connecting = threading.Lock()
        self._client: Any = None
        self._trouble: SondageError | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Only for `sondage.worker.encoded_facts`: every other work belongs to this machine."""
        assert fn is encoded_facts
        assert not kwargs
        return self._threads.submit(self._parse, *args)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Without `wait` the leave is taken in a thread of its own: a scheduler that hangs holds nobody up."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        leaving = threading.Thread(target=self._leave, name="sondage-dask-leave")
        leaving.start()
        if wait:
            leaving.join()

    def _leave(self) -> None:
        with self._connecting:
            if self._client is not None:
                with suppress(OSError, TimeoutError):
                    self._client.close(timeout=CONNECT_SECONDS)

    def _parse(self, sources: list[bytes]) -> list[bytes]:
        client = self._connected()
        try:
            way, facts = client.get_executor(pure=False).submit(signed_facts, sources).result()
        except Exception as error:
            # Whatever a worker raised, or dask itself: there is no common ancestor.
            raise HostError("parsing failed at the dask cluster", self._address, _in_a_line(error)) from error
        if way != way_of_reading():
            raise UsageError(f"the dask workers read otherwise ({way})", self._address, f"here: {way_of_reading()}")
        return list(facts)

    def _connected(self) -> Any:
        """The client. Who could not connect once does not try again for each batch that waits."""
        with self._connecting:
            try:
                if self._trouble is None:
                    self._client = self._client or _connect(self._address)
            except SondageError as error:
                self._trouble = error
            if self._trouble is not None:
                raise self._trouble
            return self._client


def _connect(address: str) -> Any:
    """A `distributed.Client`. It is an extra, half a second of imports, and without types."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise UsageError("dask is not installed", f"dask={address}", "pip install 'sondage[dask]'") from None
    logging.getLogger("distributed").handlers.clear()  # it writes to stderr, which may be under a screen of ours
    try:
        return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="sondage")
    except (OSError, ValueError) as error:
        raise ConnectError("no dask scheduler answers", address, _in_a_line(error)) from error


def _in_a_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]
