"""In which order files are fetched, while somebody asks for some of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing

import pytest

from dig.conftest import TREE, Opening
from sondage.core.answers.classes import MroAnswer
from sondage.core.answers.text import Excerpt
from sondage.core.source.extract import extract
from sondage.dig import Dig
from sondage.dig.order import Order
from sondage.hosts.base import LARGE, Batch, RemoteFile
from support.memory_host import MemoryHost

MANY = {b"pkg/part%03d.py" % number: b"class Part%d:\n    def go(self): ...\n" % number for number in range(60)}

PATHS = (b"pkg/__init__.py", b"pkg/a.py", b"pkg/base.py", b"pkg/deep/__init__.py", b"pkg/deep/end.py", b"pkg/model.py")


def begun(paths: Iterable[bytes] = PATHS, sizes: Mapping[bytes, int] | None = None) -> Order:
    order = Order()
    order.begin([RemoteFile(path, (sizes or {}).get(path, 10), 0) for path in paths], paths)
    return order


def rest(order: Order) -> list[bytes]:
    return [file.path for file in order]


def test_without_a_wish_files_come_as_they_are_listed_and_large_ones_last() -> None:
    assert rest(begun(sizes={b"pkg/a.py": LARGE + 1})) == [
        *(path for path in PATHS if path != b"pkg/a.py"),
        b"pkg/a.py",
    ]


def test_file_that_is_asked_for_comes_next_and_no_file_comes_twice() -> None:
    order = begun()
    first = next(order).path

    assert order.want(b"pkg/model.py")
    assert order.want(first), "it is on its way"
    assert not order.want(b"pkg/nowhere.py")
    assert rest(order) == [b"pkg/model.py", *PATHS[1:-1]]


def test_file_asked_for_before_the_listing_comes_first_even_where_it_is_large() -> None:
    order = Order()
    order.want(b"pkg/model.py")
    order.begin([RemoteFile(path, LARGE + 1 if path == b"pkg/model.py" else 10, 0) for path in PATHS], PATHS)

    assert rest(order)[0] == b"pkg/model.py"


def test_class_asked_for_before_the_listing_is_led_to_first() -> None:
    order = Order()
    order.want_class("pkg.deep.end.Model")
    order.begin([RemoteFile(path, 10, 0) for path in PATHS], PATHS)

    assert {next(order).path for _ in range(3)} == {b"pkg/__init__.py", b"pkg/deep/__init__.py", b"pkg/deep/end.py"}


def test_what_a_file_imports_follows_it_and_near_imports_go_before_far_ones() -> None:
    order = begun()
    order.want(b"pkg/model.py")
    assert next(order).path == b"pkg/model.py"
    order.follow(b"pkg/model.py", extract(b"from pkg.base import Base\nfrom .deep import end\n"))
    assert next(order).path == b"pkg/base.py"
    order.follow(b"pkg/base.py", extract(b"import pkg.a\n"))

    assert rest(order) == [b"pkg/deep/__init__.py", b"pkg/deep/end.py", b"pkg/a.py", b"pkg/__init__.py"]


def test_imports_of_a_file_that_nobody_asked_for_change_nothing() -> None:
    order = begun()
    order.follow(b"pkg/a.py", extract(b"import pkg.model\n"))

    assert rest(order) == list(PATHS)


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("pkg.base", b"src/pkg/base.py"),
        ("pkg.deep", b"src/pkg/deep/__init__.py"),
        ("pkg", b"src/pkg/__init__.py"),
    ],
)
def test_module_is_looked_for_below_a_folder_that_is_no_package(module: str, path: bytes) -> None:
    order = begun([b"src/" + one for one in PATHS])

    assert order.want_module(module)
    assert next(order).path == path


@pytest.mark.parametrize("module", ["base", "deep.end", "os.path", "other.base"])
def test_module_of_a_library_is_not_taken_for_one_inside_a_package(module: str) -> None:
    assert not begun().want_module(module)


def test_root_inside_a_package_has_its_modules_without_the_name_of_the_package() -> None:
    order = begun([b"__init__.py", b"srt/__init__.py", b"srt/base.py"])

    assert order.want_module("sglang.srt.base")
    assert next(order).path == b"srt/base.py"


def test_full_name_of_a_class_leads_to_the_modules_that_it_can_begin_with() -> None:
    order = begun()
    order.want_class("pkg.deep.end.Model.Inner")

    assert {next(order).path for _ in range(3)} == {b"pkg/__init__.py", b"pkg/deep/__init__.py", b"pkg/deep/end.py"}


def test_bare_name_of_a_class_prefers_files_with_a_name_like_it_to_the_rest_alone() -> None:
    order = begun([*PATHS, b"pkg/deepseek_v2.py"])
    order.want_class("DeepseekV3ForCausalLM")
    order.want(b"pkg/base.py")

    assert [next(order).path for _ in range(3)] == [b"pkg/base.py", b"pkg/deepseek_v2.py", PATHS[0]]


def test_what_was_asked_for_is_news_once_and_what_follows_it_is_not() -> None:
    order = begun()
    order.want(b"pkg/model.py")
    order.follow(b"pkg/model.py", extract(b"import pkg.base\n"))

    assert not order.arrived(b"pkg/base.py")
    assert not order.take_news()
    assert order.arrived(b"pkg/model.py")
    assert (order.take_news(), order.take_news()) == (True, False)


def test_after_the_pull_nothing_is_going_to_come() -> None:
    order = begun()
    order.end()

    assert not order.goes_on
    assert not order.want(b"pkg/model.py")
    assert not order.want_module("pkg.base")


# ------------------------------------------------------------------ what somebody waits for comes first


async def test_range_of_a_file_takes_no_other_file_and_the_next_look_fetches_the_rest(
    opening: Opening, host: MemoryHost
) -> None:
    dig = await opening()

    looked = await dig.look(spec="pkg/model.py:4-5")
    shown = await dig.show("pkg/model.py:4-5")

    assert host.asked == [b"pkg/model.py"]
    assert looked.complete
    whole = await opening()
    host.asked.clear()
    assert (await whole.look()).files == 5
    assert sorted(host.asked) == sorted(set(TREE) - {b"pkg/model.py"})
    assert shown == await whole.show("pkg/model.py:4-5")


@pytest.mark.parametrize("spec", ["pkg/nowhere.py:1", "Model.save", "pkg.model.Model"])
async def test_what_is_no_range_of_a_listed_file_is_asked_of_the_whole_tree(opening: Opening, spec: str) -> None:
    one, whole = await opening(), await opening()
    await whole.look()

    assert (await one.look(spec=spec)).files == 5
    assert await one.show(spec) == await whole.show(spec)


async def test_range_of_a_file_that_changed_is_of_what_the_host_has_now(opening: Opening, host: MemoryHost) -> None:
    await (await opening()).refresh()
    host.write({b"pkg/base.py": b"x = 1\n", b"pkg/more.py": b"y = 2\n"})
    host.asked.clear()
    dig = await opening()

    await dig.look(spec="pkg/base.py:1")
    shown = await dig.show("pkg/base.py:1")

    assert isinstance(shown, Excerpt)
    assert shown.lines == ("x = 1",)
    assert host.asked == [b"pkg/base.py"]


@pytest.fixture
def steps(host: MemoryHost, monkeypatch: pytest.MonkeyPatch) -> asyncio.Semaphore:
    """A file comes for each that is released."""
    host.files.update(MANY)
    host.batch = 1
    released = asyncio.Semaphore(0)
    fetch = host.fetch

    async def waiting(root: bytes, files: Iterable[RemoteFile]) -> AsyncIterator[Batch]:
        async with aclosing(fetch(root, files)) as batches:
            while True:
                await released.acquire()
                if (batch := await anext(batches, None)) is None:
                    return
                yield batch

    monkeypatch.setattr(host, "fetch", waiting)
    return released


async def grown(dig: Dig, steps: asyncio.Semaphore, revision: int) -> None:
    """One more file has come, and the index was swapped."""
    swapped = asyncio.Event()
    dig.listen(swapped.set)
    steps.release()
    while dig.revision == revision:
        swapped.clear()
        await swapped.wait()


async def pulling(dig: Dig) -> asyncio.Task[object]:
    """The tree is listed, and nothing has come yet."""
    listed = asyncio.Event()
    refreshing = asyncio.ensure_future(dig.refresh(lambda progress: listed.set() if progress.stage == "pull" else None))
    await listed.wait()
    dig.listen(lambda: None)
    return refreshing


async def test_file_that_is_opened_while_the_tree_is_read_comes_next_and_is_shown(
    opening: Opening, host: MemoryHost, steps: asyncio.Semaphore
) -> None:
    dig = await opening(engine="threads")
    refreshing = await pulling(dig)

    assert dig.want("pkg/part059.py")
    assert not dig.want("pkg/nowhere.py")
    await grown(dig, steps, dig.revision)

    assert host.asked == [b"pkg/part059.py"]
    assert dig.source("pkg/part059.py") is not None
    assert (dig.coverage.files_seen, dig.coverage.files_listed) == (1, 65)
    for _ in range(65):
        steps.release()
    await refreshing
    assert len(host.asked) == len(set(host.asked)) == 65


async def test_file_wanted_before_the_host_was_asked_comes_first_and_then_what_it_imports(
    opening: Opening, host: MemoryHost, steps: asyncio.Semaphore
) -> None:
    dig = await opening(engine="threads")
    dig.want("pkg/wrap.py")
    for _ in range(66):
        steps.release()
    await dig.refresh()

    assert host.asked[:2] == [b"pkg/wrap.py", b"pkg/model.py"]
    assert host.asked.index(b"pkg/base.py") < len(host.asked) / 2, "the imports of an import, once it is parsed"


async def test_chain_of_a_class_is_whole_while_almost_nothing_of_the_tree_has_come(
    opening: Opening, host: MemoryHost, steps: asyncio.Semaphore
) -> None:
    host.files[b"pkg/base.py"] = b"from pkg.root import Root\n\n\nclass Base(Root):\n    def load(self): ...\n"
    host.files[b"pkg/root.py"] = b"class Root: ...\n"
    dig = await opening(engine="threads")
    refreshing = await pulling(dig)
    for _ in range(6):
        answer = await dig.mro("pkg.model.Model")
        if isinstance(answer, MroAnswer) and answer.complete:
            break
        await grown(dig, steps, dig.revision)

    assert isinstance(answer, MroAnswer)
    assert [step.class_ for step in answer.order] == ["pkg.model.Model", "pkg.base.Base", "pkg.root.Root", "object"]
    assert set(host.asked) == {b"pkg/__init__.py", b"pkg/model.py", b"pkg/base.py", b"pkg/root.py"}
    assert (dig.coverage.files_seen, dig.coverage.files_listed) == (4, 66)
    for _ in range(66):
        steps.release()
    await refreshing
    assert await dig.mro("pkg.model.Model") == answer
