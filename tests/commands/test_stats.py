"""`stats`: what is counted, and what is suggested."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from vectr_hooks.project import Project
from vectr_hooks.store.statistics import UNMATCHED_EVENTS, UNUSED_DELIVERIES

Stored = Callable[..., int]


@pytest.fixture
def stats(run: Run) -> Callable[..., dict[str, Any]]:
    def call(*arguments: str) -> dict[str, Any]:
        done = run("stats", "--json", *arguments)
        assert done.exit_code == 0
        fields: dict[str, Any] = json.loads(done.stdout)
        assert fields["version"] == 1
        return fields

    return call


def note(found: dict[str, Any], id: int) -> dict[str, Any]:
    return next(use for use in found["notes"] if use["note"] == id)


def tool(hook: Hook, place: Project, number: int, name: str, target: str, session: str = "s1") -> None:
    given = {"command": target} if name == "Bash" else {"file_path": os.path.join(place.root, target)}
    event = {"tool_name": name, "tool_input": given, "tool_use_id": f"t{number}", "prompt_id": "p1"}
    hook("PreToolUse", session=session, **event)
    hook("PostToolUse", session=session, tool_response="x" * 4000, **event)


def test_an_empty_store_has_statistics(run: Run, stats: Callable[..., dict[str, Any]]) -> None:
    found = stats()
    assert (found["events"], found["notes"], found["lookups"]) == (0, [], [])
    done = run("stats")
    assert done.exit_code == 0
    assert "never matched: 0 of 0 notes" in done.stdout


def test_deliveries_are_counted_by_form_with_their_tokens(
    stats: Callable[..., dict[str, Any]], stored: Stored, hook: Hook, run: Run
) -> None:
    stored("The rule.", "--kind", "directive")
    stored("We chose it for speed.", "--kind", "decision", "--event", "session-start")
    stored("Nobody asks for this.")
    for session in ("a", "b"):
        hook("SessionStart", session=session, source="startup")
    found = stats()
    assert (found["events"], found["sessions"]) == (2, 2)
    rule, decision, unasked = (note(found, id) for id in (1, 2, 3))
    assert (rule["full"], rule["lines"], rule["delivered"], rule["matched"]) == (2, 0, 2, 2)
    assert (decision["full"], decision["lines"], decision["delivered"]) == (0, 2, 2)
    assert rule["tokens"] > decision["tokens"] > 0
    assert (unasked["delivered"], unasked["last_delivered_ms"]) == (0, None)
    assert {kind["kind"]: kind["delivered"] for kind in found["kinds"]} == {
        "directive": 2,
        "finding": 0,
        "decision": 2,
    }
    shown = run("stats").stdout
    assert "2 + 0" in shown
    assert "delivered 2 + 1: twice in full, once as an index line" in shown
    assert "never matched: 1 of 3 notes" in shown


@pytest.mark.parametrize(
    ("options", "name", "target"),
    [
        (["--path", "src/db/**"], "Edit", "src/db/conn.py"),
        (["--command", "make deploy"], "Bash", "cd x && make deploy"),
        (["--symbol", "acquire_lock"], "Bash", "grep -rn acquire_lock src"),
        (["--anchor", "src/db/conn.py"], "Read", "src/db/conn.py"),
    ],
)
def test_a_delivery_is_used_when_the_session_goes_on_to_what_the_note_is_about(
    stats: Callable[..., dict[str, Any]],
    stored: Stored,
    hook: Hook,
    place: Project,
    options: list[str],
    name: str,
    target: str,
) -> None:
    stored("The fact.", "--kind", "directive", "--pin", *options)
    hook("SessionStart", session="s1", source="startup")
    hook("SessionStart", session="s2", source="startup")
    tool(hook, place, 1, "Read", "docs/other.txt")
    assert note(stats(), 1)["used"] == 0
    tool(hook, place, 2, name, target)
    used = note(stats(), 1)
    # The action brings the note once more, or it is in the ledger; the delivery of the other session waits.
    assert used["used"] == 1
    assert used["delivered"] >= 2


def test_the_event_that_brings_a_note_is_no_use_of_it(
    stats: Callable[..., dict[str, Any]], stored: Stored, hook: Hook, place: Project
) -> None:
    stored("The fact.", "--path", "src/db/**", "--event", "pre-edit")
    tool(hook, place, 1, "Edit", "src/db/conn.py")
    assert (note(stats(), 1)["delivered"], note(stats(), 1)["used"]) == (1, 0)
    tool(hook, place, 2, "Edit", "src/db/conn.py")
    assert (note(stats(), 1)["delivered"], note(stats(), 1)["used"]) == (1, 1)


def test_show_is_a_use_and_recalls_are_counted_by_caller(
    stats: Callable[..., dict[str, Any]],
    stored: Stored,
    hook: Hook,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored("We chose it for speed.", "--kind", "decision", "--event", "session-start")
    hook("SessionStart", session="s1", source="startup")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    run("recall", "speed")
    run("recall", "qqqq")
    assert note(stats(), 1)["used"] == 0
    run("show", "1")
    found = stats()
    assert (note(found, 1)["used"], note(found, 1)["shown"]) == (1, 1)
    assert found["lookups"] == [
        {"command": "recall", "caller": "agent", "calls": 2, "empty": 1},
        {"command": "show", "caller": "agent", "calls": 1, "empty": 0},
    ]
    assert "recall by agent: 2 calls, 1 found nothing" in run("stats").stdout


def test_notes_are_counted_by_the_session_that_stored_them(
    stats: Callable[..., dict[str, Any]], stored: Stored, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    stored("One.")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    stored("Two.")
    stored("Three.")
    run("pin", "2")
    assert stats()["notes_written_by_session"] == {"s1": 2}


def test_a_file_read_before_and_after_a_compaction_is_read_again(
    stats: Callable[..., dict[str, Any]], hook: Hook, place: Project
) -> None:
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt="x", prompt_id="p1")
    tool(hook, place, 1, "Read", "src/a.py")
    tool(hook, place, 2, "Read", "src/a.py")
    tool(hook, place, 3, "Read", "src/b.py")
    assert stats()["reread_after_compaction"] == {"files": 0, "tokens": 0, "compactions": 0}
    hook("PreCompact", trigger="manual")
    hook("SessionStart", source="compact")
    tool(hook, place, 4, "Read", "src/a.py")
    tool(hook, place, 5, "Read", "src/a.py")
    tool(hook, place, 6, "Read", "src/c.py")
    again = stats()["reread_after_compaction"]
    assert (again["files"], again["compactions"]) == (1, 1)
    # Both results of 4,000 characters, a quarter of a token each, and little around them.
    assert 2000 <= again["tokens"] <= 2200


def test_what_was_never_used_or_never_matched_is_pointed_out(
    stats: Callable[..., dict[str, Any]], stored: Stored, hook: Hook, run: Run, place: Project
) -> None:
    from contextlib import closing

    from vectr_hooks.store.create import open_store

    stored("Start with scripts/setup.sh.", "--kind", "directive")
    stored("The fact.", "--path", "nowhere/**")
    stored("Be brief.", "--kind", "directive")
    for number in range(UNUSED_DELIVERIES):
        hook("SessionStart", session=f"s{number}", source="startup")
    found = stats()
    assert "narrow its trigger" in note(found, 1)["suggestion"]
    assert [note(found, id)["suggestion"] for id in (2, 3)] == ["", ""]
    with closing(open_store(place.store_path)) as con, con:
        con.execute("BEGIN")
        (newest,) = con.execute("SELECT max(id) FROM event").fetchone()
        for id in range(newest + 1, newest + 1 + UNMATCHED_EVENTS):
            con.execute(
                "INSERT INTO event SELECT ?, at, host, session, agent, epoch, turn, name, note_revision,"
                " setting_revision, facts, remark, printed_checksum, printed_bytes, 0, 0, 0, 1, 0, 0, 0, 0"
                " FROM event WHERE id = ?",
                (id, newest),
            )
    assert "look at its trigger" in note(stats(), 2)["suggestion"]
    assert "worth a look:" in run("stats").stdout


def test_since_leaves_out_what_is_older(
    stats: Callable[..., dict[str, Any]], stored: Stored, hook: Hook
) -> None:
    stored("The rule.", "--kind", "directive")
    hook("SessionStart", source="startup")
    assert note(stats("--since", "1h"), 1)["delivered"] == 1
    found = stats("--since", "2999-01-01")
    assert (found["events"], note(found, 1)["delivered"]) == (0, 0)
