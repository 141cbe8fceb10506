"""`doctor` on a damaged store: every finding names what can be done, and nothing ends it early."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Run
from vectr_hooks.commands import doctor
from vectr_hooks.diagnosis import repairs
from vectr_hooks.diagnosis.finding import Finding, error
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.project import Project
from vectr_hooks.store import inspection

Stored = Callable[..., int]


def errors(run: Run, *options: str) -> list[dict[str, Any]]:
    done = run("doctor", "--json", *options)
    assert done.exit_code == 1
    return [each for each in json.loads(done.stdout)["findings"] if each["level"] == "error"]


def of_store(run: Run) -> dict[str, Any]:
    (found,) = (each for each in errors(run) if each["subject"] == "store")
    return found


def backup(run: Run) -> str:
    path: str = json.loads(run("backup", "--json").stdout)["path"]
    return path


def damaged(place: Project, statement: str) -> None:
    con = sqlite3.connect(place.store_path, isolation_level=None)
    con.execute("PRAGMA ignore_check_constraints = 1")
    con.execute(statement)
    con.close()


def test_the_newest_sound_backup_is_named_in_a_command_that_brings_it_back(
    run: Run, stored: Stored, place: Project
) -> None:
    stored("Kept.")
    backup(run)
    sound = backup(run)
    unsound = Path(sound).with_name("notes-schema1-99990101T000000Z.db")
    unsound.write_bytes(b"no database")
    damaged(place, "ALTER TABLE event DROP COLUMN more")
    remedy = of_store(run)["fix"]
    assert remedy == f"vectr-hooks restore {shlex.quote(sound)}"
    assert run(*shlex.split(remedy)[1:], "--yes").exit_code == 0
    assert not [each for each in errors(run) if each["subject"] == "store"]


def test_without_a_sound_backup_the_remedy_lists_what_there_is(run: Run, place: Project) -> None:
    damaged(place, "ALTER TABLE event DROP COLUMN more")
    remedy = of_store(run)["fix"]
    assert remedy == "vectr-hooks backup --list"
    assert run(*shlex.split(remedy)[1:]).exit_code == 0


@pytest.mark.parametrize("cut", ["header", "short"])
def test_of_a_store_that_is_no_database_all_files_are_named_and_each_step_works(
    run: Run, stored: Stored, place: Project, tmp_path: Path, cut: str
) -> None:
    stored("Kept.")
    sound = backup(run)
    path = Path(place.store_path)
    content = path.read_bytes()
    path.write_bytes(b"x" * 100 + content[100:] if cut == "header" else content[:5000])
    remedy = of_store(run)["fix"]
    assert remedy == (
        f"move {path}, {path}-wal and {path}-shm away, then `vectr-hooks init`, "
        f"then `vectr-hooks restore {shlex.quote(sound)}`"
    )
    for each in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        if each.exists():
            shutil.move(each, tmp_path)
    for step in re.findall("`vectr-hooks ([^`]+)`", remedy):
        options = ["--yes"] if step.startswith("restore") else []
        done = run(*shlex.split(step), *options)
        assert done.exit_code == 0, done.stderr
    assert "Kept" in run("list").stdout


def test_a_store_that_another_process_holds_is_said_to_be_held(
    run: Run, place: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vectr_hooks.store.files.BUSY_TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr(inspection, "opened", partial(inspection.opened, timeout_s=0.1))
    con = sqlite3.connect(place.store_path, isolation_level=None)
    con.execute("PRAGMA journal_mode = DELETE")
    con.execute("BEGIN EXCLUSIVE")
    try:
        found = of_store(run)
    finally:
        con.close()
    assert "another process holds" in found["message"]
    assert found["fix"].startswith("end it")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET took_us = 'x'",
        "UPDATE revision SET anchors = '{'",
        "UPDATE revision SET anchors = '3'",
        "UPDATE revision SET trigger = '{'",
        "UPDATE revision SET state = 'none such'",
        "UPDATE revision SET created = 'never'",
        "UPDATE conversation SET seen = 'never', transcript = x'ff'",
        "INSERT INTO error(at, event, message) VALUES ('never', 'PreCompact', x'00')",
        "INSERT INTO setting(at, key, value) VALUES (0, 'budget.turn', 'many')",
        "UPDATE workspace SET root = x'ff'",
    ],
)
@pytest.mark.parametrize("options", [(), ("--fix",)], ids=["doctor", "fix"])
def test_a_damaged_value_ends_no_check_but_its_own(
    run: Run, stored: Stored, place: Project, hook: Callable[..., str], statement: str, options: tuple[str]
) -> None:
    stored("Kept.", "--keyword", "deploy")
    hook("SessionStart", source="startup")
    damaged(place, statement)
    found = json.loads(run("doctor", "--json", *options).stdout)["findings"]
    # The last checks were reached.
    assert any("not registered for Claude Code" in each["message"] for each in found)
    for each in found:
        if "cannot be looked at" in each["message"]:
            assert each["level"] == "error"
            assert each["fix"]


@pytest.mark.parametrize(
    "problem",
    [sqlite3.DatabaseError("x"), ValueError("x"), KeyError("x"), TypeError("x"), IndexError("x")],
)
def test_a_check_that_fails_becomes_an_error_that_names_it(
    run: Run, place: Project, problem: Exception
) -> None:
    sound = backup(run)

    def check() -> list[Finding]:
        raise problem

    (found,) = doctor.guarded("notes", "the notes", place.store_path, check)
    assert found.message.startswith(f"the notes cannot be looked at: {type(problem).__name__}: ")
    assert (found.level, found.fix) == ("error", f"vectr-hooks restore {shlex.quote(sound)}")


def test_a_refusal_keeps_its_own_remedy() -> None:
    def check() -> list[Finding]:
        raise VectrHooksError("what", "how")

    (found,) = doctor.guarded("notes", "the notes", "", check)
    assert (found.message, found.fix) == ("the notes cannot be looked at: what", "how")


def test_a_repair_that_fails_keeps_no_other_from_its_work() -> None:
    def fails() -> str:
        raise ValueError("strange")

    found = [error("store", "a", "", fails), error("store", "b", "", lambda: "done")]
    assert repairs.perform(found) == (["done"], ["ValueError: strange"])
