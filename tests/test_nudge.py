"""The nudge at the events of a session: when it comes, when not, and that it never costs a note."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.hook.session import Session
from tests.playback import Playback
from vectr_hooks.cli import program
from vectr_hooks.core.nudge import TEXT
from vectr_hooks.core.occurrence import TOOL_AFTER, Occurrence
from vectr_hooks.replay.exact import EXACT, replay
from vectr_hooks.replay.past import Past
from vectr_hooks.store.configuration import set_value

Write = Callable[..., int]


@pytest.fixture
def nudging(store: sqlite3.Connection) -> None:
    """After more than two reads, or 1,000 tokens."""
    for key, value in {"nudge": True, "nudge.calls": 2, "nudge.tokens": 1000}.items():
        set_value(store, key, value, 1)


@pytest.fixture
def session(project: Path, store_path: Path) -> Playback:
    return Playback(project, store_path)


def reads(session: Playback, times: int = 3) -> list[bool]:
    """Whether the model is told so at each of some reads."""
    return [TEXT in session.read(f"src/{number}.py") for number in range(times)]


def test_it_is_off_unless_it_is_asked_for(session: Playback) -> None:
    session.start()
    assert not any(reads(session, 30))


@pytest.mark.usefixtures("nudging")
def test_it_comes_once_in_an_epoch(session: Playback) -> None:
    session.start()
    session.prompt("go on")
    assert reads(session, 8) == [False, False, True, *[False] * 5]
    session.prompt("and on")
    assert not any(reads(session, 8))
    session.compact()
    assert reads(session, 8) == [False, False, True, *[False] * 5]


@pytest.mark.usefixtures("nudging")
def test_it_comes_when_much_was_brought(session: Playback) -> None:
    def fetch(characters: int) -> str:
        session.calls += 1
        event = Occurrence(
            TOOL_AFTER, "PostToolUse", mode="run", tool="WebFetch", identity=f"web:{session.calls}"
        )
        event.size = characters
        return session.answer(event)

    assert fetch(3000) == ""
    assert fetch(1200) == TEXT


@pytest.mark.usefixtures("nudging")
def test_only_what_retrieves_counts_and_gets_it(session: Playback) -> None:
    for _ in range(5):
        session.edit("src/a.py")
        session.tool("post", "edit", "src/a.py")
        session.run_to("make", "ok")
        session.fail("cat a.py", "no such file")
    assert session.run_to("cat a.py", "x") == ""
    assert session.run_to("rg lock src", "x") == ""
    assert session.run_to("make", "ok") == ""
    assert session.run_to("sed -n 1,9p a.py", "x") == TEXT


@pytest.mark.usefixtures("nudging")
def test_a_note_that_the_session_stores_lets_it_count_anew(session: Playback, write: Write) -> None:
    assert reads(session, 2) == [False, False]
    write("The watcher races with it.", session=session.session)
    assert reads(session, 4) == [False, False, True, False]


@pytest.mark.usefixtures("nudging")
def test_a_note_of_another_session_or_of_before_does_not(session: Playback, write: Write) -> None:
    write("Stored before anything was read.", session=session.session)
    assert reads(session, 2) == [False, False]
    write("Theirs.", session="another")
    assert reads(session, 1) == [True]


@pytest.mark.usefixtures("nudging")
def test_subagents_neither_get_it_nor_count(session: Playback) -> None:
    inside = session.inside("agent-1", "Explore")
    assert not any(reads(inside, 9))
    session.calls = inside.calls
    assert reads(session) == [False, False, True]


@pytest.mark.usefixtures("nudging")
def test_an_event_that_is_reported_twice_counts_once(session: Playback) -> None:
    for call in (1, 1, 2, 2):
        event = Occurrence(TOOL_AFTER, "PostToolUse", mode="read", tool="Read", identity=f"read:{call}")
        assert session.answer(event) == ""
    assert reads(session, 1) == [True]


@pytest.mark.usefixtures("nudging")
def test_it_follows_the_notes_and_waits_where_they_leave_no_room(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    write("Lock. " + "x" * 300, trigger=[{"path": "src/2.py"}])
    write("Pool. " + "x" * 300, trigger=[{"path": "src/3.py"}])
    set_value(store, "budget.turn", 130, 1)
    session.start()
    session.prompt("go on")
    texts = [session.read(f"src/{number}.py") for number in range(4)]
    assert "Lock." in texts[2]
    assert not any(TEXT in text for text in texts)
    session.prompt("and on")
    assert session.read("src/4.py") == TEXT


@pytest.mark.usefixtures("nudging")
def test_it_is_left_out_of_an_output_that_would_be_too_long(
    session: Playback, write: Write, store: sqlite3.Connection
) -> None:
    write("Lock. " + "x" * 600, trigger=[{"path": "src/2.py"}])
    set_value(store, "budget.bytes", 800, 1)
    assert reads(session) == [False, False, False]
    assert reads(session, 1) == [True]


def outcomes(store: sqlite3.Connection, session: str) -> list[tuple[Any, ...]]:
    statement = (
        "SELECT o.note, o.status, o.reason, o.form, o.cost FROM outcome o JOIN event e ON e.id = o.event"
        " WHERE e.session = ? ORDER BY e.id, o.position"
    )
    return [tuple(row) for row in store.execute(statement, (session,))]


def test_notes_arrive_with_it_exactly_as_without(
    project: Path, store_path: Path, store: sqlite3.Connection, write: Write
) -> None:
    for number in range(12):
        write(f"Note {number}. " + "x" * 700, trigger=[{"path": f"src/{number}.py"}])
    set_value(store, "nudge.calls", 1, 1)
    told = []
    for name, switch in (("without", False), ("with", True)):
        set_value(store, "nudge", switch, 1)
        session = Playback(project, store_path, name)
        session.start()
        texts = []
        for _ in range(2):
            session.prompt("go on")
            texts += [session.read(f"src/{number}.py") for number in range(12)]
            session.compact()
        told.append(sum(TEXT in text for text in texts))
    assert told == [0, 2]
    assert outcomes(store, "with") == outcomes(store, "without") != []


@pytest.mark.usefixtures("nudging")
def test_it_is_recorded_and_replayed_to_the_byte(session: Playback, store: sqlite3.Connection) -> None:
    session.start()
    reads(session, 4)
    with closing(Past(store)) as past:
        replayed = list(replay(past))
    assert {one.verdict for one in replayed} == {EXACT}
    assert [one.text for one in replayed if one.text] == [TEXT]
    [cost] = [row["cost"] for row in store.execute("SELECT cost FROM event WHERE printed_bytes > 0")]
    assert cost <= 60
    [facts] = [row[0] for row in store.execute("SELECT facts FROM event WHERE facts LIKE '%nudge%'")]
    assert '"nudge":1' in facts


@pytest.mark.usefixtures("nudging")
def test_a_hook_process_gives_it(project: Path, store_path: Path) -> None:
    session = Session(project)
    session.start()
    answers = [session.read(f"src/{number}.py") for number in range(4)]
    assert [answer.context for answer in answers] == ["", "", TEXT, ""]


@pytest.mark.usefixtures("nudging")
def test_the_audit_says_at_which_event_it_was_due_and_what_it_cost(session: Playback, project: Path) -> None:
    # The command prunes what is old.
    session.now_ms = time.time_ns() // 1_000_000
    session.start()
    reads(session, 4)
    shown = CliRunner().invoke(program, ["audit", "--project", str(project)])
    assert shown.exit_code == 0
    [line] = [line for line in shown.output.splitlines() if "nudge" in line]
    assert re.search(r" \d+ +\d\d +post-read  src/2.py; .*nudge due", line)
