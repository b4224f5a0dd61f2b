"""Entries without the names of hosts and users."""

from __future__ import annotations

import json

import msgspec
import pytest
from msgspec import structs

from sondage.core.answers.certainty import Evidence
from sondage.core.transcripts.masking import Mask
from sondage.core.transcripts.quotes import plain_commands
from sondage.core.transcripts.transcript import Entry

ENTRY = Entry(
    id="1",
    time="t",
    verb="mro",
    arguments={"class": "box.Model"},
    target="ann@box:/home/ann/sglang",
    root="/home/ann/sglang",
    checkout="/home/ann/sglang",
    commit="ab",
    host_key="SHA256:x",
    reach=("-F", "/home/bob/.ssh/config", "-J", "ann@jump.example.org", "-p", "2222", "ann@box"),
    evidence=(Evidence("a.py", 1, "box = make_box(annotation)", "d"),),
    on_this_machine=("/home/bob/lib/python3.12/abc.py",),
)
NOTE = Entry(id="2", time="t", verb="note", note="On box, as ann@box, the box has ten rows; see box:/srv/x and boxes.")
DRIFT = Entry(
    id="3",
    time="t",
    verb="drift",
    arguments={"targets": ["ann@box:/home/ann/sglang", "gpu.example.org:2222:/srv/sglang"]},
    reach=("ann@box",),
)


def masked(*entries: Entry) -> list[Entry]:
    mask = Mask(entries)
    return [mask.masked(entry) for entry in entries]


def test_nothing_tells_who_the_host_is_or_who_asked() -> None:
    (clean,) = masked(ENTRY)
    text = json.dumps(msgspec.to_builtins(clean))
    assert not any(name in text for name in ("ann@", "/ann", "bob", "jump.example", "SHA256", "2222", "@box"))
    assert (clean.target, clean.root, clean.reach) == (
        "USER@HOST:/home/USER/sglang",
        "/home/USER/sglang",
        ("USER@HOST",),
    )


def test_targets_written_as_urls_tell_nothing_either() -> None:
    entry = structs.replace(
        DRIFT,
        target="ssh://ann%40corp@box.example.org:2222/srv/x",
        reach=("-p", "2222", "ann@corp@box.example.org"),
        arguments={"targets": ["ssh://gpu.example.org:2222/srv/sglang"]},
    )
    (clean,) = masked(entry)
    text = json.dumps(msgspec.to_builtins(clean))
    assert not any(name in text for name in ("ann", "corp", "example"))
    assert clean.arguments["targets"] == ["ssh://HOST2:2222/srv/sglang"]


def test_words_of_a_source_are_no_names_of_hosts() -> None:
    (clean,) = masked(ENTRY)
    assert clean.evidence == ENTRY.evidence
    assert clean.arguments == {"class": "box.Model"}


def test_command_can_still_be_run_by_who_knows_the_host() -> None:
    (clean,) = masked(ENTRY)
    assert plain_commands(clean) == ["ssh USER@HOST 'sed -n 1p /home/USER/sglang/a.py'"]


def test_host_is_masked_in_the_users_own_words() -> None:
    _, clean = masked(ENTRY, NOTE)
    assert clean.note == "On HOST, as USER@HOST, the HOST has ten rows; see HOST:/srv/x and boxes."


def test_every_host_has_a_mask_of_its_own() -> None:
    (clean,) = masked(DRIFT)
    assert clean.arguments["targets"] == ["USER@HOST:/home/USER/sglang", "HOST2:2222:/srv/sglang"]


@pytest.mark.parametrize("host", ["gpu.example.org", "10.0.0.7", "[fd00::7]"])
def test_name_that_is_no_word_is_masked_in_sources_too(host: str) -> None:
    bare = host.strip("[]")
    entry = msgspec.structs.replace(
        ENTRY, target=f"{host}:/srv", reach=(bare,), evidence=(Evidence("a.py", 1, f"URL = 'http://{host}:80/'", ""),)
    )
    (clean,) = masked(entry)
    assert clean.evidence[0].quote == "URL = 'http://HOST:80/'"
    assert clean.target == "HOST:/srv"


def test_local_folder_of_a_user_is_masked() -> None:
    entry = Entry(id="1", time="", verb="mro", target="/home/ann/x", root="/home/ann/x")
    assert masked(entry)[0].root == "/home/USER/x"
