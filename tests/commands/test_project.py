"""`init`, `status`, `resume`: where a project stands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.commands.conftest import Hook, Run
from vectr_hooks.cli import program
from vectr_hooks.project import Project, init_project

Stored = Callable[..., int]


def bare(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments, catch_exceptions=False)


def status(*arguments: str) -> dict[str, Any]:
    done = bare("status", "--json", *arguments)
    assert done.exit_code == 0
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["version"] == 1
    return found


def test_init_says_where_the_store_is_and_changes_nothing_the_second_time(project: Path) -> None:
    first = json.loads(bare("init", "--project", str(project), "--json").stdout)
    assert first["version"] == 1
    assert first["root"] == str(project)
    assert first["created"] is True
    assert os.path.isfile(first["store"])
    assert json.loads(bare("init", "--project", str(project), "--json").stdout) == first | {"created": False}
    assert "already has a store" in bare("init", "--project", str(project)).stdout


def test_status_without_a_store_says_what_to_do(project: Path) -> None:
    done = bare("status", "--project", str(project))
    assert done.exit_code == 0
    assert "`vectr-hooks init` creates it" in done.stdout
    assert "`vectr-hooks install` registers them" in done.stdout
    assert status("--project", str(project))["store"] is None


def test_status_counts_notes_events_and_deliveries(run: Run, stored: Stored, hook: Hook) -> None:
    stored("Rule.", "--kind", "directive")
    stored("Thing.")
    stored("All.", "--path", "*")
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt="hello", prompt_id="p1")
    store = status()["store"]
    assert store["notes"] == {"directive": 1, "finding": 2}
    assert (store["events_24h"], store["deliveries_24h"]) == (2, 1)
    assert store["residual_notes"] == 1
    assert (store["errors"], store["enabled"]) == (0, True)
    assert "2 events, 1 deliveries" in run("status").stdout


def test_status_says_where_the_hooks_are_installed(run: Run, place: Project) -> None:
    assert run("install", "--scope", "local").exit_code == 0
    (found,) = status()["registrations"]
    assert (found["scope"], found["installed"]) == ("local", True)
    assert found["path"] in run("status").stdout


def test_status_says_what_keeps_hooks_from_running(
    run: Run, place: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Path(place.root, ".claude/settings.json")
    settings.parent.mkdir()
    settings.write_text('{"disableAllHooks": true}', encoding="utf-8")
    run("config", "set", "enabled", "off")
    monkeypatch.setenv("VECTR_HOOKS", "off")
    text = run("status").stdout
    assert "disableAllHooks" in text
    assert "config set enabled true" in text
    assert "VECTR_HOOKS=off" in text


def test_status_survives_settings_that_cannot_be_read(run: Run, place: Project) -> None:
    settings = Path(place.root, ".claude/settings.json")
    settings.parent.mkdir()
    settings.write_text("{ not JSON", encoding="utf-8")
    assert run("status").exit_code == 0


def test_status_says_when_an_outer_project_has_a_store_that_is_not_in_force(place: Project) -> None:
    inner = Path(place.root, "vendor/inner")
    (inner / ".git").mkdir(parents=True)
    (inner / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert status("--project", str(inner))["outer_root"] == place.root
    init_project(str(inner))
    assert "not in force here" in bare("status", "--project", str(inner)).stdout


def test_resume_of_nothing_is_a_remark(run: Run) -> None:
    done = run("resume")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "nothing" in done.stderr or "anything" in done.stderr
    assert json.loads(run("resume", "--json").stdout) == {
        "version": 1,
        "session": "",
        "handoff": "",
        "tasks": [],
    }


def test_resume_tells_where_the_last_session_left_off(
    run: Run, stored: Stored, hook: Hook, place: Project, tmp_path: Path
) -> None:
    transcript = tmp_path / "session.jsonl"
    entries = [
        {"type": "user", "message": {"role": "user", "content": "Mend the lock,\nplease."}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
        },
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "no request"}]}},
        {"type": "user", "isMeta": True, "message": {"content": "not typed"}},
        {"type": "user", "message": {"content": "<system-reminder>no</system-reminder>"}},
    ]
    transcript.write_text("".join(json.dumps(entry) + "\n" for entry in entries) + '{"cut', encoding="utf-8")
    stored("Mend the lock.", "--kind", "task")
    common = {"transcript_path": str(transcript), "prompt_id": "p1"}
    hook("SessionStart", source="startup", **common)
    hook("UserPromptSubmit", prompt="Mend the lock, please.", **common)
    path = os.path.join(place.root, "src/lock.py")
    hook("PostToolUse", tool_name="Edit", tool_input={"file_path": path}, tool_use_id="t1", **common)
    hook(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "make test"},
        tool_use_id="t2",
        **common,
    )
    text = run("resume").stdout
    assert "last request: Mend the lock, please." in text
    assert "edited: src/lock.py" in text
    assert "last failing command: make test" in text
    assert "#1 task: Mend the lock" in text
    assert json.loads(run("resume", "--json").stdout)["tasks"] == [1]
