"""`audit replay`: what it prints, and how it ends."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Run
from tests.playback import Playback
from vectr_hooks.project import Project
from vectr_hooks.store.configuration import set_value
from vectr_hooks.store.create import open_store

Stored = Callable[..., int]


@pytest.fixture
def lived(place: Project, stored: Stored) -> Playback:
    """A session with a note that is delivered and then suppressed."""
    stored("Take the lock.", "--path", "src/**")
    # Commands prune what is older than a month.
    session = Playback(Path(place.root), Path(place.store_path), now_ms=time.time_ns() // 1_000_000)
    session.start()
    for _ in range(2):
        session.prompt("go")
        session.edit("src/a.py")
    return session


def change(place: Project, statement: str) -> None:
    with closing(open_store(place.store_path)) as con:
        con.execute(statement)


def test_one_line_says_that_all_is_as_it_was_recorded(run: Run, lived: Playback) -> None:
    done = run("audit", "replay")
    assert (done.exit_code, done.stdout) == (0, "5 events with 2 outcomes: 5 events exact\n")
    fields = json.loads(run("audit", "replay", "--json").stdout)
    assert fields == {
        "version": 1, "events": 5, "outcomes": 2, "exact": 5, "partly": 0, "not_replayable": {},
        "different": [],
    }  # fmt: skip


def test_what_differs_is_told_line_by_line_and_ends_with_1(run: Run, lived: Playback, place: Project) -> None:
    change(place, "UPDATE outcome SET status = 'suppressed', form = '' WHERE event = 3")
    change(place, "UPDATE event SET printed_bytes = 7 WHERE id = 3")
    done = run("audit", "replay")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert re.fullmatch(
        r"--- event 3, [-:Z 0-9]+: PreToolUse, session session-1, epoch 0, as recorded", lines[0]
    )
    assert lines[1:6] == [
        "+++ replayed", "-#1 status: suppressed", "+#1 status: delivered", "-#1 form: ", "+#1 form: full",
    ]  # fmt: skip
    assert lines[6].startswith("-output: 7 bytes, checksum ")
    assert " | Take the lock." in lines
    assert lines[-1] == "5 events with 2 outcomes: 4 events exact; 1 event different"
    done = run("audit", "replay", "--json")
    (different,) = json.loads(done.stdout)["different"]
    assert done.exit_code == 1
    assert (different["event"], different["differences"][0]) == (
        3, {"what": "#1 status", "recorded": "suppressed", "replayed": "delivered"}
    )  # fmt: skip


def test_what_cannot_be_compared_is_counted_with_its_reason(
    run: Run, lived: Playback, place: Project
) -> None:
    change(place, "UPDATE event SET told_held_back = -1 WHERE id = 1")
    run("forget", "1", "--yes")
    assert run("audit", "replay").stdout == (
        "5 events with 2 outcomes: 2 events exact; 2 events partly replayable, and the same as far as they"
        " are (a note was forgotten since: 2); 1 event not replayable (recorded by an older version: 1)\n"
    )


def test_events_are_chosen_by_session_and_time(run: Run, lived: Playback, place: Project) -> None:
    other = Playback(Path(place.root), Path(place.store_path), "other", lived.now_ms)
    other.edit("src/a.py")
    assert run("audit", "replay", "--session", "oth").stdout.startswith(
        "1 event with 1 outcome: 1 event exact"
    )
    assert run("audit", "replay", "--since", "1h").stdout.startswith("6 events")
    assert run("audit", "replay", "--until", "1h").stdout == (
        "no event was recorded yet, or none that was chosen\n"
    )


def test_an_empty_audit_is_no_error(run: Run) -> None:
    done = run("audit", "replay")
    assert (done.exit_code, done.stdout) == (0, "no event was recorded yet, or none that was chosen\n")


def test_today_s_notes_are_compared_with_what_was_delivered(
    run: Run, stored: Stored, lived: Playback
) -> None:
    stored("Mind the tests.", "--path", "src/a.py")
    done = run("audit", "replay", "--now")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1].startswith(
        "5 events: 1 newly delivered, 0 no longer, 0 in another form; "
    )
    row = next(line.split() for line in done.stdout.splitlines() if "Mind the tests" in line)
    assert row[:5] == ["3", "PreToolUse", "2", "-", "full"]
    fields = json.loads(run("audit", "replay", "--now", "--json").stdout)
    (changed,) = fields["changes"]
    assert (changed["note"], changed["before"], changed["after"]) == (2, "", "full")
    assert changed["place"]["context"] == "src/a.py"


def test_what_is_not_known_is_said(run: Run, stored: Stored, lived: Playback) -> None:
    stored("Deploys.", "--keyword", "deploy")
    assert run("audit", "replay", "--now").stdout.splitlines()[-1] == (
        "unknown: 2 events depended on a prompt, which is not kept"
    )


NOTE = """---
kind: gotcha
trigger:
  - path: src/**
---

Proposed.
"""


def test_a_proposed_note_is_tried_and_not_stored(run: Run, lived: Playback, place: Project) -> None:
    file = Path(place.root) / "note.md"
    file.write_text(NOTE)
    done = run("audit", "replay", "--try", str(file), "--json")
    assert done.exit_code == 0, done.stderr
    fields: dict[str, Any] = json.loads(done.stdout)
    assert [firing["form"] for firing in fields["firings"]] == ["full", "suppressed"]
    assert "the proposed note: Proposed\n" in run("audit", "replay", "--try", str(file)).stdout
    assert "Proposed" not in run("list").stdout


def test_a_file_that_holds_no_note_is_refused(run: Run, lived: Playback, place: Project) -> None:
    file = Path(place.root) / "note.md"
    file.write_text("---\nkind: nonsense\n---\nx\n")
    done = run("audit", "replay", "--try", str(file))
    assert done.exit_code == 1
    assert done.stderr.startswith("error: unknown kind `nonsense`")


@pytest.mark.parametrize(
    "options",
    [["--now", "--try", "x.md"], ["--now", "--transcript", "x"], ["--transcript", "x", "--session", "s"]],
)
def test_options_that_exclude_each_other_are_refused(run: Run, options: list[str]) -> None:
    assert run("audit", "replay", *options).exit_code == 2


SWITCHED_OFF = "hooks are switched off in this project: this is what notes would do if they were on"


def test_what_notes_would_do_is_told_also_while_hooks_are_switched_off(
    run: Run, lived: Playback, place: Project, tmp_path: Path
) -> None:
    file = tmp_path / "note.md"
    file.write_text(NOTE)
    transcript = tmp_path / "s.jsonl"
    entry: dict[str, Any] = {
        "parentUuid": None, "isSidechain": False, "cwd": place.root, "sessionId": "s", "gitBranch": "main",
        "type": "assistant", "uuid": "00000000-0000-4000-8000-000000000001",
        "timestamp": "2026-01-31T12:00:00.000Z",
        "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "a", "name": "Edit", "input": {"file_path": f"{place.root}/src/a.py"}}
        ]},
    }  # fmt: skip
    transcript.write_text(json.dumps(entry, separators=(",", ":")) + "\n")
    choices = (["--now"], ["--try", str(file)], ["--transcript", str(transcript)])
    on = [run("audit", "replay", *choice) for choice in choices]
    assert "would have fired 1 time" in on[2].stdout
    with closing(open_store(place.store_path)) as con:
        set_value(con, "enabled", False, 1)
    off = [run("audit", "replay", *choice) for choice in choices]
    assert [done.stdout for done in off] == [done.stdout for done in on]
    assert [SWITCHED_OFF in done.stderr for done in (*on, *off)] == [False] * 3 + [True] * 3


def test_a_secret_in_a_tried_note_is_to_be_taken_out_of_the_file(
    run: Run, lived: Playback, tmp_path: Path
) -> None:
    file = tmp_path / "note.md"
    file.write_text(NOTE + "The token is ghp_" + "Zk3vQ9xLr7TnB2mWc8YpD4sHf6JgUe1aVo5R")
    done = run("audit", "replay", "--try", str(file))
    assert done.exit_code == 1
    assert "the body holds a secret" in done.stderr
    assert "--redact" not in done.stderr
    assert f"take it out of {file}" in " ".join(done.stderr.split())
