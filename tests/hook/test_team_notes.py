"""Notes that come with a repository, as whole processes deliver and withhold them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.hook.session import Session
from tests.playback import Playback
from tests.team_files import LOCK, TABS, team_file, trust_all
from vectr_hooks.authoring import render
from vectr_hooks.core.occurrence import SESSION_BEGINS, Occurrence
from vectr_hooks.core.provenance import HUMAN
from vectr_hooks.hosts import claude
from vectr_hooks.project import init_project
from vectr_hooks.replay.exact import DIFFERENT, EXACT, replay
from vectr_hooks.replay.past import Past
from vectr_hooks.response import Response
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import change_note
from vectr_hooks.trusted_files import FOLDER, LARGEST

Rows = Callable[[str], list[sqlite3.Row]]
HEADER = "[#1 gotcha · from the repository, trusted · path src/**]\nTake the lock first."


def reasons(rows: Rows) -> list[str]:
    return [row["reason"] for row in rows("SELECT reason FROM outcome WHERE status = 'held back'")]


def test_case_27_the_notes_of_a_cloned_repository_are_silent_until_they_are_trusted(
    session: Session, project: Path, store: sqlite3.Connection, rows: Rows
) -> None:
    team_file(project)
    team_file(project, "tabs.md", TABS)
    assert session.start().stdout == b""
    assert session.before_edit("src/a.py").stdout == b""
    assert rows("SELECT * FROM note") == []
    trust_all(store, project)
    assert session.before_edit("src/a.py").context == HEADER
    tabs = "[#2 directive · from the repository, trusted · {}]\nIndent with tabs."
    lock = HEADER.replace("path src/**", "used earlier in this session")
    assert session.compacted().context == tabs.format("post-compaction") + "\n" + lock
    assert Session(project, "later").start().context == tabs.format("session-start")


def change(file: Path) -> None:
    file.write_text(LOCK + "Or not.\n", encoding="utf-8")


def change_in_place(file: Path) -> None:
    """To as many bytes."""
    file.write_text(LOCK.replace("first", "never"), encoding="utf-8")


def leave_a_conflict(file: Path) -> None:
    file.write_text(LOCK + "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", encoding="utf-8")


def link(file: Path) -> None:
    """To a file that says exactly what was trusted."""
    elsewhere = file.parents[3] / "elsewhere.md"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


def link_the_folder(file: Path) -> None:
    elsewhere = file.parents[3] / "elsewhere"
    file.parent.rename(elsewhere)
    file.parent.symlink_to(elsewhere)


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def grow(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(LARGEST * 4000)


def write_no_text(file: Path) -> None:
    file.write_bytes(b"\0\xff" * (len(LOCK) // 2))


def delete(file: Path) -> None:
    file.unlink()


def delete_folder(file: Path) -> None:
    file.unlink()
    file.parent.rmdir()


CHANGED, GONE = "withheld: changed since it was trusted", "withheld: gone since it was trusted"


@pytest.mark.parametrize(
    ("make_other", "reason"),
    [
        (change, CHANGED), (change_in_place, CHANGED), (leave_a_conflict, CHANGED), (link, CHANGED),
        (link_the_folder, CHANGED), (pipe, CHANGED), (make_folder, CHANGED), (grow, CHANGED),
        (write_no_text, CHANGED), (delete, GONE), (delete_folder, GONE),
    ],
)  # fmt: skip
def test_a_note_whose_file_is_no_longer_as_trusted_is_withheld_and_the_audit_says_why(
    session: Session,
    project: Path,
    store: sqlite3.Connection,
    rows: Rows,
    make_other: Callable[[Path], None],
    reason: str,
) -> None:
    file = team_file(project)
    trust_all(store, project)
    make_other(file)
    assert session.before_edit("src/a.py").stdout == b""
    assert reasons(rows) == [reason]
    assert rows("SELECT * FROM error") == []


def test_a_withheld_note_arrives_once_its_file_is_as_trusted_again(
    session: Session, project: Path, store: sqlite3.Connection
) -> None:
    file = team_file(project)
    trust_all(store, project)
    change(file)
    assert session.before_edit("src/a.py").stdout == b""
    file.write_text(LOCK, encoding="utf-8")
    assert session.before_edit("src/a.py").context == HEADER
    assert session.before_edit("src/a.py").stdout == b"", "delivered once"


def test_a_withheld_note_comes_back_after_no_compaction_and_takes_nothing_from_the_budget_of_others(
    session: Session, project: Path, store: sqlite3.Connection, write: Callable[..., int]
) -> None:
    long = "---\nkind: gotcha\npriority: high\ntrigger:\n  - path: src/**\n---\n\n" + "Lock. " * 190
    file = team_file(project, "long.md", long)
    trust_all(store, project)
    for number in range(2):
        write(f"Note {number}. " + "x" * 1100, kind="gotcha", trigger=[{"path": "src/**"}])
    file.write_text("other", encoding="utf-8")
    assert session.before_edit("src/a.py").notes == ["#3", "#2"]
    assert session.compacted().notes == ["#3", "#2"]


def test_a_compaction_is_not_told_of_what_is_withheld_and_that_replays_exactly(
    session: Session, project: Path, store: sqlite3.Connection, write: Callable[..., int]
) -> None:
    file = team_file(project)
    trust_all(store, project)
    write("Drain first.", kind="gotcha", trigger=[{"path": "src/**"}])
    assert session.before_edit("src/a.py").notes == ["#2", "#1"]
    assert "(#1 #2)" in session.announce_compaction().text
    change(file)
    assert "(#2)" in session.announce_compaction("auto").text
    delete(file)
    change_note(store, 2, 1, render, HUMAN, state="superseded")
    assert session.announce_compaction().stdout == b""
    trust_all(store, project)
    with closing(Past(store)) as past:
        assert [replayed.verdict for replayed in replay(past)] == [EXACT] * 4
    store.execute("UPDATE event SET facts = json_remove(facts, '$.withheld')")
    with closing(Past(store)) as past:
        assert [replayed.verdict for replayed in replay(past)] == [EXACT, EXACT, DIFFERENT, DIFFERENT]


def test_a_note_is_withheld_only_where_the_branch_checked_out_has_another_file(
    home: Path, rows: Rows, store: sqlite3.Connection, project: Path
) -> None:
    """Two worktrees of one repository have one store."""
    other = home / "other"
    git_folder = project / ".git/worktrees/other"
    git_folder.mkdir(parents=True)
    (git_folder / "HEAD").write_text("ref: refs/heads/topic\n", encoding="utf-8")
    (git_folder / "commondir").write_text("../..\n", encoding="utf-8")
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {git_folder}\n", encoding="utf-8")
    team_file(project)
    trust_all(store, project)
    there = Session(other, "there")
    assert there.before_edit("src/a.py").stdout == b""
    assert reasons(rows) == [GONE]
    change(team_file(other))
    assert there.before_edit("src/a.py").stdout == b""
    assert reasons(rows) == [GONE, CHANGED]
    team_file(other)
    assert there.before_edit("src/a.py").context == HEADER
    assert Session(project, "here").before_edit("src/a.py").context == HEADER


def test_where_the_store_cannot_be_written_a_changed_file_is_withheld_too(
    project: Path, store: sqlite3.Connection, store_path: Path
) -> None:
    file = team_file(project, "tabs.md", TABS)
    trust_all(store, project)
    played = Playback(project, store_path)
    event = Occurrence(SESSION_BEGINS, "SessionStart", "startup", session="s")
    response = Response(played.connection, claude, event, played.place, played.now_ms)
    assert b"Indent with tabs." in response.answer_unrecorded()
    file.write_text(TABS + "x", encoding="utf-8")
    assert response.answer_unrecorded() == b""


def test_a_note_of_the_team_without_a_file_is_withheld(
    session: Session, write: Callable[..., int], rows: Rows
) -> None:
    """Such as a process that was killed in between never leaves."""
    write("Nobody trusted it.", provenance="team", trigger=[{"path": "src/**"}])
    assert session.before_edit("src/a.py").stdout == b""
    assert reasons(rows) == ["withheld: no file of it is trusted"]


def test_a_note_that_a_person_took_over_does_not_depend_on_its_file(
    session: Session, project: Path, store: sqlite3.Connection
) -> None:
    file = team_file(project)
    note = trust_all(store, project)["lock.md"]
    change_note(store, note, 1, render, provenance=HUMAN)
    file.unlink()
    assert session.before_edit("src/a.py").notes == ["#1"]


@pytest.mark.skipif(not shutil.which("git"), reason="checks branches out with git")
def test_a_note_goes_and_comes_with_the_branch_that_git_checks_out(home: Path) -> None:
    folder = home / "real"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(folder)]
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    team_file(folder)
    for arguments in (["add", "."], ["commit", "-qm", "Notes"], ["checkout", "-qb", "topic"]):
        subprocess.run([*git, *arguments], check=True)
    change(folder / FOLDER / "lock.md")
    subprocess.run([*git, "commit", "-qam", "Change"], check=True)
    with closing(open_store(init_project(str(folder)).store_path)) as con:
        trust_all(con, folder)
    on_topic = Session(folder, "topic").before_edit("src/a.py")
    subprocess.run([*git, "checkout", "-q", "-"], check=True)
    on_main = Session(folder, "main").before_edit("src/a.py")
    subprocess.run([*git, "checkout", "-q", "topic"], check=True)
    again = Session(folder, "again").before_edit("src/a.py")
    assert [bool(answer.stdout) for answer in (on_topic, on_main, again)] == [True, False, True]
