"""The cache: what it knows, and what becomes of it when files, disks and processes misbehave."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import structs

from sondage.store import Freed, KnownFile, KnownLibrary, Pulled, RootKey, Sizes, Store, cache, open_store
from sondage.store.database import FILE_NAME

KEY = RootKey("ssh", "SHA256:box", "srb", b"/srv/sglang")


def pulled(path: bytes, text: bytes, *, settled: bool = True, size: int | None = None) -> Pulled:
    stamp = (len(text) if size is None else size, 1_700_000_000_000_000_000, 5, 9)
    return Pulled(path, stamp, settled, hashlib.sha256(text).hexdigest(), text, b"facts of " + text)


def loaded(store: Store, key: RootKey = KEY) -> dict[bytes, bytes]:
    return {file.path: file.source for file in store.load(key)}


def keep(store: Store, *files: Pulled, key: RootKey = KEY, at: int = 5) -> None:
    """As a whole refresh does that found these files and no others."""
    store.put(key, files)
    store.finish(key, files, at)


A = pulled(b"a.py", b"a = 1\n")
B = pulled(b"b.py", b"b = 1\n")
A_LATER = pulled(b"a.py", b"a = 2\n")


def with_two_files(folder: Path) -> Store:
    store = open_store(folder)
    keep(store, A, B, at=77)
    return store


# ------------------------------------------------------------------ knowing


def test_file_is_known_as_it_was_pulled(tmp_path: Path) -> None:
    file = pulled(b"caf\xe9\n.py", b"x = '\xff\0'\n", settled=False)
    keep(open_store(tmp_path), file)
    known = open_store(tmp_path).load(KEY)
    assert known == [KnownFile(file.path, file.stamp, False, file.digest, b"x = '\xff\0'\n", file.facts)]


def test_roots_of_other_hosts_users_and_paths_are_others(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    for other in (
        structs.replace(KEY, host_key="SHA256:rebuilt"),
        structs.replace(KEY, user="root"),
        structs.replace(KEY, root=b"/srv"),
        structs.replace(KEY, kind="local"),
    ):
        assert store.load(other) == []
        assert store.known(other) is None


def test_refresh_that_broke_off_leaves_the_older_index_whole_and_what_came_beside_it(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.put(KEY, [A_LATER])
    again = open_store(tmp_path)
    assert loaded(again) == {b"a.py": b"a = 1\n", b"b.py": b"b = 1\n"}
    known = again.known(KEY)
    assert known is not None
    assert known.listed_at is not None
    assert known.host_time_ns == 77
    (aside,) = again.aside(KEY)
    assert (aside.path, aside.stamp, aside.digest) == (b"a.py", A_LATER.stamp, A_LATER.digest)
    assert again.sources([aside.digest]) == {aside.digest: b"a = 2\n"}


def test_complete_listing_takes_the_place_of_all_that_was_known(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.put(KEY, [A_LATER])
    store.finish(KEY, [A_LATER, B], 99)
    again = open_store(tmp_path)
    assert loaded(again) == {b"a.py": b"a = 2\n", b"b.py": b"b = 1\n"}
    assert again.aside(KEY) == []


def test_what_another_refresh_put_aside_does_not_get_into_a_finished_one(tmp_path: Path) -> None:
    store, other = with_two_files(tmp_path), open_store(tmp_path)
    other.put(KEY, [A_LATER, pulled(b"c.py", b"c = 1\n")])
    store.finish(KEY, [A, B], 99)
    assert loaded(open_store(tmp_path)) == {b"a.py": b"a = 1\n", b"b.py": b"b = 1\n"}
    other.finish(KEY, [A_LATER], 100)
    assert loaded(open_store(tmp_path)) == {b"a.py": b"a = 2\n"}


def test_complete_listing_drops_what_is_gone(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.finish(KEY, [B], 99)
    assert loaded(open_store(tmp_path)) == {b"b.py": b"b = 1\n"}


def test_root_has_no_listing_time_before_its_first_complete_listing(tmp_path: Path) -> None:
    store = open_store(tmp_path, clock=lambda: 1234.5)
    store.put(KEY, [A])
    known = store.known(KEY)
    assert known is not None
    assert known.listed_at is None
    store.finish(KEY, [A], 8)
    known = store.known(KEY)
    assert known is not None
    assert (known.listed_at, known.host_time_ns) == (1234.5, 8)


def test_target_leads_to_the_root_it_led_to_last_time(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.name(KEY, "box", "~/sglang")
    rebuilt = structs.replace(KEY, host_key="SHA256:rebuilt")
    assert (known := open_store(tmp_path).last_known("box", "~/sglang")) is not None
    assert known.key == KEY
    store.name(rebuilt, "box", "~/sglang")
    assert (known := store.last_known("box", "~/sglang")) is not None
    assert known.key == rebuilt
    assert store.last_known("box", "/other") is None


def test_other_targets_that_lead_to_the_same_root_are_told_once(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    assert store.name(KEY, "box", "~/sglang") == []
    assert store.name(KEY, "box", "~/sglang") == []
    assert store.name(KEY, "gpu-07", "/srv/sglang") == [("box", "~/sglang")]
    assert store.name(KEY, "gpu-07", "/srv/sglang") == []
    assert store.last_known("gpu-07", "/srv/sglang") == store.last_known("box", "~/sglang")


def test_facts_are_found_by_content_whatever_the_path(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    digest = hashlib.sha256(b"a = 1\n").hexdigest()
    assert store.facts([digest, "00" * 32]) == {digest: b"facts of a = 1\n"}


def test_root_is_known_by_stamps_and_digests_before_anything_of_it_is_read(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    bare = structs.replace(pulled(b"c.py", b"c = 1\n"), facts=None)
    keep(store, A, B, bare, structs.replace(bare, path=b"gone.py", digest="00" * 32, source=None))
    entries = store.entries(KEY)
    assert [one.path for one in entries] == [b"a.py", b"b.py", b"c.py"]
    assert (entries[2].stamp, entries[2].settled, entries[2].digest) == (bare.stamp, bare.settled, bare.digest)
    assert store.sources([one.digest for one in entries[1:]]) == {
        entries[1].digest: b"b = 1\n",
        entries[2].digest: b"c = 1\n",
    }


def test_known_content_need_not_be_given_again(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    moved = structs.replace(pulled(b"moved.py", b"a = 1\n"), source=None, facts=None)
    keep(store, moved)
    assert loaded(store)[b"moved.py"] == b"a = 1\n"


def test_facts_of_another_version_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = with_two_files(tmp_path)
    monkeypatch.setattr(cache, "FACTS_VERSION", cache.FACTS_VERSION + 1)
    assert [file.facts for file in store.load(KEY)] == [None, None]
    assert store.facts([hashlib.sha256(b"a = 1\n").hexdigest()]) == {}


def test_stamp_with_numbers_beyond_64_bits_is_kept(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    keep(store, pulled(b"a.py", b"x", size=2**70))
    assert store.load(KEY)[0].stamp[0] == 2**70


def test_many_files_of_a_root_are_told_in_the_order_of_paths(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    keep(store, *[pulled(b"%03d.py" % number, b"%d" % number) for number in reversed(range(300))])
    assert list(loaded(store)) == [b"%03d.py" % number for number in range(300)]


# ------------------------------------------------------------------ misbehaving


def test_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database" * 1000)
    store = with_two_files(tmp_path)
    assert not store.in_memory
    assert len(loaded(open_store(tmp_path))) == 2
    assert (tmp_path / f"{FILE_NAME}.broken").read_bytes().startswith(b"not a database")


def test_database_of_somebody_else_is_set_aside(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as other:
        other.execute("CREATE TABLE roots (something)")
    other.close()
    assert len(loaded(with_two_files(tmp_path))) == 2


def test_database_damaged_while_open_is_built_anew_and_said(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    keep(store, *[pulled(b"%d.py" % number, os.urandom(3000)) for number in range(200)])
    store.close()
    with (tmp_path / FILE_NAME).open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    store = open_store(tmp_path)
    assert store.load(KEY) == []
    keep(store, A)
    assert "damaged" in store.note
    assert loaded(open_store(tmp_path)) == {b"a.py": b"a = 1\n"}


def test_database_set_aside_by_another_process_is_not_set_aside_again(tmp_path: Path) -> None:
    from sondage.store.database import set_aside

    store = with_two_files(tmp_path)
    set_aside(tmp_path, opened=1)
    assert len(loaded(open_store(tmp_path))) == 2
    store.close()


def test_damaged_source_counts_as_not_known(tmp_path: Path) -> None:
    with_two_files(tmp_path).close()
    digest = hashlib.sha256(b"a = 1\n").digest()
    with sqlite3.connect(tmp_path / FILE_NAME) as other:
        other.execute(
            "UPDATE sources SET packed = CAST(substr(packed, 1, length(packed) - 1) || x'00' AS BLOB) WHERE digest = ?",
            (digest,),
        )
    other.close()
    store = open_store(tmp_path)
    assert loaded(store) == {b"b.py": b"b = 1\n"}
    assert store.source(digest.hex()) is None


def test_column_of_the_wrong_kind_does_not_stop_the_session(tmp_path: Path) -> None:
    with_two_files(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE_NAME) as other:
        other.execute("UPDATE sources SET packed = CAST(x'ff' AS TEXT)")
    other.close()
    store = open_store(tmp_path)
    assert store.load(KEY) == []
    keep(store, A)
    assert loaded(store) == {b"a.py": b"a = 1\n"}
    assert store.note


def test_full_disk_turns_the_cache_into_one_in_memory(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    big = pulled(b"big.py", os.urandom(500_000))
    store.put(KEY, [big])
    assert store.in_memory
    assert "full" in store.note
    assert set(loaded(store)) == {b"a.py", b"b.py"}
    store.finish(KEY, [big], 5)
    assert set(loaded(store)) == {b"big.py"}
    assert set(loaded(open_store(tmp_path))) == {b"a.py", b"b.py"}


ON_A_FULL_DISK = """
import hashlib, os, resource, signal, sys
from pathlib import Path
from sondage.store import Pulled, RootKey, open_store
key = RootKey("ssh", "SHA256:box", "srb", b"/srv/sglang")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
store = open_store(Path(sys.argv[1]))
files = []
for number in range(40):
    text = os.urandom(20_000)
    file = Pulled(b"new%d.py" % number, (1, 2, 3, 4), True, hashlib.sha256(text).hexdigest(), text, b"f")
    store.put(key, [file])
    files.append(file)
