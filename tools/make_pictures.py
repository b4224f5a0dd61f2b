"""Makes the README's pictures: copies of those that the tests of looks have taken, so that none shows what is no more.

Take the pictures first (`make snapshots`) and look at them.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "pictures"
SNAPSHOTS = ROOT / "snapshots" / "tui" / "test_looks"
PICTURES = {
    "panes.svg": "test_panes[contract-140x40-dark].svg",
    "panes-light.svg": "test_panes[contract-140x40-light].svg",
    "small.svg": "test_panes[classes-80x24-dark].svg",
    "welcome.svg": "test_first_screens[welcome][welcome-80x24-dark].svg",
    "reading.svg": "test_first_screens[connecting][connecting-80x24-dark].svg",
    "matrix.svg": "test_contract_that_was_derived[matrix][matrix-140x40-dark].svg",
    "drift.svg": "test_contract_that_was_derived[drift][drift-140x40-dark].svg",
}
"""Each picture with the snapshot that it is."""


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.svg"):
        old.unlink()
    for name, snapshot in PICTURES.items():
        (FOLDER / name).write_bytes((SNAPSHOTS / snapshot).read_bytes())


if __name__ == "__main__":
    main()
