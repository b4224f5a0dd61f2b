"""The cache: what it knows, and what becomes of it when files, disks and processes misbehave."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sondage.store import KnownFile, Pulled, RootKey, Store, cache, open_store
from sondage.store.database import FILE_NAME

KEY = RootKey("ssh", "SHA256:box", "srb", b"/srv/sglang")


def pulled(path: bytes, text: bytes, *, settled: bool = True, size: int | None = None) -> Pulled:
    stamp = (len(text) if size is None else size, 1_700_000_000_000_000_000, 5, 9)
    return Pulled(path, stamp, settled, hashlib.sha256(text).hexdigest(), text, b"facts of " + text)


def loaded(store: Store, key: RootKey = KEY) -> dict[bytes, bytes]:
    return {file.path: file.source for file in store.load(key)}


def with_two_files(folder: Path) -> Store:
    store = open_store(folder)
    store.put(KEY, [pulled(b"a.py", b"a = 1\n"), pulled(b"b.py", b"b = 1\n")])
    store.finish(KEY, [b"a.py", b"b.py"], 77)
    return store


# ------------------------------------------------------------------ knowing


def test_file_is_known_as_it_was_pulled(tmp_path: Path) -> None:
    file = pulled(b"caf\xe9\n.py", b"x = '\xff\0'\n", settled=False)
    open_store(tmp_path).put(KEY, [file])
    known = open_store(tmp_path).load(KEY)
    assert known == [KnownFile(file.path, file.stamp, False, file.digest, b"x = '\xff\0'\n", file.facts)]


def test_roots_of_other_hosts_users_and_paths_are_others(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    for other in (
        dataclasses.replace(KEY, host_key="SHA256:rebuilt"),
        dataclasses.replace(KEY, user="root"),
        dataclasses.replace(KEY, root=b"/srv"),
        dataclasses.replace(KEY, kind="local"),
    ):
        assert store.load(other) == []
        assert store.known(other) is None


def test_refresh_that_broke_off_drops_nothing_and_keeps_what_came(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.put(KEY, [pulled(b"a.py", b"a = 2\n")])
    again = open_store(tmp_path)
    assert loaded(again) == {b"a.py": b"a = 2\n", b"b.py": b"b = 1\n"}
    known = again.known(KEY)
    assert known is not None
    assert known.host_time_ns == 77


def test_complete_listing_drops_what_is_gone(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.finish(KEY, [b"b.py"], 99)
    assert loaded(open_store(tmp_path)) == {b"b.py": b"b = 1\n"}


def test_root_has_no_listing_time_before_its_first_complete_listing(tmp_path: Path) -> None:
    store = open_store(tmp_path, clock=lambda: 1234.5)
    store.put(KEY, [pulled(b"a.py", b"")])
    known = store.known(KEY)
    assert known is not None
    assert known.listed_at is None
    store.finish(KEY, [b"a.py"], 8)
    known = store.known(KEY)
    assert known is not None
    assert (known.listed_at, known.host_time_ns) == (1234.5, 8)


def test_target_leads_to_the_root_it_led_to_last_time(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    store.name(KEY, "box", "~/sglang")
    rebuilt = dataclasses.replace(KEY, host_key="SHA256:rebuilt")
    assert (known := open_store(tmp_path).last_known("box", "~/sglang")) is not None
    assert known.key == KEY
    store.name(rebuilt, "box", "~/sglang")
    assert (known := store.last_known("box", "~/sglang")) is not None
    assert known.key == rebuilt
    assert store.last_known("box", "/other") is None


def test_facts_are_found_by_content_whatever_the_path(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    digest = hashlib.sha256(b"a = 1\n").hexdigest()
    assert store.facts([digest, "00" * 32]) == {digest: b"facts of a = 1\n"}


def test_known_content_need_not_be_given_again(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    moved = dataclasses.replace(pulled(b"moved.py", b"a = 1\n"), source=None, facts=None)
    store.put(KEY, [moved])
    assert loaded(store)[b"moved.py"] == b"a = 1\n"


def test_facts_of_another_version_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = with_two_files(tmp_path)
    monkeypatch.setattr(cache, "FACTS_VERSION", cache.FACTS_VERSION + 1)
    assert [file.facts for file in store.load(KEY)] == [None, None]
    assert store.facts([hashlib.sha256(b"a = 1\n").hexdigest()]) == {}


def test_stamp_with_numbers_beyond_64_bits_is_kept(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put(KEY, [pulled(b"a.py", b"x", size=2**70)])
    assert store.load(KEY)[0].stamp[0] == 2**70


def test_many_files_of_a_root_are_told_in_the_order_of_paths(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put(KEY, [pulled(b"%03d.py" % number, b"%d" % number) for number in reversed(range(300))])
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
    store.put(KEY, [pulled(b"%d.py" % number, os.urandom(3000)) for number in range(200)])
    store.close()
    with (tmp_path / FILE_NAME).open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    store = open_store(tmp_path)
    assert store.load(KEY) == []
    store.put(KEY, [pulled(b"a.py", b"a = 1\n")])
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
    store.put(KEY, [pulled(b"a.py", b"a = 1\n")])
    assert loaded(store) == {b"a.py": b"a = 1\n"}
    assert store.note


def test_full_disk_turns_the_cache_into_one_in_memory(tmp_path: Path) -> None:
    store = with_two_files(tmp_path)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    store.put(KEY, [pulled(b"big.py", os.urandom(500_000))])
    assert store.in_memory
    assert "full" in store.note
    assert set(loaded(store)) == {b"a.py", b"b.py", b"big.py"}
    store.finish(KEY, [b"big.py"], 5)
    assert set(loaded(store)) == {b"big.py"}
    assert set(loaded(open_store(tmp_path))) == {b"a.py", b"b.py"}


def test_cache_that_can_only_be_read_is_read_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_two_files(tmp_path).close()

    def refused(folder: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(cache, "connect", refused)
    store = open_store(tmp_path)
    assert "readonly" in store.note
    store.finish(KEY, [b"a.py"], 5)
    assert set(loaded(store)) == {b"a.py"}
    monkeypatch.undo()
    assert set(loaded(open_store(tmp_path))) == {b"a.py", b"b.py"}


@pytest.mark.parametrize("folder", ["relative/without/home", None])
def test_without_a_home_the_cache_is_in_memory(folder: str | None) -> None:
    store = open_store(Path(folder) if folder else None)
    store.put(KEY, [pulled(b"a.py", b"a = 1\n")])
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
    names = set(loaded(store))
    assert {b"a.py", b"b.py"} <= names
    assert {b"w%d.py" % int(line) for line in lines[1:]} <= names
    assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert not store.note


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    writers = [start_writer(tmp_path, which, 40) for which in "xy"]
    assert [writer.communicate()[1] or writer.returncode for writer in writers] == [0, 0]
    assert len(loaded(open_store(tmp_path))) == 80


# ------------------------------------------------------------------ trimming


def clock_at(days: list[float]) -> Callable[[], float]:
    return lambda: days[0] * 86_400


def test_roots_not_used_for_long_are_forgotten(tmp_path: Path) -> None:
    today = [0.0]
    store = open_store(tmp_path, clock=clock_at(today))
    old = dataclasses.replace(KEY, root=b"/old")
    store.put(old, [pulled(b"old.py", b"old")])
    today[0] = 40.0
    store.put(KEY, [pulled(b"new.py", b"new")])
    freed = store.gc(older_than_days=30)
    assert (freed.roots, freed.sources) == (1, 1)
    assert store.known(old) is None
    assert loaded(store) == {b"new.py": b"new"}


@pytest.mark.parametrize("name", ["srb@box:2222", "box"])
def test_all_sources_of_a_host_are_forgotten_to_the_last_byte(tmp_path: Path, name: str) -> None:
    store = open_store(tmp_path)
    secret = b"the secret of the box: " + os.urandom(8).hex().encode()
    store.put(KEY, [pulled(b"a.py", secret)])
    store.name(KEY, "srb@box:2222", "/srv/sglang")
    other = dataclasses.replace(KEY, host_key="SHA256:other")
    store.put(other, [pulled(b"b.py", b"other")])
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
    store.finish(KEY, [b"b.py"], 9)
    assert store.source(digest) == b"a = 1\n"
    assert store.gc().sources == 1
    assert store.source(digest) is None
    assert loaded(store) == {b"b.py": b"b = 1\n"}


def test_sizes_are_told_in_bytes(tmp_path: Path) -> None:
    sizes = with_two_files(tmp_path).sizes()
    assert sizes["roots"] == 1
    assert sizes["facts"] == len(b"facts of a = 1\n") * 2
    assert sizes["disk"] > sizes["sources"] > 0
    assert open_store(None).sizes() == {"disk": 0, "sources": 0, "facts": 0, "roots": 0}
