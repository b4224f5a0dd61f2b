"""Owns what runs in a parse process: sources in, encoded facts out. It imports the core and nothing that waits or shows."""

from __future__ import annotations

import gc
import signal
from collections.abc import Sequence
from functools import lru_cache

from sondage.core.source.extract import extract
from sondage.core.source.facts import FACTS_VERSION, encode


def start_worker() -> None:
    """Once per process. Facts hold no circles, so the collector only costs; Ctrl-C is the parent's to answer."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def encoded_facts(sources: Sequence[bytes]) -> list[bytes]:
    """The facts of each source, in order, as bytes: they cross the process border without being taken apart again."""
    return [encode(extract(source)) for source in sources]


def signed_facts(sources: Sequence[bytes]) -> tuple[str, list[bytes]]:
    """The same from a machine that may have another sondage: with the way in which it reads."""
    return way_of_reading(), encoded_facts(sources)


@lru_cache(maxsize=1)
def way_of_reading() -> str:
    """What the facts depend on besides the sources: two machines with the same say the same of every file."""
    from importlib.metadata import version  # noqa: PLC0415  only work for other machines is signed

    grammar = ", ".join(f"{name} {version(name)}" for name in ("tree-sitter", "tree-sitter-python"))
    return f"facts {FACTS_VERSION}, {grammar}"
