"""Owns the door: `python -m sondage` and the `sondage` script come in here."""

from __future__ import annotations

import sys

from sondage.cli.main import run


def main() -> None:
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
