"""`trust`, and what `doctor` and `status` say of the files that nobody has trusted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Hook, Run
from tests.commands.terminal import at_terminal
from tests.team_files import LOCK, TABS, team_file, trust_all
from vectr_hooks.project import Project
from vectr_hooks.trusted_files import FOLDER

Stored = Callable[..., int]


@pytest.fixture
def root(place: Project) -> Path:
    return Path(place.root)


def asked(run: Run, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("trust", "--dry-run", "--json", *arguments).stdout)
    return found


def test_a_person_is_shown_everything_and_asked(run: Run, root: Path, hook: Hook) -> None:
    team_file(root)
    team_file(root, "tabs.md", TABS)
    shown = (
        "new: .vectr/notes/lock.md\n"
        "  gotcha: Take the lock first\n"
        "  arrives before or after a read or an edit of src/**; once per epoch\n"
        "  costs 17 tokens\n"
        "  | Take the lock first.\n"
        "\n"
        "new: .vectr/notes/tabs.md\n"
        "  directive: Indent with tabs\n"
        "  arrives at session start and after every compaction\n"
        "  costs 17 tokens\n"
        "  | Indent with tabs.\n"
        "\n"
    )
    assert run("trust", "--dry-run").stdout == shown
    status, told = at_terminal("trust", answers=b"n\n")
    assert (status, told) == (0, shown + "Trust these 2 files? [y/N]: nothing was trusted\n")
    assert hook("SessionStart", source="startup") == ""
    status, told = at_terminal("trust", answers=b"y\n")
    assert status == 0
    assert told.startswith(shown + "#1 trusted: .vectr/notes/lock.md\n#2 trusted: .vectr/notes/tabs.md\n")
    assert "Indent with tabs." in hook("SessionStart", "later", source="startup")
    assert run("trust").stdout == "nothing new to trust: 2 files are trusted already\n"


@pytest.mark.parametrize("variables", [{}, {"CLAUDECODE": "1"}])
def test_an_agent_cannot_trust_not_even_with_yes(
    run: Run, root: Path, hook: Hook, variables: dict[str, str]
) -> None:
    team_file(root, "tabs.md", TABS)
    if variables:
        status, told = at_terminal("trust", "--yes", **variables)
    else:
        done = run("trust", "--yes")
        status, told = done.exit_code, done.stderr
    assert status == 1
    assert "error: an agent cannot trust what a repository brings: a person has to have read it" in told
    assert "Indent" not in told
    assert hook("SessionStart", source="startup") == ""


def test_a_change_is_shown_as_a_difference_with_all_around_it(
    run: Run, root: Path, store: sqlite3.Connection
) -> None:
    team_file(root)
    trust_all(store, root)
    team_file(root, text=LOCK.replace("lock first", "lock last"))
    assert run("trust", "--dry-run").stdout == (
        "changed: .vectr/notes/lock.md, #1\n"
        "  gotcha: Take the lock last\n"
        "  arrives before or after a read or an edit of src/**; once per epoch\n"
        "  costs 17 tokens\n"
        "  | --- #1\n"
        "  | +++ the file\n"
        "  | @@ -1,8 +1,8 @@\n"
        "  |  ---\n"
        "  |  kind: gotcha\n"
        "  |  trigger:\n"
        "  |    - path: src/**\n"
        "  |  ---\n"
        "  |  \n"
        "  | -Take the lock first.\n"
        "  | +Take the lock last.\n"
        "  |  \n\n"
    )


def test_what_a_terminal_would_obey_or_not_show_is_spelled_out(run: Run, root: Path) -> None:
    team_file(root, text=LOCK + "\x1b[2J\u202ehidden\u200b")
    shown = run("trust", "--dry-run").stdout
    assert shown.isascii()
    assert "hidden" in shown


def test_files_can_be_named_and_the_others_wait(run: Run, root: Path, store: sqlite3.Connection) -> None:
    team_file(root)
    team_file(root, "tabs.md", TABS)
    status, told = at_terminal("trust", "--yes", f"{FOLDER}/tabs.md")
    assert (status, "lock.md" in told) == (0, False)
    assert [row["path"] for row in store.execute("SELECT path FROM team_file")] == [f"{FOLDER}/tabs.md"]
    assert [change["file"] for change in asked(run)["changes"]] == [f"{FOLDER}/lock.md"]
    done = run("trust", f"{FOLDER}/none.md")
    assert (done.exit_code, done.stderr.splitlines()[0]) == (1, f"error: there is no file {FOLDER}/none.md")
    done = run("trust", "README.md")
    assert done.stderr.startswith("error: README.md is none of the notes of the repository\n")


def test_a_note_of_the_users_becomes_the_teams_only_where_its_file_is_named(
    run: Run, root: Path, store: sqlite3.Connection, write: Stored
) -> None:
    write("Take the lock first.", kind="gotcha", trigger=[{"path": "src/**"}], provenance="human")
    team_file(root)
    trust_all(store, root)
    team_file(root, text=LOCK.replace("first", "last"))
    left = "left out: .vectr/notes/lock.md has changed, and its note is the user's; name it to see it\n"
    assert run("trust").stdout == left + "nothing to trust\n"
    status, told = at_terminal("trust", f"{FOLDER}/lock.md", answers=b"y\n")
    assert (status, "#1, the user's, becomes the team's\n" in told) == (0, True)
    row = store.execute("SELECT body, provenance FROM revision ORDER BY id DESC LIMIT 1").fetchone()
    assert tuple(row) == ("Take the lock last.", "team")


def test_what_is_wrong_is_told_by_file_and_line_and_keeps_nobody_from_the_others(
    run: Run, root: Path
) -> None:
    team_file(root)
    team_file(root, "wrong.md", "---\nkind: rule\n---\n\nx\n")
    told = run("trust", "--dry-run").stderr
    assert told.startswith(".vectr/notes/wrong.md:2: unknown kind `rule`; ")
    found = asked(run)
    assert [change["file"] for change in found["changes"]] == [f"{FOLDER}/lock.md"]
    assert [(one["file"], one["line"]) for one in found["errors"]] == [(f"{FOLDER}/wrong.md", 2)]
    done = run("trust", f"{FOLDER}/wrong.md")
    assert done.exit_code == 1
    assert f"error: nothing was trusted: {FOLDER}/wrong.md cannot be read as a note" in done.stderr


def test_a_withdrawn_note_says_why_and_a_person_who_brings_it_back_still_needs_the_file(
    run: Run, root: Path, store: sqlite3.Connection, hook: Hook
) -> None:
    file = team_file(root, "tabs.md", TABS)
    trust_all(store, root)
    file.unlink()
    trust_all(store, root)
    why = "superseded: its file .vectr/notes/tabs.md is gone"
    assert f"WARNING: {why}\n" in run("show", "1").stdout
    assert f"no longer arrives: {why}\n" in run("show", "1").stdout
    assert at_terminal("reinstate", "1")[0] == 0
    assert hook("SessionStart", source="startup") == ""
    team_file(root, "tabs.md", TABS)
    assert "Indent with tabs." in hook("SessionStart", "later", source="startup")


def test_what_is_like_a_note_that_is_there_already_is_remarked(run: Run, root: Path, stored: Stored) -> None:
    stored("Take the lock first.")
    team_file(root)
    assert run("trust", "--dry-run").stderr.startswith("remark: .vectr/notes/lock.md: ")
    assert [one["file"] for one in asked(run)["remarks"]] == [f"{FOLDER}/lock.md"]


def test_json_gives_all_that_is_to_be_judged(run: Run, root: Path) -> None:
    team_file(root)
    assert asked(run) == {
        "version": 1,
        "dry_run": True,
        "changes": [
            {
                "file": f"{FOLDER}/lock.md",
                "change": "new",
                "id": None,
                "moved_from": None,
                "title": "Take the lock first",
                "kind": "gotcha",
                "arrives": "arrives before or after a read or an edit of src/**; once per epoch",
                "cost_tokens": 17,
                "body": "Take the lock first.",
                "diff": "",
            }
        ],
        "settled": [],
        "left": [],
        "errors": [],
        "remarks": [],
    }


def doctor(run: Run) -> list[tuple[str, str]]:
    found = json.loads(run("doctor", "--json").stdout)["findings"]
    return [(one["level"], one["message"]) for one in found if one["subject"] == "team notes"]


def test_case_27_doctor_and_status_name_the_files_that_are_not_as_trusted(
    run: Run, root: Path, store: sqlite3.Connection
) -> None:
    assert doctor(run) == []
    for name in ("changed", "fine", "gone"):
        team_file(root, f"{name}.md", LOCK.replace("first", name))
    trust_all(store, root)
    team_file(root, "changed.md", TABS)
    (root / FOLDER / "gone.md").unlink()
    team_file(root, "new.md", LOCK.replace("first", "anew"))
    team_file(root, "wrong.md", LOCK + "<<<<<<< a\n=======\n>>>>>>> b\n")
    assert doctor(run) == [
        ("ok", "1 file is as trusted"),
        ("warning", f"{FOLDER}/new.md: not trusted, so nothing of them is delivered"),
        ("warning", f"{FOLDER}/changed.md: changed since they were trusted: their notes are withheld"),
        ("warning", f"{FOLDER}/gone.md: gone since they were trusted: their notes are withheld"),
        ("warning", f"{FOLDER}/wrong.md:8: a merge has left both sides of a conflict in it"),
    ]
    told = "notes of the team: 1 trusted, 2 not trusted, 1 gone, 1 broken; `vectr-hooks trust` shows them"
    assert told in run("status").stdout.splitlines()
    assert json.loads(run("status", "--json").stdout)["team"] == {
        "trusted": 1, "untrusted": 2, "gone": 1, "broken": 1,
    }  # fmt: skip


def test_doctor_names_them_where_there_is_no_store_yet(project: Path, run: Run, place: Project) -> None:
    team_file(project)
    Path(place.store_path).unlink()
    assert doctor(run) == [("warning", f"{FOLDER}/lock.md: not trusted, so nothing of them is delivered")]
    assert "notes of the team: 1 not trusted; `vectr-hooks trust` shows them" in run("status").stdout


def test_the_audit_says_why_a_note_was_withheld(
    run: Run, root: Path, store: sqlite3.Connection, hook: Hook
) -> None:
    file = team_file(root, "tabs.md", TABS)
    trust_all(store, root)
    file.write_text(TABS + "x", encoding="utf-8")
    assert hook("SessionStart", source="startup") == ""
    why = run("audit", "why", "1", "last").stdout
    assert "held back (withheld): changed since it was trusted" in why
    assert "It comes from a file in the repository: `vectr-hooks trust` shows how that stands." in why
    assert "withheld: changed since it was trusted" in run("audit").stdout
    assert json.loads(run("audit", "--json").stdout.splitlines()[0])["outcomes"][0]["reason"] == (
        "withheld: changed since it was trusted"
    )
