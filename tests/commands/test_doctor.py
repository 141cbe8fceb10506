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
from vectr_hooks import __version__
from vectr_hooks.commands.doctor_screen import lines
from vectr_hooks.diagnosis import file_systems
from vectr_hooks.diagnosis.finding import Finding
from vectr_hooks.project import Project, init_project
from vectr_hooks.registration import hook_entries, scopes
from vectr_hooks.registration.command_line import hook_commands, hooks_folder

ROOT = Path(__file__).resolve().parents[2]
DAY_MS = 24 * 60 * 60 * 1000

Stored = Callable[..., int]
Findings = list[dict[str, Any]]
Doctor = Callable[..., Findings]


@pytest.fixture(autouse=True)
def _on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is on PATH, and no other client or memory of this machine."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("vectr-hooks", "git"):
        (folder / name).write_text(f'#!/bin/sh\necho "{name}, version {__version__}"\n', encoding="utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@pytest.fixture
def doctor(run: Run) -> Doctor:
    """Run the command; its findings, of one level and subject where given."""

    def call(level: str = "", subject: str = "", status: int | None = None, fix: bool = False) -> Findings:
        done = run("doctor", "--json", *(["--fix"] if fix else []))
        told: dict[str, Any] = json.loads(done.stdout)
        assert told["version"] == 1
        assert not told["not_fixed"]
        assert fix or not told["fixed"]
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
    path.write_text(hook_entries.plan(None, commands), encoding="utf-8")


def one(findings: Findings, part: str) -> dict[str, Any]:
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
    assert [each for each in found if each["level"] != "ok"] == []
    assert "7 commands" in one(found, "run as written")["message"]
    assert "would bring 1" in one(found, "a session start here")["message"]
    assert "newest 1 events" in one(found, "inside the hook")["message"]
    assert {path: path.read_bytes() for path in before} == before


def test_the_text_has_a_line_for_each_finding_and_one_for_its_fix_under_its_heading(run: Run) -> None:
    done = run("doctor")
    assert done.exit_code == 1
    hooks = done.stdout.partition("\nhooks\n")[2]
    assert hooks.startswith("  error    not registered for Claude Code in ~/project\n")
    assert hooks.splitlines()[1] == "           fix: vectr-hooks install"
    assert [line for line in done.stdout.splitlines() if line and line[0] != " "] == [
        *("program", "project", "store", "hooks", "notes", "errors: 1, warnings: 0")
    ]


def test_without_a_store_it_says_how_to_make_one(run: Run, home: Path) -> None:
    folder = home / "no project"
    folder.mkdir()
    done = run("doctor", "--project", str(folder))
    assert done.exit_code == 1
    assert f"fix: vectr-hooks init --project '{folder}'" in done.stdout


@pytest.mark.parametrize("gone", ["vectr_hooks", "hooks", "python"])
def test_case_42_what_a_command_needs_and_is_gone_is_named(tree: Path, doctor: Doctor, gone: str) -> None:
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


def test_case_40_plugin_and_settings_together_are_a_double_registration(
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
    # To install would be refused for the same reason.
    (missing,) = doctor("error", "hooks")
    assert missing["fix"] == f"correct {settings} first, then look again: vectr-hooks doctor"


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
        ("DROP TABLE needle", "lacks needle.note"),
        ("DROP INDEX event_at", "lacks event_at"),
        ("DELETE FROM note_fts_data WHERE id > 10", "database disk image is malformed"),
        ("DELETE FROM trigger_key", "trigger_key of"),
        ("UPDATE note SET precedence = precedence + 1", "note of"),
        ("PRAGMA user_version = 99", "newer version"),
        ("PRAGMA application_id = 1", "another program"),
    ],
)
def test_case_34_a_store_with_something_wrong_in_it_is_an_error(
    place: Project, doctor: Doctor, stored: Stored, statement: str, part: str
) -> None:
    stored("Something to be found again.", "--keyword", "x")
    connection = sqlite3.connect(place.store_path, isolation_level=None)
    connection.execute(statement)
    connection.close()
    assert one(doctor("error", "store", status=1), part)["fix"]


def test_a_store_that_others_may_read_is_a_warning_with_the_command_that_mends_it(
    place: Project, doctor: Doctor
) -> None:
    os.chmod(place.store_path, 0o644)
    (found,) = doctor("warning", "store")
    assert found["message"] == f"only their folder keeps others from {place.store_path}"
    assert found["fix"] == f"chmod -R u=rwX,go= {os.path.dirname(place.store_path)}"
    assert os.system(found["fix"]) == 0
    assert not doctor("warning", "store")
    os.chmod(os.path.dirname(place.store_path), 0o755)
    assert one(doctor("warning", "store"), "other users may get at")