store.finish(key, files, 9)
assert store.in_memory
assert len(store.load(key)) == 40
print(store.note)
"""


def test_disk_that_fills_up_in_the_middle_of_a_refresh_costs_nothing_but_the_keeping(tmp_path: Path) -> None:
    with_two_files(tmp_path).close()
    command = [sys.executable, "-c", ON_A_FULL_DISK, str(tmp_path)]
    said = subprocess.run(command, check=True, timeout=60, stdout=subprocess.PIPE).stdout.decode()
    assert "what is read now is not kept" in said
    assert loaded(open_store(tmp_path)) == {b"a.py": b"a = 1\n", b"b.py": b"b = 1\n"}


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing can be written there, not by the superuser either; skips where that cannot be had."""
    if os.geteuid() != 0:
        folder.chmod(0o500)
        yield
        folder.chmod(0o700)
        return
    steps = (["mount", "--bind", folder, folder], ["mount", "-o", "remount,ro,bind", folder])
    if shutil.which("mount") is None or any(subprocess.run(step, check=False, stderr=-3).returncode for step in steps):
        pytest.skip("the superuser may not mount here, and nothing else keeps them from writing")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def test_cache_on_a_read_only_file_system_is_read_and_what_is_new_is_not_kept(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    with_two_files(folder).close()
    with read_only(folder):
        store = open_store(folder)
        assert "what is read now is not kept" in store.note
        assert loaded(store) == {b"a.py": b"a = 1\n", b"b.py": b"b = 1\n"}
        keep(store, A_LATER)
        assert loaded(store) == {b"a.py": b"a = 2\n"}
        store.close()
    assert loaded(open_store(folder)) == {b"a.py": b"a = 1\n", b"b.py": b"b = 1\n"}


def test_cache_of_another_user_is_refused_and_said(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only the superuser can give a folder away")
    with_two_files(tmp_path / "cache").close()
    os.chown(tmp_path / "cache", 54_321, -1)
    store = open_store(tmp_path / "cache")
    assert "another user" in store.note
    assert store.in_memory


def test_database_that_is_a_link_is_refused_and_said(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "elsewhere").write_bytes(b"somebody's")
    (tmp_path / "cache" / FILE_NAME).symlink_to(tmp_path / "elsewhere")
    store = open_store(tmp_path / "cache")
    keep(store, A)
    assert store.in_memory
    assert store.note
    assert (tmp_path / "elsewhere").read_bytes() == b"somebody's"


def test_cache_of_an_older_version_is_left_alone(tmp_path: Path) -> None:
    older = tmp_path / "cache-1.sqlite3"
    older.write_bytes(b"older")
    assert older.name != FILE_NAME
    with_two_files(tmp_path).close()
    assert older.read_bytes() == b"older"


def test_cache_that_can_only_be_read_is_read_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_two_files(tmp_path).close()

    def refused(folder: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(cache, "connect", refused)
    store = open_store(tmp_path)
    assert "readonly" in store.note
    store.finish(KEY, [A], 5)
    assert set(loaded(store)) == {b"a.py"}
    monkeypatch.undo()
    assert set(loaded(open_store(tmp_path))) == {b"a.py", b"b.py"}


@pytest.mark.parametrize("folder", ["relative/without/home", None])
def test_without_a_home_the_cache_is_in_memory(folder: str | None) -> None:
    store = open_store(Path(folder) if folder else None)
    keep(store, A)
    assert store.in_memory
    assert loaded(store) == {b"a.py": b"a = 1\n"}
    assert bool(store.note) is (folder is not None)


def test_linked_folder_is_refused_and_said(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "cache").symlink_to("real")
    store = open_store(tmp_path / "cache")
    assert store.in_memory
    assert "link" in store.note
    assert list((tmp_path / "real").iterdir()) == []


def test_files_are_for_the_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        store = with_two_files(tmp_path / "deep" / "cache")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "deep" / "cache").iterdir()}
    assert set(modes.values()) == {0o600}
    assert any(name.endswith("-wal") for name in modes)
    assert stat.S_IMODE((tmp_path / "deep" / "cache").stat().st_mode) == 0o700
    store.close()


WRITER = """
import hashlib, sys
from pathlib import Path
from sondage.store import Pulled, RootKey, open_store
key = RootKey("ssh", "SHA256:box", "srb", b"/srv/sglang")
store = open_store(Path(sys.argv[1]))
print("open", flush=True)
for number in range(int(sys.argv[3])):
    text = (sys.argv[2] + str(number)).encode() * 500
    path = f"{sys.argv[2]}{number}.py".encode()
    store.put(key, [Pulled(path, (1, 2, 3, 4), True, hashlib.sha256(text).hexdigest(), text, b"f")])
    print(number, flush=True)
assert not store.note, store.note
"""


def start_writer(folder: Path, which: str, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WRITER, str(folder), which, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def test_process_killed_while_writing_leaves_a_whole_cache(tmp_path: Path) -> None:
    with_two_files(tmp_path).close()
    writer = start_writer(tmp_path, "w", 100_000)
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(30)]
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    store = open_store(tmp_path)
    assert set(loaded(store)) == {b"a.py", b"b.py"}
    assert {b"w%d.py" % int(line) for line in lines[1:]} <= {one.path for one in store.aside(KEY)}
    assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert not store.note


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    writers = [start_writer(tmp_path, which, 40) for which in "xy"]
    assert [writer.communicate()[1] or writer.returncode for writer in writers] == [0, 0]
    assert len(open_store(tmp_path).aside(KEY)) == 80


REFRESHES = """
import os, random, shutil, signal, sys
from pathlib import Path
from sondage.store import Pulled, RootKey, open_store
import hashlib

def pulled(number, version):
    text = (f"n = {number}  # {version}\\n" * 200).encode()
    return Pulled(b"%d.py" % number, (len(text), version, 5, 9), True, hashlib.sha256(text).hexdigest(), text, b"facts")

key = RootKey("ssh", "SHA256:box", "srb", b"/srv/sglang")
base, points = Path(sys.argv[1]), int(sys.argv[2])
old = [pulled(number, 1) for number in range(40)]
new = [pulled(number, 2) for number in range(60)]
store = open_store(base / "whole")
store.put(key, old)
store.finish(key, old, 1)
store.close()
for seed in range(points):
    folder = base / str(seed)
    shutil.copytree(base / "whole", folder)
    if os.fork() == 0:
        store = open_store(folder)
        steps = random.Random(seed).randrange(1, 4_000)
        store._connection.set_progress_handler(lambda: os.kill(os.getpid(), signal.SIGKILL), steps)
        for start in range(0, 60, 6):
            store.put(key, new[start : start + 6])
        store.finish(key, new, 2)
        os._exit(0)
    os.wait()
"""


def killed_refreshes(folder: Path, points: int) -> list[tuple[int, int]]:
    """A refresh is killed at so many points. For each: the version of the index that is left, and files put aside."""
    subprocess.run([sys.executable, "-c", REFRESHES, str(folder), str(points)], check=True, timeout=300)
    found = []
    for seed in range(points):
        store = open_store(folder / str(seed))
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        versions = {file.stamp[1] for file in store.load(KEY)}
        (version,) = versions  # never some of the old and some of the new
        assert len(store.load(KEY)) == {1: 40, 2: 60}[version]
        known = store.known(KEY)
        assert known is not None
        assert known.host_time_ns == version
        assert known.listed_at is not None
        assert not store.note
        aside = store.aside(KEY)
        assert len(aside) % 6 == 0
        assert len(store.sources(one.digest for one in aside)) == len(aside)
        found.append((version, len(aside)))
        store.close()
    return found


def test_refresh_killed_at_any_of_20_points_leaves_the_old_index_whole_or_the_new_one(tmp_path: Path) -> None:
    found = killed_refreshes(tmp_path, 20)
    assert any(aside for version, aside in found if version == 1)
    assert len(set(found)) > 4


@pytest.mark.long
def test_refresh_killed_at_any_of_500_points_leaves_the_old_index_whole_or_the_new_one(tmp_path: Path) -> None:
    found = killed_refreshes(tmp_path, 500)
    assert {version for version, _ in found} == {1, 2}


# ------------------------------------------------------------------ libraries


def library(module: str, text: bytes) -> KnownLibrary:
    path = b"/venv/lib/" + module.encode() + b".py"
    return KnownLibrary(module, path, hashlib.sha256(text).hexdigest(), text, b"facts of " + text)


def test_library_files_of_a_root_are_known_in_the_next_session(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    torch, numpy = library("torch.nn", b"class Module: ..."), library("numpy", b"class ndarray: ...")
    store.put_libraries(KEY, [torch])
    store.put_libraries(KEY, [numpy])
    assert open_store(tmp_path).libraries(KEY) == [numpy, torch]
    assert open_store(tmp_path).libraries(structs.replace(KEY, host_key="SHA256:rebuilt")) == []


def test_library_file_that_was_read_again_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.put_libraries(KEY, [library("torch.nn", b"class Module: ...")])
    store.put_libraries(KEY, [library("torch.nn", b"class Module: pass")])
    assert [one.source for one in store.libraries(KEY)] == [b"class Module: pass"]


def test_library_files_and_what_was_put_aside_outlive_the_trimming(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    torch = library("torch.nn", b"class Module: ...")
    store.put_libraries(KEY, [torch])
    store.put(KEY, [A_LATER])
    assert store.gc().sources == 0
    assert store.libraries(KEY) == [torch]
    assert store.sources([A_LATER.digest]) == {A_LATER.digest: b"a = 2\n"}
    store.name(KEY, "box", "/srv/sglang")
    assert store.gc(host="box").sources == 4


# ------------------------------------------------------------------ trimming


def clock_at(days: list[float]) -> Callable[[], float]:
    return lambda: days[0] * 86_400


def test_roots_not_used_for_long_are_forgotten(tmp_path: Path) -> None:
    today = [0.0]
    store = open_store(tmp_path, clock=clock_at(today))
    old = structs.replace(KEY, root=b"/old")
    keep(store, pulled(b"old.py", b"old"), key=old)
    today[0] = 40.0
    keep(store, pulled(b"new.py", b"new"))
    freed = store.gc(older_than_days=30)
    assert (freed.roots, freed.sources) == (1, 1)
    assert store.known(old) is None
    assert loaded(store) == {b"new.py": b"new"}


@pytest.mark.parametrize("name", ["srb@box:2222", "box"])
def test_all_sources_of_a_host_are_forgotten_to_the_last_byte(tmp_path: Path, name: str) -> None:
    store = open_store(tmp_path)
    secret = b"the secret of the box: " + os.urandom(8).hex().encode()
    keep(store, pulled(b"a.py", secret))
    store.name(KEY, "srb@box:2222", "/srv/sglang")
    other = structs.replace(KEY, host_key="SHA256:other")
    keep(store, pulled(b"b.py", b"other"), key=other)
    store.name(other, "boxer", "/srv/sglang")
    assert any(secret in path.read_bytes() for path in tmp_path.iterdir())
    assert store.gc(host=name).roots == 1
    assert store.known(KEY) is None
    assert loaded(store, other) == {b"b.py": b"other"}
    store.close()
    for path in tmp_path.iterdir():
        assert secret not in path.read_bytes()


def test_content_that_no_root_has_any_more_stays_until_it_is_trimmed(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    digest = hashlib.sha256(b"a = 1\n").hexdigest()
    store.finish(KEY, [B], 9)
    assert store.source(digest) == b"a = 1\n"
    assert store.gc().sources == 1
    assert store.source(digest) is None
    assert loaded(store) == {b"b.py": b"b = 1\n"}


def test_content_that_another_sondage_may_still_read_outlives_the_trimming(tmp_path: Path) -> None:
    reader, store = with_two_files(tmp_path), open_store(tmp_path)
    digest = hashlib.sha256(b"a = 1\n").hexdigest()
    store.finish(KEY, [B], 9)
    assert store.gc() == Freed(0, 0, 0, kept=1)
    assert reader.sources([digest]) == {digest: b"a = 1\n"}
    reader.close()
    assert store.gc().sources == 1
    assert store.source(digest) is None


def test_lock_of_a_sondage_that_was_killed_keeps_nothing(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    script = "import os, sys; from pathlib import Path; from sondage.store import open_store; "
    script += "store = open_store(Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    store.finish(KEY, [], 9)
    assert store.gc().sources == 2


def test_room_of_what_was_forgotten_is_given_back_to_the_disk(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    keep(store, pulled(b"a.py", os.urandom(500_000)))
    store.name(KEY, "box", "/srv")
    full = store.sizes().disk
    freed = store.gc(host="box")
    assert freed.bytes > 500_000
    assert store.sizes().disk == full - freed.bytes < 200_000


def test_sizes_are_told_in_bytes(tmp_path: Path) -> None:
    sizes = with_two_files(tmp_path).sizes()
    assert sizes.roots == 1
    assert sizes.facts == len(b"facts of a = 1\n") * 2
    assert sizes.disk > sizes.sources > 0
    assert open_store(None).sizes() == Sizes(disk=0, sources=0, facts=0, roots=0)


# ------------------------------------------------------------------ what was worked out about a tree


def test_what_was_learnt_is_there_for_those_who_would_learn_the_same(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.put_learnt(KEY, "layout", b"of these files", b"names" * 1000)
    store.put_learnt(KEY, "words", b"1", b"words")

    later = open_store(tmp_path)

    assert later.learnt(KEY, "layout", b"of these files") == b"names" * 1000
    assert later.learnt(KEY, "layout", b"of others") is None
    assert later.learnt(KEY, "words", b"1") == b"words"


def test_what_is_learnt_takes_the_place_of_what_was(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.put_learnt(KEY, "layout", b"of these files", b"old")
    store.put_learnt(KEY, "layout", b"of others", b"new")

    assert store.learnt(KEY, "layout", b"of these files") is None
    assert store.learnt(KEY, "layout", b"of others") == b"new"


def test_what_was_learnt_goes_with_its_root(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.name(KEY, "box", "/srv/sglang")
    store.put_learnt(KEY, "layout", b"of these files", b"names")

    store.gc(host="box")

    assert store.learnt(KEY, "layout", b"of these files") is None


def test_damaged_piece_of_what_was_learnt_is_not_there(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.put_learnt(KEY, "layout", b"of these files", b"names" * 1000)
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("UPDATE learnt SET packed = substr(packed, 1, length(packed) - 9)")

    assert store.learnt(KEY, "layout", b"of these files") is None


def test_listing_that_showed_nothing_new_is_dated(tmp_path: Path) -> None:
    times = iter([1.0, 2.0, 3.0, 4.0])
    store = open_store(tmp_path, clock=lambda: next(times, 9.0))
    keep(store, A)

    store.seen(KEY, 88)

    known = store.known(KEY)
    assert known is not None and (known.listed_at, known.host_time_ns) == (9.0, 88)
    assert loaded(store) == {b"a.py": b"a = 1\n"}
