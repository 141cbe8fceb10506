"""What `audit delivered` says of each delivery."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.hosts.transcript import attachment, of_session, prompt, result, write
from tests.playback import Playback
from tests.test_arrival import Recorded
from vectr_hooks.arrival import written_time
from vectr_hooks.cli import program
from vectr_hooks.core.occurrence import SUBAGENT_BEGINS, Occurrence
from vectr_hooks.proof import arrivals


@pytest.fixture
def session(project: Path, store_path: Path, tmp_path: Path, write: Callable[..., int]) -> Recorded:
    write("Rule.", kind="directive")
    write("Canary.", trigger=[{"keyword": "deploy"}])
    write("Care.", trigger=[{"event": "subagent-start", "subagent": "*"}])
    return Recorded(Playback(project, store_path), tmp_path / "client")


def became(store: sqlite3.Connection) -> list[str]:
    return [arrival.status for arrival in arrivals(store, "session-1")]


def test_the_same_text_in_two_epochs_is_told_apart(session: Recorded, store: sqlite3.Connection) -> None:
    session.start()
    session.prompt("Hello")
    session.compact(noted=False)
    session.prompt("Hello")
    session.compact()
    found = arrivals(store, "session-1")
    assert [one.event.epoch for one in found] == [0, 1, 2]
    assert [one.status for one in found] == ["arrived", "lost", "arrived"]


def test_a_preview_is_told_from_the_file_of_the_whole(
    session: Recorded, store: sqlite3.Connection, tmp_path: Path
) -> None:
    text = session.start(noted=False)
    whole = tmp_path / "whole.txt"
    shown = f"<persisted-output>\nOutput too large. Full output saved to: {whole}\n\nPreview:\n[#1 dir\n…"
    session.note("SessionStart", shown)
    session.prompt("Hello")
    assert became(store) == ["cut to a preview"]
    whole.write_text("something else", encoding="utf-8")
    assert became(store) == ["lost"]
    whole.write_text(text, encoding="utf-8")
    assert became(store) == ["cut to a preview"]


def test_a_subagents_delivery_is_looked_for_in_its_own_file(
    session: Recorded, store: sqlite3.Connection
) -> None:
    session.start()
    session.prompt("Hello")
    event = Occurrence(SUBAGENT_BEGINS, "SubagentStart", agent="a1", subagent="Explore", identity="a1")
    text = session._answer(event)
    assert became(store) == ["arrived", "cannot be said"]
    at = written_time(session.playback.now_ms)
    lines = [prompt("x", None, isSidechain=True)]
    lines += [attachment("y", "x", "SubagentStart", text, isSidechain=True, timestamp=at)]
    write(session.path.with_suffix("") / "subagents/agent-a1.jsonl", lines)
    assert became(store) == ["arrived", "arrived"]


def test_what_cannot_be_said_has_its_reason(session: Recorded, store: sqlite3.Connection) -> None:
    session.playback.start()
    [arrival] = arrivals(store, "session-1")
    assert (arrival.status, arrival.reason) == ("cannot be said", "the host named no record of the session")
    session.prompt("deploy", noted=False)
    session.path.unlink()
    assert [one.reason for one in arrivals(store, "session-1")] == [
        "the session's record is gone, or was never there"
    ] * 2
    session.path.mkdir()
    assert [one.reason for one in arrivals(store, "session-1")] == ["the session's record is no file"] * 2
    session.path.rmdir()
    write(session.path, [prompt("1", None, timestamp="2001-01-01T00:00:00.000Z")])
    assert {one.reason for one in arrivals(store, "session-1")} == {"the client has written nothing since"}


def run(*arguments: str) -> Any:
    return CliRunner().invoke(program, ["audit", "delivered", *arguments])


def test_the_command_names_every_delivery_and_counts_notes(session: Recorded, project: Path) -> None:
    session.start()
    session.prompt("Hello")
    here = session.last
    session.prompt("deploy")
    session.rewind(here)
    session.prompt("Hello")
    shown = run("--project", str(project))
    assert shown.exit_code == 0, shown.output
    assert "on a rewound branch" in shown.output
    assert shown.output.splitlines()[-1] == "2 deliveries of notes: 1 arrived, 1 on a rewound branch"
    found = json.loads(run("--project", str(project), "--session", "session", "--json").output)
    assert found["version"] == 1
    assert found["totals"] == {"arrived": 1, "on a rewound branch": 1}
    [first, second] = found["events"]
    assert (first["name"], first["line"], first["status"]) == ("SessionStart", 1, "arrived")
    assert [note["title"] for note in second["notes"]] == ["Canary"]
    assert [note["status"] for note in second["notes"]] == ["on a rewound branch"]


def test_the_command_says_when_there_is_nothing(session: Recorded, project: Path) -> None:
    shown = run("--project", str(project))
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "nothing was delivered" in shown.stderr
    assert run("--session", "x", "--last", "2").exit_code == 2


def test_a_time_inside_a_result_is_not_when_the_client_wrote(
    session: Recorded, store: sqlite3.Connection
) -> None:
    session.start()
    session.prompt("Hello")
    late = {"timestamp": "9999-12-31T23:59:59.000Z"}
    session.add(lambda name, before: result(name, before or "", "call-1", toolUseResult=late))
    session.prompt("deploy", noted=False)
    before = session.lines.pop()
    write(session.path, session.lines)
    assert became(store) == ["arrived", "cannot be said"]
    write(session.path, [*session.lines, before])
    assert became(store) == ["arrived", "lost"]


def test_the_record_of_another_session_says_nothing(session: Recorded, store: sqlite3.Connection) -> None:
    session.start()
    session.prompt("Hello")
    write(session.path, [of_session("x", prompt("1", None, timestamp="2999-01-01T00:00:00.000Z"))])
    assert [one.reason for one in arrivals(store, "session-1")] == ["the record is of another session"]


def test_on_a_narrow_terminal_no_column_is_cut(
    session: Recorded, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.start()
    session.prompt("Hello")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    shown = re.sub("\x1b\\[[0-9;]*m", "", run("--project", str(project)).output)
    table = shown.splitlines()[:-1]
    assert max(map(len, table)) <= 40
    assert "…" not in shown
    # A word goes on in the next line of its column.
    letters = Counter("".join(table))
    assert not Counter("eventtimenamecostbecamenotes" + "SessionStart" + "arrived" + "#1") - letters