def test_a_text_that_an_editor_left_behind_is_named_with_how_to_store_it(
    place: Project, doctor: Doctor, run: Run, stored: Stored
) -> None:
    id = stored("The old text.")
    desk = Path(place.store_path).parent / "edit-abc"
    desk.mkdir(mode=0o700)
    text = desk / f"{id}.md"
    text.touch(0o600)
    text.write_text("---\nkind: finding\n---\n\nThe new text.\n")
    (found,) = doctor("warning", "store")
    assert str(text) in found["message"]
    command, _, deletes = found["fix"].partition(" stores it; then delete ")
    done = run(*command.split()[1:])
    assert done.exit_code == 0, done.stderr
    assert deletes == str(desk)
    assert "The new text." in run("show", str(id)).stdout


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
    assert one(found, "1 of 3 notes have no trigger")["fix"]
    assert one(found, "1 note has a trigger that names nothing definite")["fix"]


def test_events_with_too_many_candidates_are_a_warning(
    stored: Stored, doctor: Doctor, hook: Hook, run: Run
) -> None:
    for text in ("One.", "Two.", "Three."):
        stored(text, "--keyword", "deploy")
    run("config", "set", "candidates.max", "2")
    hook("UserPromptSubmit", prompt="deploy it", prompt_id="p1")
    assert "at 1 of the newest 1 events more than 2 notes" in doctor("warning", "notes")[0]["message"]


def test_what_a_purge_that_was_cut_off_left_is_named(doctor: Doctor, home: Path) -> None:
    left = home / f"vectr-hooks/workspaces/{'0' * 32}.deleted-01234567"
    left.mkdir()
    (found,) = [each for each in doctor() if str(left) in each["message"]]
    assert (found["level"], found["fix"]) == ("warning", "delete it")


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
    assert "~/project and ~/copy share one id" in done.stdout
    assert not doctor("warning", "projects")


def test_a_program_that_is_not_on_path_is_a_warning_since_agents_need_it(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = one(doctor("warning", "program"), "not on PATH")
    assert "cannot write notes" in found["message"]
    assert found["fix"]


def test_another_version_on_path_is_a_warning(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / "bin/vectr-hooks").write_text(
        "#!/bin/sh\necho vectr-hooks, version 0.0.1\n", encoding="utf-8"
    )
    found = one(doctor("warning", "program"), "is version 0.0.1")
    assert str(tmp_path / "bin/vectr-hooks") in found["message"]


def test_case_40_a_plugin_that_a_nearer_scope_switches_off_registers_nothing(
    run: Run, doctor: Doctor, settings: Path, home: Path
) -> None:
    run("install")
    user = home / ".claude/settings.json"
    user.parent.mkdir(exist_ok=True)
    user.write_text('{"enabledPlugins": {"vectr-hooks@market": true}}', encoding="utf-8")
    local = settings.with_name("settings.local.json")
    local.write_text('{"enabledPlugins": {"vectr-hooks@market": false}}', encoding="utf-8")
    assert not doctor("warning", "hooks")


def test_another_memory_is_a_warning_and_others_hooks_are_not(settings: Path, doctor: Doctor) -> None:
    hooks = [{"hooks": [{"type": "command", "command": command}]} for command in ("npx claude-mem", "date")]
    settings.write_text(json.dumps({"hooks": {"SessionStart": hooks}}), encoding="utf-8")
    found = doctor(subject="memory")
    assert "claude-mem" in one(found, "another memory is at work here")["message"]
    assert [each["level"] for each in found] == ["warning", "ok"]
    assert "`date` (SessionStart)" in found[1]["message"]


@pytest.mark.parametrize("name", ["managed-settings.json", "managed-settings.d/10-hooks.json"])
@pytest.mark.parametrize("key", ["allowManagedHooksOnly", "disableAllHooks"])
def test_an_administrator_s_settings_that_keep_hooks_from_running_are_named(
    run: Run, doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, key: str
) -> None:
    monkeypatch.setattr(scopes, "managed_folder", lambda: str(tmp_path / "managed"))
    path = tmp_path / "managed" / name
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({key: True}), encoding="utf-8")
    found = one(doctor("warning", "hooks"), f"{path} sets {key}")
    assert found["fix"] == "ask whoever administers this machine"
    assert one(doctor("ok", "settings"), str(path))


