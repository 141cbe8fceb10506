"""`doctor` on whole and on broken projects, with the real hook commands."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from vectr_hooks.project import Project, init_project
from vectr_hooks.registration import claude_settings
from vectr_hooks.registration.command_line import hook_commands, hooks_folder

ROOT = Path(__file__).resolve().parents[2]
DAY_MS = 24 * 60 * 60 * 1000

Stored = Callable[..., int]
Findings = list[dict[str, str]]
Doctor = Callable[..., Findings]


@pytest.fixture
def doctor(run: Run) -> Doctor:
    """Run the command; its findings, of one level and subject where given."""

    def call(level: str = "", subject: str = "", status: int | None = None) -> Findings:
        done = run("doctor", "--json")
        told: dict[str, Any] = json.loads(done.stdout)
        assert told["version"] == 1
        assert done.exit_code == (1 if told["errors"] else 0)
        assert status in (None, done.exit_code), told
        return [
            each
            for each in told["findings"]
            if level in ("", each["level"]) and subject in ("", each["subject"])
        ]

    return call


@pytest.fixture
def settings(place: Project) -> Path:
    """The project's settings file, which is not there yet."""
    path = Path(place.root, ".claude/settings.json")
    path.parent.mkdir()
    return path


@pytest.fixture
def tree(tmp_path: Path, place: Project, settings: Path) -> Path:
    """A copy of the program, registered in the project's settings and run by a link of its own."""
    copy = tmp_path / "the copy"
    for name in ("vectr_hooks", "hooks"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "python").symlink_to(sys.executable)
    register(settings, hook_commands(str(copy / "python"), str(copy / "hooks"), place.data_home))
    return copy


