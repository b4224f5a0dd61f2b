"""The semantics cases that ask where a call goes."""

from __future__ import annotations

from typing import Any

from small_trees import jump

from sondage.core.classes.codebase import Codebase


def check_call(case: dict[str, Any], code: Codebase) -> None:
    """The jump of a case reaches every right target and no other; what must be shown beside them may be among them."""
    ask, right = case["ask"], case["right_answer"]
    prefix = (
        "".join(f"{root}/" for root in ask.get("roots", ())[:1]) if ask["file"] not in code.hierarchy.files() else ""
    )
    found = jump(code, prefix + ask["file"], ask["line"], ask["name"])
    reached = {(answer.path, answer.line) for answer in found.answers}
    wanted = {(target["file"], target["line"]) for target in right["targets"]}
    if "candidates_by_name" in right:
        names = {f"{answer.owner}.{answer.name}" for answer in found.answers}
        assert names <= set(right["candidates_by_name"]) and found.unresolved, (case["id"], found)
        assert all(answer.certainty == "possible" for answer in found.answers), (case["id"], found)
        return
    beside = right.get("also_show")
    allowed = wanted | ({(beside["file"], beside["line"])} if beside else set())
    assert wanted <= reached <= allowed, (case["id"], found)