def test_only_an_administrator_can_forbid_the_hooks_of_others(settings: Path, doctor: Doctor) -> None:
    settings.write_text('{"allowManagedHooksOnly": true}', encoding="utf-8")
    assert not [each for each in doctor() if "allowManagedHooksOnly" in each["message"]]


def test_a_store_on_a_network_file_system_is_a_warning(
    doctor: Doctor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_systems, "mounts", lambda: [file_systems.Mount(str(home), "nfs4")])
    assert "VECTR_HOOKS_HOME" in one(doctor("warning", "store"), "a network file system (nfs4)")["fix"]


def test_a_disk_that_is_nearly_full_is_a_warning(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 1_200_000))
    assert "free some space" in one(doctor("warning", "store"), "1.2 MB are free")["fix"]


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("OperationalError: database is locked", "a database viewer"),
        ("OperationalError: database or disk is full", "free some space"),
        ("OperationalError: disk I/O error", "the disk"),
        ("Deadline: not done within 2.0 s", "slow disk"),
        ("DatabaseError: database disk image is malformed", "damaged"),
        ("ValueError: whatever", "vectr-hooks audit"),
    ],
)
def test_an_error_comes_with_what_a_person_can_do(
    place: Project, doctor: Doctor, message: str, part: str
) -> None:
    now = time.time_ns() // 1_000_000
    log = Path(place.store_path).with_name("errors.log")
    log.write_text(f"{now} PreToolUse: {message}\n", encoding="utf-8")
    assert part in doctor("warning", "errors")[0]["fix"]


@pytest.mark.parametrize(
    ("slowest_ms", "count", "level"),
    [(60, 200, "ok"), (60, 10, "warning"), (700, 50, "warning"), (700, 200, "ok")],
)
def test_percentiles_of_the_newest_events_are_held_against_a_target(
    place: Project, doctor: Doctor, slowest_ms: int, count: int, level: str
) -> None:
    """One event in `count` is that slow, of 200."""
    connection = sqlite3.connect(place.store_path)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(event)") if row[1] != "id"]
    values = ", ".join({"took_us": ":us", "facts": "'{}'"}.get(name, "0") for name in columns)
    connection.executemany(
        f"INSERT INTO event({', '.join(columns)}) VALUES ({values})",
        [{"us": slowest_ms * 1000 if n % count == 0 else 5_000} for n in range(200)],
    )
    connection.commit()
    connection.close()
    (found,) = doctor(subject="speed")
    assert found["level"] == level
    assert "p50 5.0 ms" in found["message"]


def test_the_version_of_the_client_is_read_from_the_newest_transcript(
    doctor: Doctor, hook: Hook, tmp_path: Path
) -> None:
    transcript = tmp_path / "session.jsonl"
    transcript.write_text('{"type": "user", "version": "2.1.332"}\n', encoding="utf-8")
    hook("SessionStart", source="startup", transcript_path=str(transcript))
    assert "Claude Code 2.1.332" in doctor("ok", "client")[0]["message"]


@pytest.mark.parametrize("width", [60, 80])
def test_lines_fit_the_terminal_and_hang_below_their_text(width: int) -> None:
    path = "/a/very/long/path/" + "x" * width
    found = [
        Finding("ok", "store", "word " * 40),
        Finding(
            "warning", "hooks", f"{path} is not good", "a longer " * 6 + "`vectr-hooks forget 1 2 3` " * 3
        ),
        Finding("error", "notes", "short", f"vectr-hooks forget {' '.join(map(str, range(60)))}"),
    ]
    told = [line.plain for line in lines(found, ["done " * 30], [], width)]
    for line in told:
        assert len(line) <= width or path in line or "vectr-hooks forget" in line
    assert {line[:11].strip() for line in told if line.startswith("  ")} == {
        "",
        "ok",
        "warning",
        "error",
        "done",
    }
    # Commands are in one piece, so that they can be pasted.
    assert any("`vectr-hooks forget 1 2 3`" in line for line in told)
    assert f"           fix: {found[2].fix}" in told


def test_the_worst_comes_first_in_its_section() -> None:
    found = [Finding("ok", "hooks", "c"), Finding("warning", "settings", "b"), Finding("error", "hooks", "a")]
    told = [line.plain for line in lines(found, [], [], 80)]
    assert [line[11:] for line in told if line.startswith("  ")] == ["a", "b", "c"]


def test_a_terminal_gets_colours_and_a_pipe_does_not(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run("doctor").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("doctor").stdout
