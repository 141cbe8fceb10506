"""`try` and `audit`: what would arrive, and what did."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from vectr_hooks.project import Project

Stored = Callable[..., int]


def events(run: Run, *arguments: str) -> list[dict[str, Any]]:
    done = run("audit", "--json", *arguments)
    assert done.exit_code == 0
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(event["version"] == 1 for event in found)
    return found


@pytest.mark.parametrize(
    ("trigger", "event"),
    [
        (["--event", "session-start"], ["--start"]),
        (["--event", "post-compaction"], ["--compact"]),
        (["--keyword", "deploy"], ["please deploy it"]),
        (["--path", "src/", "--event", "pre-edit"], ["--edit", "src/x.py"]),
        (["--path", "src/", "--event", "post-read"], ["--read", "src/x.py"]),
        (["--command", "git push"], ["--run", "cd x && git push origin"]),
    ],
)
def test_try_prints_what_would_arrive_and_records_nothing(
    run: Run, stored: Stored, trigger: list[str], event: list[str]
) -> None:
    stored("The fact.", *trigger)
    first = run("try", *event)
    assert first.stdout.endswith("]\nThe fact.\n")
    assert run("try", *event).stdout == first.stdout
    assert events(run) == []


def test_try_prints_the_bytes_of_the_hook(run: Run, stored: Stored, hook: Hook) -> None:
    stored("日本: the fact.", "--kind", "directive")
    tried = run("try", "--start", "--raw").stdout_bytes.decode()
    assert tried == hook("SessionStart", source="startup")


def test_nothing_that_would_arrive_is_a_remark_and_no_byte(run: Run) -> None:
    done = run("try", "hello")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "nothing would be delivered\n")
    assert json.loads(run("try", "hello", "--json").stdout) == {
        "version": 1,
        "event": "UserPromptSubmit",
        "context": "",
        "output": "",
    }


def test_what_arrives_at_a_start_has_arrived_before_a_prompt(run: Run, stored: Stored) -> None:
    stored("The rule.", "--kind", "directive")
    assert run("try", "hello").stdout == ""


def test_paths_of_try_start_at_the_project_that_is_named(
    run: Run, place: Project, stored: Stored, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stored("The fact.", "--path", "src/x.py")
    monkeypatch.chdir(tmp_path)
    assert "The fact." in run("try", "--edit", "src/x.py", "--project", place.root).stdout


@pytest.mark.parametrize("arguments", [[], ["hello", "--start"], ["--edit", "a", "--read", "b"]])
def test_try_takes_one_event(run: Run, arguments: list[str]) -> None:
    assert run("try", *arguments).exit_code == 2


def test_an_empty_audit_is_a_remark(run: Run) -> None:
    done = run("audit")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "no event" in done.stderr
    assert events(run) == []


def test_the_audit_gives_every_candidate_an_outcome_and_a_reason_newest_event_first(
    run: Run, stored: Stored, hook: Hook, place: Project
) -> None:
    stored("The fact.", "--path", "src/", "--event", "pre-edit")
    path = os.path.join(place.root, "src/x.py")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": path}, "prompt_id": "p1"}
    hook("PreToolUse", tool_use_id="t1", **edit)
    hook("PreToolUse", tool_use_id="t2", **edit)
    second, first = events(run)
    assert (first["name"], first["session"], first["facts"]["moments"]) == ("PreToolUse", "s1", ["pre-edit"])
    assert first["cost_tokens"] > 0
    (delivered,) = first["outcomes"]
    assert (delivered["note"], delivered["status"], delivered["form"]) == (1, "delivered", "full")
    assert second["event"] > first["event"]
    assert second["outcomes"][0]["status"] == "suppressed"
    text = run("audit").stdout
    assert "#1 delivered full" in text
    assert "#1 suppressed" in text
    assert "src/x.py" in text


def test_the_audit_can_be_narrowed(run: Run, stored: Stored, hook: Hook) -> None:
    stored("The rule.", "--kind", "directive")
    hook("SessionStart", session="a", source="startup")
    hook("UserPromptSubmit", session="a", prompt="x", prompt_id="p1")
    hook("SessionStart", session="b", source="startup")
    assert len(events(run)) == 3
    assert len(events(run, "--limit", "1")) == 1
    assert [event["session"] for event in events(run, "--session", "a")] == ["a", "a"]
    assert [event["session"] for event in events(run, "--note", "1")] == ["b", "a"]
    assert events(run, "--session", "nobody") == []


def test_a_forgotten_note_keeps_its_outcomes_without_its_title(run: Run, stored: Stored, hook: Hook) -> None:
    stored("The secret rule.", "--kind", "directive")
    hook("SessionStart", source="startup")
    run("forget", "1", "--yes")
    text = run("audit").stdout
    assert "#1 delivered full" in text
    assert "secret" not in text
