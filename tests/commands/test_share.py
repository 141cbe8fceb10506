"""`share`: a note of the store as a file of the repository, and what `trust` then makes of it."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import Hook, Run
from tests.commands.terminal import at_terminal
from tests.team_files import LOCK, team_file, trust_all
from vectr_hooks.project import Project
from vectr_hooks.store.notes import existing_note
from vectr_hooks.store.team import team_files
from vectr_hooks.team_notes import survey
from vectr_hooks.trusted_files import FOLDER

Stored = Callable[..., int]
BODY = "Deploys go through the canary."
FILE = f"{FOLDER}/deploys-go-through-the-canary.md"
TEXT = f"""---
title: Deploys go through the canary
kind: directive
tags: ops
trigger:
  - event: session-start
---

{BODY}
"""


@pytest.fixture
def root(place: Project) -> Path:
    return Path(place.root)


@pytest.fixture
def canary(write: Stored) -> Callable[..., int]:
    """A note with all that is not for others."""

    def canary(**fields: object) -> int:
        given = {
            "kind": "directive", "tags": ["ops"], "trigger": [{"event": "session-start"}], "pinned": True,
            "author": "some-agent", "session": "session-of-mine",
        }  # fmt: skip
        return write(BODY, **given | fields)

    return canary


def changes(store: sqlite3.Connection, root: Path) -> list[str]:
    return [change.what for change in survey(store, str(root)).changes]


def test_the_file_says_what_the_author_decided_and_nothing_of_who_that_was(
    run: Run, root: Path, canary: Stored
) -> None:
    canary()
    assert run("share", "1", "--dry-run").stdout == TEXT
    assert not (root / FOLDER).exists()
    done = run("share", "1")
    assert done.stdout == (
        f"#1 directive written to {FILE}\n"
        f"commit it: git add {FILE}\n"
        "others have it delivered once they have read it: `vectr-hooks trust`\n"
    )
    assert (root / FILE).read_text() == TEXT
    assert run("share", "1").stdout.startswith(f"#1 directive is there already: {FILE}\n")
    assert json.loads(run("share", "1", "--json").stdout) == {
        "version": 1, "id": 1, "file": FILE, "written": False, "dry_run": False, "text": TEXT,
    }  # fmt: skip


def test_a_note_that_a_person_shares_stays_theirs_and_arrives_once(
    run: Run, root: Path, canary: Stored, store: sqlite3.Connection, hook: Hook
) -> None:
    canary(provenance="human")
    assert at_terminal("share", "1")[0] == 0
    assert changes(store, root) == []
    context = hook("SessionStart", source="startup")
    assert context.count(BODY) == 1
    assert "the user's standing rule" in context


def test_a_note_that_an_agent_shares_becomes_the_teams_when_a_person_trusts_it_and_arrives_once(
    run: Run, root: Path, canary: Stored, store: sqlite3.Connection, hook: Hook
) -> None:
    canary()
    assert run("share", "1").exit_code == 0
    assert changes(store, root) == ["shared"]
    assert "recorded by agent" in hook("SessionStart", source="startup")
    assert "says what #1 says: it becomes the team's" in run("trust", "--dry-run").stdout
    trust_all(store, root)
    context = hook("SessionStart", "later", source="startup")
    assert context.count(BODY) == 1
    assert "from the repository, trusted" in context


def test_another_who_has_the_file_gets_the_same_note(
    root: Path, run: Run, canary: Stored, home: Path, store: sqlite3.Connection
) -> None:
    canary()
    run("share", "1")
    clone = home / "clone"
    (clone / ".git").mkdir(parents=True)
    (clone / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (clone / FOLDER).mkdir(parents=True)
    (clone / FILE).write_bytes((root / FILE).read_bytes())
    found = survey(None, str(clone)).changes[0].draft
    assert found is not None
    mine = existing_note(store, 1)
    for name in ("title", "body", "kind", "priority", "tags", "anchors", "trigger"):
        assert getattr(found, name) == getattr(mine, name)
    assert (found.provenance, found.author, found.session, found.pinned) == ("team", "", "", False)


def test_a_note_that_has_changed_is_shared_again_into_its_file(
    run: Run, root: Path, canary: Stored, store: sqlite3.Connection
) -> None:
    canary()
    run("share", "1", "--name", "canary.md")
    edited = TEXT.replace("canary.", "second canary.").replace("Deploys go through the canary", "Canaries", 1)
    (root / "edited.md").write_text(edited)
    assert run("edit", "1", "--from", str(root / "edited.md")).exit_code == 0
    assert run("share", "1").stdout.startswith(f"#1 directive written to {FOLDER}/canary.md\n")
    assert "second canary." in (root / FOLDER / "canary.md").read_text()
    assert [file.name for file in (root / FOLDER).iterdir()] == ["canary.md"]


def test_what_the_team_changed_in_the_file_is_not_written_over(
    run: Run, root: Path, canary: Stored, store: sqlite3.Connection
) -> None:
    canary()
    run("share", "1")
    (root / FILE).write_text(TEXT.replace("canary.", "second canary."))
    done = run("share", "1")
    assert done.exit_code == 1
    assert f"error: {FILE} says something else already\nhint: `vectr-hooks trust {FILE}`" in done.stderr
    assert "second canary." in (root / FILE).read_text()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"provenance": "human"}, "is the user's: an agent cannot share it"),
        ({"provenance": "user-stated"}, "is what the user said: an agent cannot share it"),
        (
            {"provenance": "auto", "kind": "finding"},
            "was captured automatically, and nobody has looked at it",
        ),
        ({"scope": "branch"}, "holds for one branch only, which others do not have"),
        ({"title": "Under {home}"}, "names {home}, a folder of this machine"),
        ({"trigger": [{"command": "cat {root}/x"}]}, "names {root}, a folder of this machine"),
    ],
)
def test_what_others_are_not_to_have_is_refused(
    run: Run, root: Path, home: Path, canary: Stored, fields: dict[str, object], message: str
) -> None:
    places = {"home": str(home), "root": str(root)}
    text = json.dumps(fields).replace("{home}", places["home"]).replace("{root}", places["root"])
    canary(**json.loads(text))
    done = run("share", "1")
    assert done.exit_code == 1
    assert message.format(**places) in done.stderr
    assert not (root / FOLDER).exists()


def test_a_secret_is_refused_and_not_shown(
    run: Run, root: Path, canary: Stored, store: sqlite3.Connection
) -> None:
    secret = "ghp_" + "Zk3vQ9xLr7TnB2mWc8YpD4sHf6JgUe1aVo5R"
    canary()
    store.execute("UPDATE revision SET body = ?", (f"Use {secret}.",))
    done = run("share", "1")
    assert (done.exit_code, secret in done.stderr) == (1, False)
    assert done.stderr.startswith("error: #1 cannot be shared: the body holds a secret: ")
    assert not (root / FOLDER).exists()


def test_a_note_that_was_revoked_is_refused(run: Run, canary: Stored) -> None:
    canary()
    run("revoke", "1", "--reason", "Not so.")
    assert "error: #1 is revoked: Not so." in run("share", "1").stderr


@pytest.mark.parametrize("name", ["../x.md", "sub/x.md", "/tmp/x.md", ".x.md", "x.txt", "a\nb.md", " ", ""])
def test_the_file_lies_in_the_folder_and_nowhere_else(
    run: Run, root: Path, canary: Stored, name: str
) -> None:
    canary()
    if name:
        assert "is no name of a team's note" in run("share", "1", "--name", name).stderr
        return
    (root / ".vectr").symlink_to(root / "elsewhere")
    (root / "elsewhere").mkdir()
    done = run("share", "1")
    assert (done.exit_code, ".vectr is a symbolic link" in done.stderr) == (1, True)
    assert list((root / "elsewhere").iterdir()) == []


def test_a_link_in_the_place_of_the_file_is_not_written_through(run: Run, root: Path, canary: Stored) -> None:
    canary()
    team_file(root)
    (root / "target").write_text("mine")
    (root / FILE).symlink_to(root / "target")
    assert run("share", "1").exit_code == 1
    assert (root / "target").read_text() == "mine"


def test_a_note_lies_in_one_file(run: Run, root: Path, canary: Stored) -> None:
    canary()
    run("share", "1")
    done = run("share", "1", "--name", "other.md")
    assert f"error: #1 is shared already, as {FILE}\n" in done.stderr
    (root / FILE).unlink()
    assert run("share", "1", "--name", "other.md").exit_code == 0
    assert [file.name for file in (root / FOLDER).iterdir()] == ["other.md"]


def test_another_note_with_the_same_title_is_named(
    run: Run, root: Path, canary: Stored, store: sqlite3.Connection
) -> None:
    team_file(root, "other.md", LOCK.replace("kind", "title: DEPLOYS go through the canary\nkind"))
    trust_all(store, root)
    canary()
    assert f"error: {FOLDER}/other.md has the same title\nhint: it is #1; " in run("share", "2").stderr


@pytest.mark.parametrize("is_there", [True, False])
def test_nobody_takes_the_file_of_another_note_which_would_then_be_withheld(
    run: Run, root: Path, canary: Stored, store: sqlite3.Connection, hook: Hook, is_there: bool
) -> None:
    team_file(root, Path(FILE).name, TEXT)
    trust_all(store, root)
    canary(scope="workspace")
    canary(title="Another")
    if not is_there:
        (root / FILE).unlink()
    assert f"error: {FILE} has the same title\nhint: it is #1; " in run("share", "2").stderr
    for name in (Path(FILE).name, Path(FILE).name.upper().replace(".MD", ".md")):
        assert (
            f"error: {FILE} is the file of #1\nhint: give --name\n"
            in run("share", "3", "--name", name).stderr
        )
    assert [(file.path, file.note.id) for file in team_files(store)] == [(FILE, 1)]
    assert ("from the repository, trusted" in hook("SessionStart", source="startup")) is is_there


def test_a_title_without_ascii_letters_gives_a_name_all_the_same(run: Run, root: Path, write: Stored) -> None:
    write("予約は表で。")
    assert run("share", "1").exit_code == 0
    assert [file.name for file in (root / FOLDER).iterdir()] == ["0001.md"]


def test_a_name_that_the_disk_does_not_take_is_refused_in_one_line(
    run: Run, root: Path, canary: Stored
) -> None:
    canary()
    (root / FOLDER).mkdir(parents=True)
    name = "x" * 300 + ".md"
    said = run("share", "1", "--name", name).stderr
    assert said == (
        f"error: {FOLDER}/{name} cannot be written over: {os.strerror(errno.ENAMETOOLONG)}\n"
        "hint: move it away, or give --name\n"
    )
    assert "is no name of a team's note" in run("share", "1", "--name", "").stderr
