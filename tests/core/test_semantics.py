"""The cases of `data/semantics.jsonl`: small programs from bug reports against other tools, with what CPython does with them."""

from __future__ import annotations

import base64
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from semantics_calls import check_call
from trees import with_standard_library

from sondage.core.answers.certainty import Candidates
from sondage.core.classes.codebase import Codebase
from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.modules import infer_layout
from sondage.core.classes.refs import ClassRef
from sondage.core.contracts import contract
from sondage.core.source.extract import extract
from sondage.core.source.text import SourceText

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "semantics.jsonl").read_text().splitlines()]
STANDARD = ("AbstractContextManager", "abc.ABC", "enum.Enum")
"""What shows that an expected MRO is meant with the standard library read."""
VERDICTS = {
    "own": {"own"},
    "inherited": {"inherited"},
    "unknowable": {"unknown"},
    "absent": {"absent"},
    "dynamic": {"dynamic"},
    "delegate": {"forwarded"},
    "generated": {"own", "inherited"},
    "set": {"own"},
}


class Tree:
    """The files of a case, read as an index of them is."""

    def __init__(self, case: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.data = {path: text.encode() for path, text in case["files"].items()}
        self.data |= {path: base64.b64decode(text) for path, text in case.get("files_b64", {}).items()}
        if prepare := case["ask"].get("prepare"):
            self.data |= _prepared(prepare, self.data[prepare], folder, monkeypatch)
        self.links = case.get("symlinks", {})
        self._follow_links()
        self.facts = {path: extract(data) for path, data in self.data.items() if path.endswith(".py")}
        settings = {path: data.decode() for path, data in self.data.items() if path.endswith(("toml", "cfg"))}
        layout = infer_layout(list(self.facts), self.facts, settings, case["ask"].get("roots", ()))
        self.hierarchy = Hierarchy.build(self.facts, layout)

    def _follow_links(self) -> None:
        """As the listing does: what a link inside the tree leads to is read once, below the link."""
        for link, target in self.links.items():
            real = target.removeprefix("../")
            for path in [path for path in self.data if path.startswith(f"{real}/")]:
                self.data[link + path.removeprefix(real)] = self.data.pop(path)

    def class_(self, name: str) -> ClassRef:
        found = self.hierarchy.find_class(name)
        assert not isinstance(found, Candidates), found
        return found

    def codebase(self) -> Codebase:
        def with_word(word: str) -> list[str]:
            return [path for path in self.facts if re.search(rb"\b%s\b" % word.encode(), self.data[path])]

        def text_of(path: str) -> SourceText | None:
            return SourceText(self.data[path]) if path in self.data else None

        return Codebase(self.hierarchy, text_of, with_word)


def _prepared(name: str, script: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    (folder / name).write_bytes(script)
    with monkeypatch.context() as inside:
        inside.chdir(folder)
        runpy.run_path(name)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != name}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case_is_answered_as_python_does(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(case, tmp_path, monkeypatch)
    right = case["right_answer"]
    for key, check in CHECKS.items():
        if key in right:
            check(tree, right[key], case)
    for key in right:
        if key.startswith("mro") and isinstance(right[key], list):
            check_mro(tree, right[key])
    if case["ask"]["op"] == "resolve_call":
        check_call(_below_links(case, tree), tree.codebase())


def _below_links(case: dict[str, Any], tree: Tree) -> dict[str, Any]:
    """The case with the paths of its targets as they are found below the links."""
    text = json.dumps(case)
    for link, target in tree.links.items():
        text = text.replace(f'"{target.removeprefix("../")}/', f'"{link}/')
    return json.loads(text)


def check_mro(tree: Tree, expected: list[str]) -> None:
    wanted = [_class_name(name) for name in expected if not name.startswith("...")]
    hierarchy = tree.hierarchy
    if any(name.endswith(STANDARD) for name in wanted):
        hierarchy = with_standard_library(hierarchy, wanted[0])
    found = hierarchy.linear(tree.class_(wanted[0]))
    assert [_last(one.name) for one in found.order] == [_last(name) for name in wanted]
    assert [one.name for one in found.order if one.path and one.scope >= 0] == [
        name for name, one in zip(wanted, found.order, strict=True) if one.path and one.scope >= 0
    ]
    assert found.complete == ("object" in wanted)


def _class_name(expected: str) -> str:
    """`collections.namedtuple:Point (generated)` and `x.Y (external)` as plain names."""
    return expected.partition(" (")[0].rpartition(":")[2].removeprefix("builtins.")


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def check_error(tree: Tree, expected: str, case: dict[str, Any]) -> None:
    answer = tree.hierarchy.mro(tree.class_(case["ask"]["class"]))
    assert answer.error is not None and answer.mro == ()
    assert "consistent method resolution order" in answer.error and "Parent" in answer.error
    assert list(answer.bases) == case["right_answer"]["bases"]


def check_alternatives(tree: Tree, expected: list[list[str]], case: dict[str, Any]) -> None:
    name = case["ask"].get("class") or "compat.Job"
    answer = tree.hierarchy.mro(tree.class_(name))
    assert not answer.complete
    assert any("instead" in reason for reason in answer.why_incomplete), answer
    assert answer.mro[1] == expected[1][0].partition(" (")[0]
    assert not set(case["right_answer"].get("not", ())) & set(answer.mro)


def check_contract(tree: Tree, expected: dict[str, str], case: dict[str, Any]) -> None:
    name = case["ask"].get("class") or {"dataclass": "dc.Item", "delegation.getattr": "dele.Car"}[case["kind"]]
    verdicts = contract.locate(tree.codebase(), tree.class_(name), tuple(expected)).verdicts
    for verdict in verdicts:
        said = expected[verdict.member]
        assert verdict.verdict in VERDICTS[said.split()[0].rstrip(":")], (verdict, said)
        if said.startswith("inherited from"):
            assert verdict.owner == said.split()[2]
        if said.startswith("generated"):
            assert said.partition(" on ")[2].partition(",")[0] == verdict.owner
            assert verdict.verdict == ("inherited" if said.endswith("inherited") else "own")


def check_free(tree: Tree, expected: str, case: dict[str, Any]) -> None:
    verdicts = contract.locate(tree.codebase(), tree.class_("ext.Free"), ("teardown",)).verdicts
    assert [one.verdict for one in verdicts] == [expected]


def check_abstract(tree: Tree, expected: dict[str, list[str]], case: dict[str, Any]) -> None:
    for name, left in expected.items():
        assert [member.name for member in tree.hierarchy.abstract_left(tree.class_(name))] == left


def check_direct(tree: Tree, expected: list[str], case: dict[str, Any]) -> None:
    rows = tree.hierarchy.subclasses(tree.class_(case["ask"]["class"])).rows
    assert {row.class_ for row in rows if row.depth == 1} == set(expected)
    assert {row.class_ for row in rows if row.depth > 1} == set(case["right_answer"]["indirect"])


def check_subclasses(tree: Tree, expected: list[str], case: dict[str, Any]) -> None:
    base = case["right_answer"]["mro"][1]
    assert [row.class_ for row in tree.hierarchy.subclasses(tree.class_(base)).rows] == expected


def check_subclass_count(tree: Tree, expected: int, case: dict[str, Any]) -> None:
    rows = tree.hierarchy.subclasses(tree.class_("huge.Base")).rows
    assert [row.depth for row in rows] == [1] * expected


def check_outline(tree: Tree, expected: list[list[Any]], case: dict[str, Any]) -> None:
    """Columns count bytes from 0 to the keyword `class` or `def`."""
    path = case["ask"]["file"]
    text = SourceText(tree.data[path])
    rows = []
    for scope in tree.facts[path].scopes[1:]:
        line = text.utf8.split(b"\n")[scope.span.line - 1]
        rows.append([scope.qualname, scope.span.line, len(line) - len(line.lstrip(b" \t\f"))])
    assert rows == expected


def check_outline_names(tree: Tree, expected: list[str], case: dict[str, Any]) -> None:
    assert [scope.qualname for scope in tree.facts[case["ask"]["file"]].scopes[1:]] == expected


def check_partial(tree: Tree, expected: list[str], case: dict[str, Any]) -> None:
    assert [path for path, facts in tree.facts.items() if facts.partial] == expected
    assert all(tree.facts[path].problems for path in expected)
    for name in case["right_answer"]["must_list"]:
        tree.class_(name)


def check_only_one(tree: Tree, expected: int, case: dict[str, Any]) -> None:
    assert sum(ref.name.endswith(".Baz") for ref in tree.hierarchy.classes()) == expected


CHECKS = {
    "error": check_error,
    "alternatives": check_alternatives,
    "contract": check_contract,
    "free_teardown": check_free,
    "abstract_left": check_abstract,
    "direct": check_direct,
    "subclasses": check_subclasses,
    "subclass_count": check_subclass_count,
    "outline": check_outline,
    "outline_names": check_outline_names,
    "partial": check_partial,
    "count_Baz": check_only_one,
}
