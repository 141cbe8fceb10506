"""A store in which another program left a value that is none of ours: commands say which row, and go on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import Hook, Run
from vectr_hooks.project import Project

Stored = Callable[..., int]

NOTE_2 = "#2 cannot be read: its "
EVENT_2 = "event 2 cannot be read: its "
OUTCOME = "event 2 (what became of #2) cannot be read: its "

#: the damage, and how the row is named
NOTES = {
    "tags cut off": ("UPDATE revision SET tags = '[\"a' WHERE id = 2", NOTE_2 + "tags are"),
    "tags no list": ("UPDATE revision SET tags = '5' WHERE id = 2", NOTE_2 + "tags are"),
    "tags of numbers": ("UPDATE revision SET tags = '[5]' WHERE id = 2", NOTE_2 + "tags are"),
    "tags as bytes": ("UPDATE revision SET tags = x'ff00' WHERE id = 2", NOTE_2 + "tags are"),
    "tags nested without end": (
        "UPDATE revision SET tags = replace(hex(zeroblob(50000)), '0', '[') WHERE id = 2",
        NOTE_2 + "tags are",
    ),
    "anchors": ("UPDATE revision SET anchors = '5' WHERE id = 2", NOTE_2 + "anchors are"),
    "trigger cut off": ("UPDATE revision SET trigger = '[[' WHERE id = 2", NOTE_2 + "trigger is"),
    "trigger a list": ("UPDATE revision SET trigger = '[]' WHERE id = 2", NOTE_2 + "trigger is"),
    "trigger of numbers": (
        'UPDATE revision SET trigger = \'{"clauses": [{"path": [5]}]}\' WHERE id = 2',
        NOTE_2 + "trigger is",
    ),
    "trigger of no condition": (
        'UPDATE revision SET trigger = \'{"clauses": [{"zzz": ["a"]}]}\' WHERE id = 2',
        NOTE_2 + "trigger is",
    ),
    "kind": ("UPDATE revision SET kind = 'zzz' WHERE id = 2", NOTE_2 + "kind is"),
    "priority": ("UPDATE revision SET priority = 'zzz' WHERE id = 2", NOTE_2 + "priority is"),
    "state": ("UPDATE revision SET state = 'zzz' WHERE id = 2", NOTE_2 + "state is"),
    "time": ("UPDATE revision SET at = 'x' WHERE id = 2", NOTE_2 + "time is"),
    "time beyond every date": ("UPDATE revision SET at = 1 << 61 WHERE id = 2", NOTE_2 + "time is"),
    "cost": ("UPDATE revision SET cost = 'x' WHERE id = 2", NOTE_2 + "cost is"),
    "title": ("UPDATE revision SET title = x'ff' WHERE id = 2", NOTE_2 + "title is"),
}
EVENTS = {
    "facts cut off": ("UPDATE event SET facts = '{' WHERE id = 2", EVENT_2 + "facts are"),
    "facts a list": ("UPDATE event SET facts = '[]' WHERE id = 2", EVENT_2 + "facts are"),
    "time of an event": ("UPDATE event SET at = 'x' WHERE id = 2", EVENT_2 + "time is"),
    "time before 1970": ("UPDATE event SET at = -1 WHERE id = 2", EVENT_2 + "time is"),
    "epoch": ("UPDATE event SET epoch = 'x' WHERE id = 2", EVENT_2 + "epoch is"),
    "clauses": ("UPDATE outcome SET clauses = 'x' WHERE event = 2 AND note = 2", OUTCOME + "clauses are"),
    "cost of an outcome": ("UPDATE outcome SET cost = 'x' WHERE event = 2 AND note = 2", OUTCOME + "cost is"),
}
OTHERS = {
    "time of an error": ("UPDATE error SET at = 'x'", "error 1 cannot be read: its time is"),
    "lookup": ("UPDATE lookup SET notes = '['", ""),
    "time of a lookup": ("UPDATE lookup SET at = 'x'", ""),
}
DAMAGE = {**NOTES, **EVENTS, **OTHERS}
#: one damage of each field
EACH_FIELD = {statement.split(" = ")[0]: damage for damage, (statement, _) in DAMAGE.items()}.values()

LISTINGS = [
    ("list",),
    ("list", "--json"),
    ("list", "--tag", "a"),
    ("recall",),
    ("recall", "--tag", "a"),
    ("recall", "canary"),
    ("stats",),
    ("stats", "--json"),
    ("audit",),
    ("audit", "--json"),
    ("audit", "--moment", "pre-edit"),
    ("audit", "report", "--html", "-"),
    ("audit", "replay"),
    ("status",),
    ("status", "--line"),
    ("resume",),
]
ON_ONE = [
    ("show", "1"),
    ("show", "2"),
    ("show", "2", "--history"),
    ("pin", "2"),
    ("revoke", "2", "--reason", "gone"),
    ("promote", "2"),
    ("audit", "why", "2", "2"),
    ("try", "--edit", "src/a.py"),
    ("remember", "Another canary."),
    ("backup", "kept.db"),
    ("doctor",),
    ("forget", "1", "--yes"),
]


@pytest.fixture
def damaged(
    run: Run, stored: Stored, hook: Hook, place: Project, store: sqlite3.Connection
) -> Callable[[str], None]:
    """Three notes and two events that delivered them, one error and one lookup; what is called damages it."""
    for name in ("first", "second", "third"):
        stored(f"The {name} canary.", "--kind", "gotcha", "--path", "src/**", "--tag", "a")
    assert run("show", "3").exit_code == 0
    hook("SessionStart", source="startup")
    edited = {"file_path": str(Path(place.root) / "src/a.py")}
    assert "canary" in hook("PreToolUse", tool_name="Edit", tool_input=edited, tool_use_id="t1")
    store.execute("INSERT INTO error (at, event, message) VALUES (1, 'Stop', 'x')")

    def damage(statement: str) -> None:
        assert store.execute(statement).rowcount == 1

    return damage


@pytest.mark.parametrize("damage", EACH_FIELD)
def test_no_command_ends_in_a_traceback(damaged: Callable[[str], None], run: Run, damage: str) -> None:
    damaged(DAMAGE[damage][0])
    for arguments in [*LISTINGS, *ON_ONE]:
        # An exception that is not ours would be raised here.
        assert run(*arguments).exit_code in (0, 1), arguments


@pytest.mark.parametrize("damage", NOTES)
def test_listings_go_on_with_the_other_notes(damaged: Callable[[str], None], run: Run, damage: str) -> None:
    statement, told = NOTES[damage]
    damaged(statement)
    for listing in ("list", "recall", "stats"):
        done = run(listing, "--json")
        assert (done.exit_code, f"left out: {told} damaged" in done.stderr) == (0, True), listing
        assert done.stderr.count("left out:") == 1
        notes = json.loads(done.stdout)["notes"]
        assert {note.get("id") or note["note"] for note in notes} == {1, 3}


@pytest.mark.parametrize("damage", NOTES)
def test_a_damaged_note_is_refused_by_name(damaged: Callable[[str], None], run: Run, damage: str) -> None:
    statement, told = NOTES[damage]
    damaged(statement)
    done = run("show", "2")
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"error: {told} damaged" in done.stderr
    assert "`vectr-hooks restore FILE`" in done.stderr


@pytest.mark.parametrize("damage", EVENTS)
def test_the_audit_goes_on_with_the_other_events(
    damaged: Callable[[str], None], run: Run, damage: str
) -> None:
    statement, told = EVENTS[damage]
    damaged(statement)
    done = run("audit", "--json")
    assert done.exit_code == 0
    assert [json.loads(line)["event"] for line in done.stdout.splitlines()] == [1]
    assert f"left out: {told} damaged" in done.stderr
    report = run("audit", "report", "--html", "-")
    assert (report.exit_code, report.stderr.count(f"left out: {told} damaged")) == (0, 1)
    assert run("audit", "why", "2", "2").stderr.startswith(f"error: {told} damaged")


def test_the_status_names_a_damaged_error(damaged: Callable[[str], None], run: Run) -> None:
    statement, told = OTHERS["time of an error"]
    damaged(statement)
    done = run("status")
    assert (done.exit_code, f"left out: {told} damaged" in done.stderr) == (0, True)


@pytest.mark.parametrize("damage", NOTES)
def test_a_hook_delivers_the_other_notes(
    damaged: Callable[[str], None], hook: Hook, place: Project, damage: str
) -> None:
    damaged(NOTES[damage][0])
    edited = {"file_path": str(Path(place.root) / "src/b.py")}
    printed = hook("PreToolUse", session="s2", tool_name="Edit", tool_input=edited, tool_use_id="t2")
    assert "The first canary." in printed
    assert "The third canary." in printed


def test_a_damaged_page_is_an_error_with_a_hint(
    damaged: Callable[[str], None], run: Run, store: sqlite3.Connection
) -> None:
    store.execute("UPDATE revision SET title = cast(x'ff' AS text) WHERE id = 2")
    done = run("list")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: the store cannot be used: ")
    assert "hint: `vectr-hooks doctor`" in done.stderr
