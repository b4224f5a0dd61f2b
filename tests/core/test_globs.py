"""Which paths a glob names."""

from __future__ import annotations

import pytest

from sondage.core.search.globs import Globs
from sondage.errors import UsageError


@pytest.mark.parametrize(
    ("glob", "path", "named"),
    [
        ("**/kimi_k25.py", "sglang/srt/models/kimi_k25.py", True),
        ("**/kimi_k25.py", "kimi_k25.py", True),
        ("**/kimi_k25.py", "sglang/not_kimi_k25.py", False),
        ("sglang/**", "sglang/a/b.py", True),
        ("sglang/**", "other/sglang/b.py", False),
        ("sglang/**/models/*.py", "sglang/models/x.py", True),
        ("sglang/**/models/*.py", "sglang/srt/lang/models/x.py", True),
        ("sglang/*/x.py", "sglang/a/b/x.py", False),
        ("*.py", "deep/down/x.py", True),
        ("x.py", "deep/x.py", True),
        ("./pkg/x.py", "pkg/x.py", True),
        ("pkg/x.py", "deep/pkg/x.py", False),
        ("pkg/?.py", "pkg/a.py", True),
        ("pkg/?.py", "pkg/ab.py", False),
        ("pkg/?.py", "pkg//.py", False),
        ("pkg/[ab].py", "pkg/b.py", True),
        ("pkg/[!ab].py", "pkg/b.py", False),
        ("pkg/[!ab].py", "pkg/c.py", True),
        ("pkg/[]a].py", "pkg/].py", True),
        ("pkg/[0-9].py", "pkg/5.py", True),
        ("pkg/{a,b*}.py", "pkg/bc.py", True),
        ("pkg/{a,b*}.py", "pkg/c.py", False),
        ("a,b.py", "a,b.py", True),
        ("pkg/\\*.py", "pkg/*.py", True),
        ("pkg/\\*.py", "pkg/a.py", False),
        ("pkg/a.py", "pkg/axpy", False),
        ("*é.py", "pkg/日é.py", True),
        ("**", "any/thing", True),
        ("*.py", "odd\udcff.py", True),
        ("*", "line\nend", True),
    ],
)
def test_glob_names_whole_paths(glob: str, path: str, named: bool) -> None:
    assert Globs([glob]).match(path) is named


@pytest.mark.parametrize(
    "glob", ["", "pkg/[a.py", "a**b", "**a/x", "{a,b", "a}", "/abs/x.py", "../x.py", "end\\", "[z-a]", "[a/b]"]
)
def test_invalid_glob_is_an_error_and_not_silently_nothing(glob: str) -> None:
    with pytest.raises(UsageError, match="invalid glob"):
        Globs([glob])


def test_one_of_several_globs_is_enough() -> None:
    assert Globs(["a.py", "b.py"]).match("b.py")


def test_without_globs_every_path_passes_and_none_is_excluded() -> None:
    assert Globs().match("x.py")
    assert not Globs().match_any("x.py")
    assert not Globs()
