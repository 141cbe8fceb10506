"""`export`: notes as files, and what of other files is left alone."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Run
from tests.commands.terminal import at_terminal
from tests.test_security_secrets import GITHUB
from vectr_hooks.project import Project

Stored = Callable[..., int]

EXPORTED = """\
---
id: 1
title: The lock is not reentrant
kind: gotcha
tags: [db, locks]
anchors: src/a.py
trigger:
  - path: src/
cooldown: 3
provenance: agent
created: TIME
changed_by: agent
lines: 3
checksum: "SUM"
---

The lock is not reentrant.

---

---
id: 2
title: Run the tests with make test
provenance: agent
state: revoked
reason: It is pytest now
state_by: agent
created: TIME
changed: TIME
changed_by: agent
lines: 1
checksum: "SUM"
---

Run the tests with make test.
"""


@pytest.fixture
def notes(run: Run, stored: Stored) -> None:
    """Two notes, one of them revoked."""
    where = ("--tag", "db", "--tag", "locks", "--anchor", "src/a.py", "--path", "src/", "--cooldown", "3")
    stored("The lock is not reentrant.\n\n---", "--kind", "gotcha", *where)
    stored()
    run("revoke", "2", "--reason", "It is pytest now")


def exported(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("export", *arguments, "--json")
    assert done.exit_code == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["version"] == 1
    return answer


def listed(run: Run) -> dict[int, dict[str, Any]]:
    return {note["id"]: note for note in json.loads(run("list", "--json").stdout)["notes"]}


def planted(place: Project, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(place.store_path)) as con, con:
        con.execute(statement, values)


@pytest.mark.usefixtures("notes")
def test_the_notes_are_printed_as_they_are_written_into_one_file(run: Run) -> None:
    printed = run("export").stdout
    assert exported(run, "--path", "all.md") == {
        "version": 1,
        **{
            "path": "all.md",
            "notes": [1, 2],
            "written": ["all.md"],
            "unchanged": [],
            "removed": [],
            "left": [],
        },
    }
    assert Path("all.md").read_text(encoding="utf-8") == printed
    lines = printed.splitlines(keepends=True)
    plain = (
        'checksum: "SUM"\n'
        if line.startswith("checksum: ")
        else f"{line.split(': ')[0]}: TIME\n"
        if line.startswith(("created: ", "changed: "))
        else line
        for line in lines
    )
    assert "".join(plain) == EXPORTED


@pytest.mark.usefixtures("notes")
def test_a_note_that_changes_changes_its_lines_only(run: Run) -> None:
    before = run("export").stdout
    run("pin", "1")
    after = run("export").stdout
    assert after != before
    second = before.index("---\nid: 2")
    assert after[after.index("---\nid: 2") :] == before[second:]
    assert "pinned: true\n" in after


@pytest.mark.usefixtures("notes")
def test_a_folder_has_a_file_for_each_note_and_follows_its_title(run: Run) -> None:
    lock, tests = "0001-the-lock-is-not-reentrant.md", "0002-run-the-tests-with-make-test.md"
    assert exported(run, "--path", "d/notes")["written"] == [lock, tests]
    assert sorted(os.listdir("d/notes")) == [lock, tests]
    assert exported(run, "--path", "d/notes")["unchanged"] == [lock, tests]
    Path("new.md").write_text("---\ntitle: Änderung für 1\n---\n\nNew.\n", encoding="utf-8")
    run("edit", "1", "--from", "new.md")
    again = exported(run, "--path", "d/notes")
    assert (again["written"], again["removed"]) == (["0001-anderung-fur-1.md"], [lock])
    assert sorted(os.listdir("d/notes")) == ["0001-anderung-fur-1.md", tests]
    run("forget", "2", "--yes")
    assert exported(run, "--path", "d/notes")["removed"] == [tests]


@pytest.mark.usefixtures("notes")
def test_only_some_kinds_and_tags(run: Run) -> None:
    assert exported(run, "--path", "a.md", "--kind", "gotcha")["notes"] == [1]
    assert exported(run, "--path", "a.md", "--tag", "db", "--tag", "locks")["notes"] == [1]
    done = run("export", "--tag", "db", "--kind", "finding")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no note is like that" in done.stderr


def test_without_notes_nothing_is_written(run: Run) -> None:
    done = run("export", "--path", "all.md")
    assert (done.exit_code, os.path.exists("all.md")) == (1, False)
    assert "there are no notes yet" in done.stderr


def test_json_is_for_files(run: Run) -> None:
    assert run("export", "--json").exit_code == 2


FOREIGN = {
    "another file": b"# Mine\n",
    "a note that was never exported": b"---\nkind: task\n---\n\nx\n",
    "no text": b"\xff\xfe",
    "an empty file": b"",
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN.keys())
@pytest.mark.usefixtures("notes")
def test_what_was_not_exported_is_not_overwritten(run: Run, content: bytes) -> None:
    Path("all.md").write_bytes(content)
    os.mkdir("d")
    Path("d/0001-the-lock-is-not-reentrant.md").write_bytes(content)
    for path in ("all.md", "d"):
        done = run("export", "--path", path)
        assert done.exit_code == 1
        assert "no unchanged export of this project's notes; nothing was written" in done.stderr
        assert "--overwrite" in done.stderr
    assert Path("all.md").read_bytes() == content
    assert Path("d/0001-the-lock-is-not-reentrant.md").read_bytes() == content
    assert len(os.listdir("d")) == 1
    assert run("export", "--path", "all.md", "--overwrite").exit_code == 0
    assert run("export", "--path", "d", "--overwrite").exit_code == 0
    assert len(os.listdir("d")) == 2


@pytest.mark.usefixtures("notes")
def test_an_export_that_was_changed_is_not_overwritten(run: Run) -> None:
    run("export", "--path", "all.md")
    run("export", "--path", "d")
    for name in ("all.md", "d/0001-the-lock-is-not-reentrant.md"):
        text = Path(name).read_text(encoding="utf-8")
        Path(name).write_text(text.replace("not reentrant.", "not reentrant at all."), encoding="utf-8")
    run("pin", "2")
    assert run("export", "--path", "all.md").exit_code == 1
    assert run("export", "--path", "d").exit_code == 1
    assert "at all" in Path("all.md").read_text(encoding="utf-8")
    # What is no longer exported and was changed stays in any case.
    answer = exported(run, "--path", "d", "--kind", "finding", "--overwrite")
    assert answer["left"] == ["0001-the-lock-is-not-reentrant.md"]
    assert "at all" in Path("d/0001-the-lock-is-not-reentrant.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("notes")
def test_a_folder_with_other_files_is_refused_and_they_stay(run: Run) -> None:
    os.mkdir("d")
    Path("d/readme.txt").write_text("Mine.", encoding="utf-8")
    Path("d/.gitattributes").write_text("* -text", encoding="utf-8")
    assert "d/readme.txt is no unchanged export" in run("export", "--path", "d").stderr
    assert exported(run, "--path", "d", "--overwrite")["left"] == ["readme.txt"]
    assert Path("d/readme.txt").read_text(encoding="utf-8") == "Mine."
    os.remove("d/readme.txt")
    assert run("export", "--path", "d").exit_code == 0
    assert Path("d/.gitattributes").exists()


@pytest.mark.usefixtures("notes")
def test_the_only_copy_of_a_note_is_not_overwritten(run: Run, place: Project) -> None:
    run("export", "--path", "all.md")
    run("export", "--path", "d")
    before = Path("all.md").read_bytes()
    # Damaged in the store.
    planted(place, "UPDATE revision SET tags = '{' WHERE note = 1")
    for path in ("all.md", "d"):
        done = run("export", "--path", path)
        assert done.exit_code == 1, path
        assert "left out: #1 cannot be read" in done.stderr
    # Another store's notes of the same ids.
    planted(place, "UPDATE revision SET tags = '[]', created = created - 1")
    for path in ("all.md", "d"):
        assert run("export", "--path", path).exit_code == 1, path
    assert Path("all.md").read_bytes() == before


@pytest.mark.parametrize("path", ["AGENTS.md", ".claude/rules"])
@pytest.mark.usefixtures("notes")
def test_nothing_is_written_where_other_tools_read_their_rules(run: Run, path: str) -> None:
    if not path.endswith(".md"):
        os.makedirs(path)
    assert run("export", "--path", path).exit_code == 1
    assert not os.path.isfile(path)


@pytest.mark.usefixtures("notes")
def test_a_file_that_cannot_be_written_is_told_and_leaves_nothing(run: Run) -> None:
    Path("x").write_text("a file", encoding="utf-8")
    for path in ("x/all.md", "x/d"):
        done = run("export", "--path", path)
        assert done.exit_code == 1
        assert done.stderr.startswith(f"error: {path}: ")
    os.mkfifo("pipe.md")
    assert "not a regular file" in run("export", "--path", "pipe.md", "--overwrite").stderr
    assert not [name for name in os.listdir() if name.endswith(".tmp")]


@pytest.mark.usefixtures("notes")
def test_what_an_export_that_was_killed_left_does_not_stand_in_the_way_of_the_next(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("export", "--path", "d")
    with monkeypatch.context() as patched:
        # As after a kill: the fresh file is there, and nobody tidies up.
        patched.setattr("os.replace", lambda *paths: exec("raise OSError(5, 'killed')"))
        patched.setattr("os.unlink", lambda path: None)
        run("pin", "1")
        assert run("export", "--path", "d").exit_code == 1
    assert [name for name in os.listdir("d") if name.endswith(".tmp")]
    assert exported(run, "--path", "d")["left"] == []


@pytest.mark.usefixtures("notes")
def test_a_link_stays_one_and_a_file_keeps_its_mode(run: Run) -> None:
    run("export", "--path", "all.md")
    os.chmod("all.md", 0o640)
    os.symlink("all.md", "link.md")
    run("pin", "1")
    assert exported(run, "--path", "link.md")["written"] == ["link.md"]
    assert os.path.islink("link.md")
    assert os.stat("all.md").st_mode & 0o777 == 0o640
    assert "pinned: true" in Path("all.md").read_text(encoding="utf-8")


SECRET_IN = {
    "body": f"Deploys take {GITHUB}.",
    "title": f"Token {GITHUB}",
    "tags": json.dumps(["a", GITHUB]),
    "anchors": json.dumps([GITHUB]),
    "author": GITHUB,
    "quote": f"take {GITHUB}",
    "reason": GITHUB,
    "session": GITHUB,
    "scope_value": GITHUB,
    "trigger": json.dumps({"clauses": [{"keyword": [GITHUB.lower()], "unless": {"branch": [GITHUB]}}]}),
}


@pytest.mark.parametrize("column", SECRET_IN)
def test_a_planted_secret_is_exported_redacted(run: Run, stored: Stored, place: Project, column: str) -> None:
    stored("The canary goes first.")
    planted(place, f"UPDATE revision SET {column} = ?", SECRET_IN[column])
    run("export", "--path", "all.md")
    for text in (run("export").stdout, Path("all.md").read_text(encoding="utf-8")):
        assert GITHUB.lower() not in text.lower()
        assert "[redacted:" in text


def test_a_secret_that_is_cut_by_what_nobody_sees_is_redacted(
    run: Run, stored: Stored, place: Project
) -> None:
    stored("The canary goes first.")
    planted(place, "UPDATE revision SET body = ?", f"{GITHUB[:12]}\u200b{GITHUB[12:]}")
    assert "[redacted: GitHub token]" in run("export").stdout


def test_the_users_notes_stay_the_users_when_a_person_imports_them(
    run: Run, place: Project, tmp_path: Path
) -> None:
    at_terminal("remember", "Never push to main.", "--kind", "directive")
    at_terminal("remember", "Run make lint.", "--kind", "directive", "--supersedes", "1")
    exported(run, "--path", str(tmp_path / "all.md"))
    before = listed(run)
    assert {note["provenance"] for note in before.values()} == {"human"}
    empty = tmp_path / "home/second"
    empty.mkdir()
    at_terminal("init", "--project", str(empty))
    code, said = at_terminal("import", str(tmp_path / "all.md"), "--project", str(empty))
    assert code == 0, said
    assert "2 notes imported\n" in said
    found = {
        note["id"]: note
        for note in json.loads(run("list", "--json", "--project", str(empty)).stdout)["notes"]
    }
    for note in (*before.values(), *found.values()):
        del note["revision"], note["last_delivered_ms"]
    assert found == before