def register(path: Path, commands: dict[str, str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(claude_settings.plan(None, commands), encoding="utf-8")


def one(findings: Findings, part: str) -> dict[str, str]:
    """The one finding whose message holds `part`."""
    (found,) = (each for each in findings if part in each["message"])
    return found


def test_where_everything_works_every_line_is_ok_and_nothing_changes(
    run: Run, doctor: Doctor, stored: Stored, place: Project, hook: Hook
) -> None:
    run("install")
    stored("Run the tests with make.", "--kind", "directive")
    hook("SessionStart", source="startup")
    watched = [path for path in Path(place.root).parent.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in watched if path.suffix != ".db-shm"}
    found = doctor(status=0)
    assert {each["level"] for each in found} == {"ok"}, found
    assert "7 commands" in one(found, "run as written")["message"]
    assert "would bring 1" in one(found, "a session start here")["message"]
    assert "newest 1 events" in one(found, "inside the hook")["message"]
    assert {path: path.read_bytes() for path in before} == before


def test_the_text_has_a_line_for_each_finding_and_one_for_its_fix(run: Run) -> None:
    done = run("doctor")
    assert done.exit_code == 1
    assert "\nerror    hooks    not registered for Claude Code in " in done.stdout
    assert "\n                    fix: vectr-hooks install\n" in done.stdout
    assert done.stdout.endswith("\nerrors: 1, warnings: 0\n")


def test_without_a_store_it_says_how_to_make_one(run: Run, home: Path) -> None:
    folder = home / "no project"
    folder.mkdir()
    done = run("doctor", "--project", str(folder))
    assert done.exit_code == 1
    assert f"fix: vectr-hooks init --project '{folder}'" in done.stdout


@pytest.mark.parametrize("gone", ["vectr_hooks", "hooks", "python"])
def test_what_a_command_needs_and_is_gone_is_named(tree: Path, doctor: Doctor, gone: str) -> None:
    first = {"vectr_hooks": "vectr_hooks/hook.py", "hooks": "hooks/session_start.py", "python": "python"}[
        gone
    ]
    shutil.rmtree(tree / gone) if (tree / gone).is_dir() else (tree / gone).unlink()
    found = one(doctor("error", "hooks", status=1), f"{tree / first} is missing")
    assert found["fix"] == "vectr-hooks install --scope project"


def test_a_hook_that_fails_is_an_error_with_its_last_words_and_without_the_environment(
    tree: Path, doctor: Doctor, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret-in-the-environment")
    (tree / "vectr_hooks/payload.py").write_text("raise RuntimeError('broken here')", encoding="utf-8")
    found = one(doctor("error", "hooks", status=1), "RuntimeError: broken here")
    assert "so fail all 7 commands of" in found["message"]
    assert "the hooks cannot be loaded" in one(doctor("error", "rehearsal"), "broken here")["message"]
    assert "secret-in-the-environment" not in run("doctor").output


def test_hooks_of_another_installation_are_named_and_run(tree: Path, doctor: Doctor) -> None:
    found = doctor(status=0)
    assert f"another installation: {tree}/hooks" in one(found, "another installation")["message"]
    assert one(found, "7 commands")["level"] == "ok"


def test_a_missing_event_is_a_warning(settings: Path, doctor: Doctor, place: Project) -> None:
    commands = hook_commands(sys.executable, hooks_folder(), place.data_home)
    del commands["PreCompact"]
    register(settings, commands)
    found = one(doctor("warning", status=0), "not registered for PreCompact")
    assert found["fix"] == "vectr-hooks install --scope project"


def test_plugin_and_settings_together_are_a_double_registration(
    run: Run, doctor: Doctor, settings: Path, home: Path
) -> None:
    run("install")
    user = home / ".claude/settings.json"
    user.parent.mkdir(exist_ok=True)
    user.write_text('{"enabledPlugins": {"vectr-hooks@market": true}}', encoding="utf-8")
    found = one(doctor("warning"), "registered twice")
    assert str(settings) in found["message"]
    assert f"the plugin that {user} enables" in found["message"]
    assert found["fix"] == "vectr-hooks uninstall --scope project"


def test_different_commands_in_two_scopes_are_a_double_registration_and_equal_ones_are_not(
    settings: Path, doctor: Doctor, tree: Path
) -> None:
    other = settings.with_name("settings.local.json")
    shutil.copy(settings, other)
    assert "registered twice" not in str(doctor("warning"))
    register(other, {"PreCompact": hook_commands(str(tree / "python"), hooks_folder())["PreCompact"]})
    found = one(doctor("warning"), "registered twice, by different commands")
    assert str(settings) in found["message"]
    assert str(other) in found["message"]


def test_hooks_that_look_for_their_notes_elsewhere_are_an_error(
    settings: Path, doctor: Doctor, home: Path
) -> None:
    elsewhere = str(home / "elsewhere")
    register(settings, hook_commands(sys.executable, hooks_folder(), elsewhere))
    assert "VECTR_HOOKS_HOME" in one(doctor("error", status=1), f"look for notes in {elsewhere}")["fix"]


def test_a_command_that_could_block_the_session_is_named(settings: Path, doctor: Doctor) -> None:
    command = hook_commands(sys.executable, hooks_folder())["PreCompact"].removesuffix(" || exit 0")
    register(settings, {"PreCompact": command + " # vectr-hooks"})
    assert "PreCompact would block" in one(doctor("warning"), "|| exit 0")["message"]


def test_settings_that_cannot_be_read_are_named_with_line_and_column(settings: Path, doctor: Doctor) -> None:
    settings.write_text('{\n  "model": "x",\n}', encoding="utf-8")
    (found,) = doctor("error", "settings", status=1)
    assert found["message"].startswith(f"{settings}: line 2, column 15: a trailing comma")


def test_every_switch_that_is_off_is_a_warning(
    settings: Path, doctor: Doctor, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.write_text('{"disableAllHooks": true, "env": {"VECTR_HOOKS": "off"}}', encoding="utf-8")
    run("config", "set", "enabled", "off")
    monkeypatch.setenv("VECTR_HOOKS", "off")
    found = doctor("warning")
    assert one(found, f"{settings} sets disableAllHooks")
    assert one(found, f"{settings} sets VECTR_HOOKS=off")
    assert one(found, "VECTR_HOOKS=off is set here")["fix"] == "unset VECTR_HOOKS"
    assert one(found, "switched off in this project")["fix"] == "vectr-hooks config set enabled true"


def test_a_store_of_random_bytes_is_an_error_and_so_said(place: Project, doctor: Doctor, hook: Hook) -> None:
    Path(place.store_path).write_bytes(os.urandom(8192))
    hook("SessionStart", source="startup")
    assert "is not a database" in one(doctor("error", "store", status=1), place.store_path)["message"]
    assert "SessionStart: DatabaseError: " in doctor("warning", "errors")[0]["message"]


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("ALTER TABLE event DROP COLUMN more", "event.more is missing"),
        ("DROP TABLE needle", "needle.text is missing"),
        ("DELETE FROM note_fts_data WHERE id > 10", "database disk image is malformed"),
        ("PRAGMA user_version = 99", "newer version"),
        ("PRAGMA application_id = 1", "another program"),
    ],
)
def test_a_store_with_something_wrong_in_it_is_an_error(
    place: Project, doctor: Doctor, stored: Stored, statement: str, part: str
) -> None:
    stored("Something to be found again.")
    connection = sqlite3.connect(place.store_path, isolation_level=None)
    connection.execute(statement)
    connection.close()
    assert one(doctor("error", "store", status=1), part)["fix"]


def test_a_store_that_others_may_read_is_a_warning_with_the_command_that_mends_it(
    place: Project, doctor: Doctor
) -> None:
    os.chmod(place.store_path, 0o644)
    (found,) = doctor("warning", "store")
    assert found["fix"].startswith(f"chmod go-rwx {place.store_path}")
    assert os.system(found["fix"]) == 0
    assert not doctor("warning", "store")


def test_errors_of_the_last_days_are_shown_with_their_times_equal_ones_together(
    place: Project, doctor: Doctor
) -> None:
    now = time.time_ns() // 1_000_000
    locked = "OperationalError: database is locked"
    connection = sqlite3.connect(place.store_path)
    connection.executemany(
        "INSERT INTO error(at, event, message) VALUES (?, ?, ?)",
        [(now - 8 * DAY_MS, "PreCompact", "too old"), (now - DAY_MS, "PreToolUse", locked)] * 2,
    )
    connection.commit()
    connection.close()
    beside = Path(place.store_path).with_name("errors.log")
    beside.write_text(f"{now} SessionStart: StoreError: beside\ncut off\nx y z\n", encoding="utf-8")
    first, second = (each["message"] for each in doctor("warning", "errors"))
    day = time.strftime("%Y-%m-%d", time.gmtime(now / 1000))
    assert first.startswith(day)
    assert first.endswith("Z SessionStart: StoreError: beside")
    assert second.endswith(f"Z PreToolUse: {locked} (2 times)")


def test_more_errors_than_fit_are_counted(place: Project, doctor: Doctor) -> None:
    now = time.time_ns() // 1_000_000
    lines = "".join(f"{now} PreToolUse: Error: {n}\n" for n in range(5))
    Path(place.store_path).with_name("errors.log").write_text(lines, encoding="utf-8")
    assert doctor("warning", "errors")[-1]["message"] == "and 2 other errors in the last 7 days"


def test_notes_that_never_arrive_and_triggers_without_a_key_are_remarks(
    stored: Stored, doctor: Doctor
) -> None:
    stored("Waits to be recalled.")
    stored("Arrives.", "--kind", "directive")
    stored("Everywhere.", "--path", "*")
    found = doctor("ok", "notes")
    assert one(found, "1 of 3 have no trigger")["fix"]
    assert one(found, "1 trigger keys name nothing definite")["fix"]


def test_events_with_too_many_candidates_are_a_warning(
    stored: Stored, doctor: Doctor, hook: Hook, run: Run
) -> None:
    for text in ("One.", "Two.", "Three."):
        stored(text, "--keyword", "deploy")
    run("config", "set", "candidates.max", "2")
    hook("UserPromptSubmit", prompt="deploy it", prompt_id="p1")
    assert "at 1 of the newest 1 events more than 2 notes" in doctor("warning", "notes")[0]["message"]


def test_stores_of_projects_that_are_gone_are_remarks(doctor: Doctor, home: Path) -> None:
    other = home / "other"
    other.mkdir()
    assert init_project(str(other)).root == str(other)
    assert not doctor(subject="projects")
    shutil.rmtree(other)
    (found,) = doctor("ok", "projects")
    assert found["message"].startswith(f"{other} is gone; its notes are in ")


def test_a_copy_that_shares_the_id_is_a_warning(doctor: Doctor, place: Project, home: Path, run: Run) -> None:
    copy = home / "copy"
    shutil.copytree(place.root, copy)
    done = run("doctor", "--project", str(copy))
    assert f"{place.root} and {copy} share one id" in done.stdout
    assert not doctor("warning", "projects")
