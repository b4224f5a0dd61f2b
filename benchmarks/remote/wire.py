"""Runs a long wire (`tests/support/long_wire.py`) in a process of its own: prints its port, ends with its input.

python wire.py SERVER_PORT DELAY_SECONDS BYTES_A_SECOND     (0: no limit)
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from support.long_wire import LongWire


def main() -> None:
    port, delay, rate = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    with LongWire(port, delay=delay, rate=rate or None) as wire:
        print(wire.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
