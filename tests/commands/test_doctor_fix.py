"""`doctor --fix`: what is ours and safe is put right, everything else is only named, and twice is once."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from tests.store import earlier
from vectr_hooks import __version__
from vectr_hooks.diagnosis import store as store_checks
from vectr_hooks.project import Project
from vectr_hooks.registration import hook_entries
from vectr_hooks.registration.command_line import hook_commands
from vectr_hooks.store import VERSION
from vectr_hooks.store.create import open_store

DAY_MS = 24 * 60 * 60 * 1000

Stored = Callable[..., int]
Fix = Callable[[], dict[str, Any]]


@pytest.fixture(autouse=True)
def _on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "vectr-hooks").write_text(f"#!/bin/sh\necho {__version__}\n", encoding="utf-8")
    (folder / "vectr-hooks").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.fixture
def fix(run: Run) -> Fix:
    """Run it twice; what the first run said. The second has nothing to do and finds the same."""

    def call() -> dict[str, Any]:
        first, second = (json.loads(run("doctor", "--fix", "--json").stdout) for _ in range(2))
        assert second["fixed"] == second["not_fixed"] == []
        assert [each for each in second["findings"] if each["fixable"]] == []
        assert second["errors"] == first["errors"]
        found: dict[str, Any] = first
        return found

    return call


def messages(told: dict[str, Any], *levels: str) -> list[str]:
    return [each["message"] for each in told["findings"] if each["level"] in levels]


def everything(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_others_may_read_is_kept_for_the_owner(place: Project, fix: Fix) -> None:
    folder = Path(place.store_path).parent
    (folder / "backups").mkdir()
    (folder / "backups/old.db").touch()
    for path, mode in ((folder, 0o755), (Path(place.store_path), 0o644), (folder / "backups", 0o500)):
        path.chmod(mode)
    told = fix()
    assert "kept for you alone" in told["fixed"][0]
    for path in [folder, *folder.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_write_ahead_log_that_was_left_is_written_back(
    place: Project, fix: Fix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_checks, "LARGE_LOG_BYTES", 1_000)
    leave_a_log(place.store_path)
    assert Path(place.store_path + "-wal").stat().st_size > 1_000
    told = fix()
    assert told["fixed"] == [f"wrote the write-ahead log back into {place.store_path}"]
    with sqlite3.connect(place.store_path) as con:
        assert con.execute("SELECT count(*) FROM error").fetchone() == (50,)
    con.close()


def leave_a_log(path: str) -> None:
    """As a process that was killed leaves it."""
    script = (
        "import os, sqlite3, sys; con = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "[con.execute(\"INSERT INTO error(at, event, message) VALUES (0, 'x', 'y')\") for _ in range(50)];"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, path], check=True)


@pytest.mark.parametrize("scope", ["project", "local", "user"])
def test_case_42_commands_that_start_what_is_gone_are_written_anew_in_their_place(
    run: Run, fix: Fix, place: Project, home: Path, scope: str
) -> None:
    folder = home if scope == "user" else Path(place.root)
    path = folder / ".claude" / ("settings.local.json" if scope == "local" else "settings.json")
    path.parent.mkdir(exist_ok=True)
    gone = hook_commands("/nowhere/python", "/nowhere/hooks", place.data_home)
    theirs = (
        '{\n\t"model": "opus",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}'
    )
    path.write_text(hook_entries.plan(theirs, gone), encoding="utf-8")
    told = fix()
    assert told["errors"] == 0, messages(told, "error")
    assert told["fixed"] == [f"registered the hooks in {path} anew"]
    assert "/nowhere" not in path.read_text("utf-8")
    assert hook_entries.remove(path.read_text("utf-8"), theirs) == theirs
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_events_that_are_missing_are_registered(run: Run, fix: Fix, place: Project) -> None:
    run("install")
    path = Path(place.root, ".claude/settings.json")
    document = json.loads(path.read_text("utf-8"))
    del document["hooks"]["PreCompact"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert fix()["fixed"] == [f"registered the hooks in {path} anew"]
    assert "PreCompact" in json.loads(path.read_text("utf-8"))["hooks"]


def test_a_settings_file_that_git_shares_is_not_rewritten(place: Project, run: Run) -> None:
    path = Path(place.root, ".claude/settings.json")
    path.parent.mkdir()
    text = hook_entries.plan(None, hook_commands("/nowhere/python", "/nowhere/hooks", place.data_home))
    path.write_text(text, encoding="utf-8")
    for words in (["init", "--quiet"], ["add", "--force", str(path)]):
        subprocess.run(["git", *words], cwd=place.root, check=True, capture_output=True)
    done = run("doctor", "--fix")
    assert done.exit_code == 1
    assert "/nowhere/python is missing" in done.stdout
    assert path.read_text("utf-8") == text


def test_errors_beside_the_store_are_moved_into_it(place: Project, fix: Fix, run: Run) -> None:
    now = time.time_ns() // 1_000_000
    log = Path(place.store_path).with_name("errors.log")
    log.write_text(
        f"{now - 30 * DAY_MS} PreCompact: OperationalError: old\n{now} SessionStart: StoreError: new\nhalf\n",
        encoding="utf-8",
    )
    log.chmod(0o600)
    told = fix()
    assert told["fixed"] == [f"moved 2 errors from {log} into the store"]
    assert not log.exists()
    assert [each for each in messages(told, "warning") if "StoreError: new" in each]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM note_fts_data WHERE id > 10",
        "DELETE FROM note_fts WHERE rowid = 1",
        "DELETE FROM trigger_key",
        "UPDATE needle SET text = 'Kother'",
        "DELETE FROM note WHERE id = 1",
        "DELETE FROM recall_term",
        "UPDATE recall_frequency SET notes = 7",
        "INSERT INTO clause_condition VALUES (99, 0, 0, 0, 'path', 'x')",
        "UPDATE note SET precedence = 5",
    ],
)
def test_what_is_derived_from_the_notes_is_derived_again_and_the_store_as_it_was_is_kept(
    place: Project, run: Run, stored: Stored, fix: Fix, hook: Hook, statement: str
) -> None:
    stored("Deploys go through the canary.", "--keyword", "deploy")
    stored("The pool of ACQUIRE_LOCK holds eight connections.", "--anchor", "src/pool.py")
    whole = dump(place)
    with sqlite3.connect(place.store_path) as con:
        con.execute(statement)
    con.close()
    assert json.loads(run("doctor", "--json").stdout)["errors"] == 2
    told = fix()
    (done,) = told["fixed"]
    assert done.startswith("derived triggers and search index of 2 notes")
    assert Path(done.rpartition(" ")[2]).is_file()
    assert dump(place) == whole
    assert "Deploys go through" in hook("UserPromptSubmit", prompt="deploy it", prompt_id="p1")


def dump(place: Project) -> dict[str, list[tuple[Any, ...]]]:
    """What the store holds, its search index as the texts in it."""
    con = open_store(place.store_path)
    names = con.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%!_fts!_%' ESCAPE '!'"
    )
    found = {
        name: sorted(map(tuple, con.execute(f"SELECT * FROM {name}")), key=repr)
        for (name,) in names.fetchall()
    }
    con.close()
    return found


def test_a_search_index_in_many_pieces_is_merged(
    place: Project, stored: Stored, fix: Fix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_checks, "MOST_PIECES", 1)
    for text in ("One.", "Two.", "Three."):
        stored(text)
    assert fix()["fixed"] == ["merged the pieces of the search index"]


@pytest.mark.parametrize("statement", ["DROP TABLE needle", "DROP INDEX event_at"])
def test_case_34_a_part_that_is_missing_is_named_and_made_again_only_when_asked(
    place: Project, run: Run, stored: Stored, fix: Fix, statement: str
) -> None:
    stored("Deploys go through the canary.", "--keyword", "deploy")
    with sqlite3.connect(place.store_path) as con:
        con.execute(statement)
    con.close()
    assert run("doctor").exit_code == 1
    with sqlite3.connect(place.store_path) as con:
        assert statement.split()[-1] not in {row[0] for row in con.execute("SELECT name FROM sqlite_master")}
    con.close()
    assert len(fix()["fixed"]) == 1
    assert not [each for each in json.loads(run("doctor", "--json").stdout)["findings"] if each["fixable"]]


def test_case_34_an_older_store_is_an_error_and_brought_up_to_date_only_when_asked(
    place: Project, run: Run
) -> None:
    earlier.write(Path(place.store_path), earlier.script(1), place.root, place.workspace.id)
    done = run("doctor", "--json")
    (found,) = (each for each in json.loads(done.stdout)["findings"] if "has schema 1" in each["message"])
    assert (found["level"], found["fixable"]) == ("error", True)
    assert version(place) == 1
    run("doctor", "--fix")
    assert version(place) == VERSION


def version(place: Project) -> int:
    con = sqlite3.connect(place.store_path)
    found: int = con.execute("PRAGMA user_version").fetchone()[0]
    con.close()
    return found


def test_what_is_not_ours_or_not_safe_is_not_touched(place: Project, run: Run, home: Path) -> None:
    for folder in (Path(place.root), home):
        (folder / ".claude").mkdir(exist_ok=True)
        (folder / ".claude/settings.json").write_text('{"disableAllHooks": true, "a": 1}', encoding="utf-8")
    run("install", "--scope", "local")
    shutil.copytree(place.root, home / "copy")
    before = everything(home)
    told = json.loads(run("doctor", "--fix", "--json").stdout)
    assert told["fixed"] == []
    assert len(messages(told, "warning", "error")) > 1
    after = everything(home)
    assert {path: after[path] for path in before if path.suffix != ".db-shm"} == {
        path: content for path, content in before.items() if path.suffix != ".db-shm"
    }


def test_what_was_done_is_said_before_what_is_found(place: Project, run: Run) -> None:
    os.chmod(place.store_path, 0o644)
    done = run("doctor", "--fix").stdout
    assert done.startswith("fixed\n  done     kept for you alone: ~/vectr-hooks/")
    assert "doctor --fix" not in done


def test_what_cannot_be_done_is_said_with_the_reason(
    place: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_checks, "LARGE_LOG_BYTES", 1_000)
    leave_a_log(place.store_path)
    reader = sqlite3.connect(place.store_path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM error").fetchone()
    writer = sqlite3.connect(place.store_path, isolation_level=None)
    writer.execute("INSERT INTO error(at, event, message) VALUES (0, 'x', 'y')")
    done = run("doctor", "--fix").stdout
    assert "  failed   another program holds the write-ahead log of ~/" in done
    writer.close()
    reader.close()
