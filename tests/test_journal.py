"""The transcript log: what is in it after crashes, full disks and two writers."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sondage import journal
from sondage.core.transcripts.transcript import Entry, encode_line
from sondage.errors import StoreError, UsageError
from sondage.journal import Journal, check_name, find_transcript, open_journal, read_entries, sessions


def entry(number: int, note: str = "") -> Entry:
    return Entry(id=str(number), time="2026-11-29T15:31:00+00:00", verb="note", note=note or f"note {number}")


def kept(folder: Path, name: str = "kimi") -> list[Entry]:
    entries, problems = read_entries(folder / f"{name}.jsonl")
    assert problems == []
    return entries


def test_entry_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    log = open_journal(tmp_path, "kimi")
    log.append(entry(1))
    assert kept(tmp_path) == [entry(1)]


def test_entries_survive_a_kill_right_after_append(tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom sondage.core.transcripts.transcript import Entry\n"
        "from sondage.journal import open_journal\nlog = open_journal(Path(sys.argv[1]), 'kimi')\n"
        "for n in range(5): log.append(Entry(id=str(n), time='t', verb='note'))\nos.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -9
    assert [one.id for one in kept(tmp_path)] == ["0", "1", "2", "3", "4"]


RECORDING = """
import os, random, sys
from pathlib import Path
from sondage.core.transcripts.transcript import Entry
from sondage.journal import open_journal
chosen = random.Random(int(sys.argv[2]))
log = open_journal(Path(sys.argv[1]), "kimi")
for number in range(len(log.entries), 10_000):
    log.append(Entry(id=str(number), time="t", verb="note", note="x" * chosen.choice([1, 500, 90_000, 300_000])))
    os.write(1, b"%d\\n" % number)
"""
"""Shows the number of each entry once it is recorded; sizes are such that a kill can come in the middle of a write."""


def killed_while_recording(folder: Path, kills: int) -> None:
    """No entry that was shown is lost, and the file can be read and written again after each kill."""
    shown = -1
    for number in range(kills):
        line = [sys.executable, "-c", RECORDING, str(folder), str(number)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, bufsize=0) as process:
            assert process.stdout
            for _ in range(random.Random(number).randrange(1, 40)):
                shown = int(process.stdout.readline())
            process.kill()
            for rest in process.stdout:
                shown = int(rest) if rest.endswith(b"\n") else shown
        log = open_journal(folder, "kimi")
        assert [one.id for one in log.entries] == [str(at) for at in range(len(log.entries))]
        assert len(log.entries) > shown
        assert log.notes == [] or "torn" in log.notes[0]
        log.close()
        if (folder / "kimi.jsonl").stat().st_size > 10_000_000:
            (folder / "kimi.jsonl").unlink()
            shown = -1


def test_kills_at_any_moment_lose_nothing_that_was_shown(tmp_path: Path) -> None:
    killed_while_recording(tmp_path, 10)


@pytest.mark.long
def test_two_hundred_kills_lose_nothing_that_was_shown(tmp_path: Path) -> None:
    killed_while_recording(tmp_path, 200)


class Disk:
    """Stands for `os.fsync`: counts, and fails where it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forced = threading.Semaphore(0)
        self.count = 0
        self.error: OSError | None = None
        monkeypatch.setattr(journal.os, "fsync", self._force)

    def _force(self, descriptor: int) -> None:
        os.fstat(descriptor)
        self.count += 1
        self.forced.release()
        if self.error:
            raise self.error


def test_entries_of_one_second_are_forced_to_the_disk_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    monkeypatch.setattr(journal, "SYNC_SECONDS", 0.2)
    log = open_journal(tmp_path, "kimi")
    for number in range(20):
        log.append(entry(number))
    assert disk.forced.acquire(timeout=20)
    log.append(entry(21))
    assert disk.forced.acquire(timeout=20)
    log.close()
    assert disk.count == 2


def test_close_forces_what_was_not_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    log = open_journal(tmp_path, "kimi")
    log.append(entry(1))
    log.close()
    log.close()
    assert disk.count == 1
    open_journal(tmp_path, "kimi").close()
    assert disk.count == 1


