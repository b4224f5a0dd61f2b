"""Owns what is timed: rsync over ssh, and sondage's own host, on the same files through the same wire."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from sondage.hosts.base import Listing, ListRequest, SshOptions
from sondage.hosts.open import open_host
from sondage.hosts.ssh import SshHost
from sondage.hosts.target import parse_target

PATTERNS = ("*.py",)


class Rsync:
    """`rsync -az` of the Python files. The client is OpenSSH's with the same configuration."""

    def __init__(self, config: Path, target: str, destination: Path) -> None:
        filters = ["--include=*/", *(f"--include={pattern}" for pattern in PATTERNS), "--exclude=*"]
        self._command = ["rsync", "-az", *filters, "-e", f"ssh -F {config} -o BatchMode=yes", f"{target}/", destination]
        self._destination = destination

    def run(self) -> float:
        """Seconds. Cold as long as the destination is empty."""
        started = time.perf_counter()
        subprocess.run(self._command, check=True, stderr=subprocess.DEVNULL)
        return time.perf_counter() - started

    def count(self) -> int:
        return sum(1 for _ in self._destination.rglob("*.py"))


class Sondage:
    """The host as the app opens it; what was pulled stays in memory, nothing is parsed meanwhile."""

    def __init__(self, config: Path, target: str) -> None:
        self._options = SshOptions(config_file=str(config), no_input=True)
        self._target = parse_target(target)
        self._request = ListRequest(self._target.path.encode(), tuple(pattern.encode() for pattern in PATTERNS))
        self.files = 0

    def cold(self) -> float:
        """Seconds to connect, list, and have every file, settled."""
        return asyncio.run(self._cold())

    def refreshes(self) -> tuple[float, float]:
        """Seconds to see that nothing has changed: with the connecting, and again on the connection that is open."""
        return asyncio.run(self._refreshes())

    async def _cold(self) -> float:
        started = time.perf_counter()
        host = await self._open()
        listing = await host.list(self._request)
        pulled = await _pull(host, listing)
        taken = time.perf_counter() - started
        await host.aclose()
        self.files = len(pulled)
        if any(data is None for data in pulled):
            raise RuntimeError("a file could not be read")
        return taken

    async def _refreshes(self) -> tuple[float, float]:
        started = time.perf_counter()
        host = await self._open()
        known = await host.list(self._request)
        listed = time.perf_counter()
        again = await host.list(self._request)
        ended = time.perf_counter()
        await host.aclose()
        if known.files != again.files:
            raise RuntimeError("the tree changes while it is measured")
        return listed - started, ended - listed

    async def _open(self) -> SshHost:
        host = await open_host(self._target, self._options)
        assert isinstance(host, SshHost)
        return host


async def _pull(host: SshHost, listing: Listing) -> Sequence[bytes | None]:
    return [one.data async for batch in host.fetch(listing.root, listing.files) for one in batch]
