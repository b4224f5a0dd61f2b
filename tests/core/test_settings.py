"""What project files say about where packages lie."""

from __future__ import annotations

import pytest

from sondage.core.classes.settings import Mapped, mapped_folders


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pyproject.toml", '[tool.setuptools.package-dir]\n"" = "lib"\n', [Mapped("lib", "")]),
        (
            "pyproject.toml",
            '[tool.setuptools.packages.find]\nwhere = ["src", "more"]\n',
            [Mapped("src", ""), Mapped("more", "")],
        ),
        ("pyproject.toml", '[[tool.poetry.packages]]\ninclude = "x"\nfrom = "code"\n', [Mapped("code", "")]),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["src/x"]\n', [Mapped("src", "")]),
        ("pyproject.toml", '[tool.maturin]\npython-source = "python"\n', [Mapped("python", "")]),
        (
            "setup.cfg",
            "[options]\npackage_dir =\n    =src\n    my.pkg = other\n",
            [Mapped("src", ""), Mapped("other", "my.pkg")],
        ),
        ("setup.cfg", "[options.packages.find]\nwhere = src\n", [Mapped("src", "")]),
        ("setup.py", 'setup(package_dir={"": "src", "x": "y/z"})', [Mapped("src", ""), Mapped("y/z", "x")]),
        ("setup.py", 'setup(packages=find_packages("src"))', [Mapped("src", "")]),
        ("deep/er/setup.py", 'setup(package_dir={"": "src"})', [Mapped("deep/er/src", "")]),
    ],
)
def test_folders_are_read(name: str, text: str, expected: list[Mapped]) -> None:
    assert mapped_folders({name: text}) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "this is = no [toml"),
        ("pyproject.toml", '[tool]\nsetuptools = "x"\npoetry = 3\n'),
        ("setup.cfg", "no section\n"),
        ("setup.py", "setup(package_dir=computed())"),
        ("setup.py", 'setup(package_dir={"": "../outside"})'),
        ("other.txt", 'package_dir={"": "src"}'),
    ],
)
def test_what_cannot_be_read_says_nothing(name: str, text: str) -> None:
    assert mapped_folders({name: text}) == []