def test_disk_that_does_not_confirm_is_told_with_the_next_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch)
    monkeypatch.setattr(journal, "SYNC_SECONDS", 0.01)
    disk.error = OSError(errno.EIO, "Input/output error")
    log = open_journal(tmp_path, "kimi")
    log.append(entry(1))
    with pytest.raises(StoreError, match="does not confirm"):
        for number in range(2, 1000):
            assert disk.forced.acquire(timeout=20)
            log.append(entry(number))
    assert kept(tmp_path) == log.entries


def test_waiting_to_force_keeps_no_process_alive(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom sondage import journal\njournal.SYNC_SECONDS = 600.0\n"
        "from sondage.core.transcripts.transcript import Entry\nlog = journal.open_journal(Path(sys.argv[1]), 'kimi')\n"
        "log.append(Entry(id='1', time='t', verb='note'))\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, timeout=60).returncode == 0
    assert [one.id for one in kept(tmp_path)] == ["1"]


def test_session_opened_again_has_its_entries(tmp_path: Path) -> None:
    open_journal(tmp_path, "kimi").append(entry(1))
    again = open_journal(tmp_path, "kimi")
    assert again.entries == [entry(1)]
    again.append(entry(2))
    assert kept(tmp_path) == [entry(1), entry(2)]
    assert again.notes == []


def test_file_and_folder_are_for_the_user_alone(tmp_path: Path) -> None:
    open_journal(tmp_path / "transcripts", "kimi")
    assert stat.S_IMODE((tmp_path / "transcripts").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "transcripts" / "kimi.jsonl").stat().st_mode) == 0o600


def test_linked_transcript_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kimi.jsonl").symlink_to("elsewhere")
    with pytest.raises(StoreError):
        open_journal(tmp_path, "kimi")
    assert not (tmp_path / "elsewhere").exists()


def test_torn_last_line_is_cut_off_and_said(tmp_path: Path) -> None:
    whole = encode_line(entry(1))
    (tmp_path / "kimi.jsonl").write_bytes(whole + encode_line(entry(2, "x" * 200_000))[:-40])
    log = open_journal(tmp_path, "kimi")
    assert log.entries == [entry(1)]
    assert len(log.notes) == 1
    assert "torn" in log.notes[0]
    assert (tmp_path / "kimi.jsonl").read_bytes() == whole


def test_last_line_that_lacks_only_its_end_is_kept(tmp_path: Path) -> None:
    (tmp_path / "kimi.jsonl").write_bytes(encode_line(entry(1)).rstrip())
    log = open_journal(tmp_path, "kimi")
    log.append(entry(2))
    assert kept(tmp_path) == [entry(1), entry(2)]


def test_line_torn_by_another_process_does_not_spoil_the_next_entry(tmp_path: Path) -> None:
    log = open_journal(tmp_path, "kimi")
    log.append(entry(1))
    with (tmp_path / "kimi.jsonl").open("ab") as other:
        other.write(b'{"id": "torn')
    log.append(entry(2))
    assert kept(tmp_path) == [entry(1), entry(2)]


def test_line_that_is_no_entry_is_named_and_left_where_it_is(tmp_path: Path) -> None:
    data = b"edited by hand\n" + encode_line(entry(1))
    (tmp_path / "kimi.jsonl").write_bytes(data)
    log = open_journal(tmp_path, "kimi")
    assert log.entries == [entry(1)]
    assert "line 1" in log.notes[0]
    assert (tmp_path / "kimi.jsonl").read_bytes() == data


def test_full_disk_is_said_and_the_session_goes_on_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_journal(tmp_path, "kimi")
    log.append(entry(1))
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        real(descriptor, data[:7])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(journal.os, "write", full)
    with pytest.raises(StoreError, match="No space left"):
        log.append(entry(2))
    assert log.entries == [entry(1), entry(2)]
    assert log.unwritten == 1
    assert kept(tmp_path) == [entry(1)]
    monkeypatch.undo()
    log.append(entry(3))
    assert kept(tmp_path) == [entry(1), entry(2), entry(3)]
    assert log.unwritten == 0


def test_session_in_memory_keeps_its_entries(tmp_path: Path) -> None:
    log = Journal.in_memory("kimi")
    log.append(entry(1))
    assert log.entries == [entry(1)]
    assert list(tmp_path.iterdir()) == []


