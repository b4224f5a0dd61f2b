"""Owns the door: `python -m sondage` and the `sondage` script come in here."""

from __future__ import annotations

import gc
import sys

YOUNG = 100_000
"""Objects that are made before the collector looks for garbage among them, instead of Python's 700. A command keeps most of
what it makes and ends soon; looking through modules and facts while they come in takes a tenth of its time."""


def main() -> None:
    gc.set_threshold(YOUNG)
    from sondage.cli.door import enter  # noqa: PLC0415  what is imported is what the collector would look through

    code = enter(sys.argv[1:])
    gc.freeze()  # the process ends: nobody needs the garbage to be found once more
    sys.exit(code)


if __name__ == "__main__":
    main()
