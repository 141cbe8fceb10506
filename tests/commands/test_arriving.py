"""`try` and `audit`: what would arrive, and what did."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from vectr_hooks.project import Project

Stored = Callable[..., int]

ROOT = Path(__file__).parents[2]


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
        (["--output", "ECONNREFUSED"], ["--output", "Error: ECONNREFUSED 127.0.0.1"]),
        (["--output", "ECONNREFUSED"], ["--failure", "Error: ECONNREFUSED 127.0.0.1"]),
        (["--subagent", "code-review*", "--event", "subagent-start"], ["--subagent", "code-reviewer"]),
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


@pytest.mark.parametrize(
    "mistyped", [["--prompt", "deploy"], ["--command", "make"], ["deploy", "to", "staging"], []]
)
def test_a_mistyped_try_is_told_which_events_there_are(run: Run, mistyped: list[str]) -> None:
    done = run("try", *mistyped)
    assert done.exit_code == 2
    assert '"PROMPT" in quotes' in done.stderr
    assert "--run CMD" in done.stderr


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


def test_the_audit_gives_every_candidate_an_outcome_and_a_reason_oldest_event_first(
    run: Run, stored: Stored, hook: Hook, place: Project
) -> None:
    stored("The fact.", "--path", "src/", "--event", "pre-edit")
    path = os.path.join(place.root, "src/x.py")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": path}, "prompt_id": "p1"}
    hook("PreToolUse", tool_use_id="t1", **edit)
    hook("PreToolUse", tool_use_id="t2", **edit)
    first, second = events(run)
    assert (first["name"], first["session"], first["facts"]["moments"]) == ("PreToolUse", "s1", ["pre-edit"])
    assert first["cost_tokens"] > 0
    (delivered,) = first["outcomes"]
    assert (delivered["note"], delivered["status"], delivered["form"]) == (1, "delivered", "full")
    assert second["event"] > first["event"]
    assert second["outcomes"][0]["status"] == "suppressed"
    text = run("audit").stdout
    assert f"{first['cost_tokens']}    delivered full  #1 The fact" in text
    assert "suppressed  #1 The fact" in text
    assert "pre-edit  src/x.py" in text


def test_the_audit_can_be_narrowed(run: Run, stored: Stored, hook: Hook) -> None:
    stored("The rule.", "--kind", "directive")
    hook("SessionStart", session="a", source="startup")
    hook("UserPromptSubmit", session="a", prompt="x", prompt_id="p1")
    hook("SessionStart", session="b", source="startup")
    assert len(events(run)) == 3
    assert len(events(run, "--limit", "1")) == 1
    assert [event["session"] for event in events(run, "--session", "a")] == ["a", "a"]
    assert [event["session"] for event in events(run, "--note", "1")] == ["a", "b"]
    assert [event["session"] for event in events(run, "--moment", "prompt-submit")] == ["a"]
    assert len(events(run, "--outcome", "delivered")) == 2
    assert events(run, "--outcome", "held back") == []
    assert len(events(run, "--since", "1h")) == 3
    assert events(run, "--until", "1h") == []
    assert events(run, "--since", "2999-01-01") == []


def test_a_session_is_known_by_the_beginning_of_its_id(run: Run, stored: Stored, hook: Hook) -> None:
    for session in ("5bff-1", "5bff-2", "77aa"):
        hook("SessionStart", session=session, source="startup")
    assert [event["session"] for event in events(run, "--session", "7")] == ["77aa"]
    two = run("audit", "--session", "5bff")
    assert (two.exit_code, "5bff-1, 5bff-2" in two.stderr.replace("5bff-2, 5bff-1", "5bff-1, 5bff-2")) == (
        1,
        True,
    )
    none = run("audit", "--session", "nobody")
    assert (none.exit_code, "no session nobody was recorded" in none.stderr) == (1, True)


@pytest.mark.parametrize("when", ["yesterday", "3", "3y", "2026-13-01", "-1h", ""])
def test_a_time_that_is_none_is_refused_with_the_forms_there_are(run: Run, when: str) -> None:
    done = run("audit", "--since", when)
    assert done.exit_code == 2
    assert "2026-01-31" in done.stderr


@pytest.mark.parametrize("option", [["--limit", "3"], ["--follow"], ["--all"], ["--since", "1h"]])
def test_options_of_the_list_are_none_of_its_subcommands(run: Run, option: list[str]) -> None:
    done = run("audit", *option, "why", "1", "last")
    assert done.exit_code == 2
    assert f"{option[0]} is for the list" in done.stderr


def test_the_timeline_shows_turns_compactions_subagents_and_what_did_not_match_only_when_asked(
    run: Run, stored: Stored, hook: Hook, place: Project
) -> None:
    stored("The rule.", "--kind", "directive")
    stored("The fact.", "--path", "src/", "--branch", "other")
    session = "5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa"
    edit = {"tool_name": "Edit", "tool_input": {"file_path": os.path.join(place.root, "src/x.py")}}
    hook("SessionStart", session=session, source="startup")
    hook("UserPromptSubmit", session=session, prompt="x", prompt_id="p1")
    hook("PreToolUse", session=session, prompt_id="p1", tool_use_id="t1", **edit)
    hook("SubagentStart", session=session, agent_id="a1", agent_type="Explore")
    hook("PreCompact", session=session, trigger="manual")
    hook("SessionStart", session=session, source="compact")
    lines = [
        re.sub(r"[0-9]{2}:[0-9]{2}:[0-9]{2}|─{3,}", "~", line) for line in run("audit").stdout.splitlines()
    ]
    day = lines[0].split()[-1]
    cost, *_, again = (event["cost_tokens"] for event in events(run))
    assert lines == [
        f"session 5bffc94d  {day}",
        "── epoch 0 ~",
        "before the first turn",
        f"~      1    {cost}  session-start  source startup",
        f"                   {cost}    delivered full  #1 The rule",
        "turn 1",
        "~      2        prompt-submit",
        "~      3        pre-edit  src/x.py; tool Edit",
        "                         1 unmatched",
        "~      5        PreCompact  source manual",
        "── compaction, epoch 1 ~",
        "turn 1",
        f"~      6    {again}  post-compaction  source compact",
        f"                   {again}    delivered full  #1 The rule  (working set)",
        "",
        f"session 5bffc94d, subagent a1 (Explore)  {day}",
        "── epoch 0 ~",
        "before the first turn",
        "~      4        subagent-start",
    ]
    assert "unmatched  #2 The fact  (branch)" in run("audit", "--all").stdout


def test_the_audit_can_be_followed(run: Run, stored: Stored, hook: Hook, place: Project) -> None:
    stored("The rule.", "--kind", "directive")
    hook("SessionStart", session="a", source="startup")
    command = [sys.executable, "-m", "vectr_hooks", "audit", "--follow", "--json", "--project", place.root]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as follower:
        assert follower.stdout is not None
        seen = [json.loads(follower.stdout.readline())["session"]]
        hook("SessionStart", session="b", source="startup")
        hook("SessionStart", session="c", source="startup")
        seen += [json.loads(follower.stdout.readline())["session"] for _ in range(2)]
        follower.send_signal(signal.SIGINT)
        assert follower.wait(timeout=20) == 130
    assert seen == ["a", "b", "c"]


def test_a_forgotten_note_keeps_its_outcomes_without_its_title(run: Run, stored: Stored, hook: Hook) -> None:
    stored("The secret rule.", "--kind", "directive")
    hook("SessionStart", source="startup")
    run("forget", "1", "--yes")
    text = run("audit").stdout
    assert "delivered full  #1 forgotten since" in text
    assert "secret" not in text