def test_lines_of_two_processes_do_not_mix(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom sondage.core.transcripts.transcript import Entry\n"
        "from sondage.journal import open_journal\nlog = open_journal(Path(sys.argv[1]), 'kimi')\n"
        "for n in range(40): log.append(Entry(id=sys.argv[2] + str(n), time='t', verb='note', note='x' * 20000))\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), which]) for which in "ab"]
    assert [process.wait() for process in started] == [0, 0]
    entries = kept(tmp_path)
    for which in "ab":
        assert [one.id for one in entries if one.id[0] == which] == [f"{which}{n}" for n in range(40)]


def test_writer_that_does_not_let_go_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = open_journal(tmp_path, "kimi")
    monkeypatch.setattr(journal, "_LOCK_SECONDS", 0.0)
    with (tmp_path / "kimi.jsonl").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(StoreError, match="cannot be written"):
            log.append(entry(1))
    log.append(entry(2))
    assert kept(tmp_path) == [entry(1), entry(2)]


@pytest.mark.parametrize("name", ["kimi", "2026-11-29 box", "модель", "a.b", "x@y+z=1"])
def test_name_fit_for_a_file_is_taken(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "/etc/x", ".hidden", "-rf", "a\0b", "a\nb", "x" * 200, "a\x1b", " a", "a "]
)
def test_name_unfit_for_a_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        open_journal(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_transcript_is_found_by_its_session_or_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_journal(tmp_path / "kept", "kimi").append(entry(1))
    path = tmp_path / "kept" / "kimi.jsonl"
    monkeypatch.chdir(tmp_path / "kept")
    for name in ("kimi", "kimi.jsonl", "./kimi.jsonl", str(path)):
        assert read_entries(find_transcript(tmp_path / "kept", name))[0] == [entry(1)]


@pytest.mark.parametrize("name", ["other", "other.jsonl", "./other", "../etc", "", "-x"])
def test_transcript_that_is_not_there_is_refused_with_those_that_are(name: str, tmp_path: Path) -> None:
    open_journal(tmp_path, "kimi").append(entry(1))
    with pytest.raises(UsageError):
        find_transcript(tmp_path, name)
    with pytest.raises(UsageError, match="kimi"):
        find_transcript(tmp_path, "other")


def test_transcript_of_somebody_else_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "kimi.jsonl"
    path.write_bytes(encode_line(entry(1)) + encode_line(entry(2))[:-9])
    path.chmod(0o644)
    entries, problems = read_entries(path)
    assert (entries, len(problems)) == ([entry(1)], 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_pipe_in_the_place_of_a_transcript_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "kimi.jsonl")
    with pytest.raises(StoreError):
        read_entries(tmp_path / "kimi.jsonl")


def test_sessions_are_listed_the_last_written_first(tmp_path: Path) -> None:
    for number, name in enumerate(("old", "new")):
        open_journal(tmp_path, name).append(entry(1))
        os.utime(tmp_path / f"{name}.jsonl", (number, number))
    (tmp_path / "other.txt").write_bytes(b"")
    (tmp_path / "link.jsonl").symlink_to("old.jsonl")
    assert [session.name for session in sessions(tmp_path)] == ["new", "old"]
    assert sessions(tmp_path / "missing") == []


def test_session_that_is_renamed_goes_on_under_its_new_name(tmp_path: Path) -> None:
    log = open_journal(tmp_path, "kimi")
    log.append(entry(1))
    log.rename("why it fails")
    log.append(entry(2))
    assert log.name == "why it fails"
    assert [one.name for one in sessions(tmp_path)] == ["why it fails"]
    assert kept(tmp_path, "why it fails") == [entry(1), entry(2)]
    log.rename("why it fails")
    assert kept(tmp_path, "why it fails") == [entry(1), entry(2)]


def test_session_is_not_renamed_over_another_nor_to_what_is_no_name(tmp_path: Path) -> None:
    other, log = open_journal(tmp_path, "other"), open_journal(tmp_path, "kimi")
    other.append(entry(1))
    log.append(entry(2))
    for name in ("other", "../kimi", ""):
        with pytest.raises(UsageError):
            log.rename(name)
    assert (kept(tmp_path, "other"), kept(tmp_path)) == ([entry(1)], [entry(2)])


def test_session_that_is_kept_in_memory_can_be_renamed_too() -> None:
    log = Journal.in_memory("unnamed")
    log.rename("monday")
    assert (log.name, log.path) == ("monday", None)
