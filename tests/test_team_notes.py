"""How the files of a repository stand to what is trusted, and what trusting makes of it."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.playback import Playback
from tests.team_files import LOCK, TABS, team_file, trust_all
from vectr_hooks import team_notes
from vectr_hooks.authoring import render
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.replay.past import Past
from vectr_hooks.replay.todays_notes import TodaysNotes
from vectr_hooks.store.notes import change_note, existing_note, forget
from vectr_hooks.team_notes import MOST_FILES, Survey, survey, trust
from vectr_hooks.trusted_files import FOLDER, LARGEST

Write = Callable[..., int]

SECRET = "ghp_" + "Zk3vQ9xLr7TnB2mWc8YpD4sHf6JgUe1aVo5R"


@pytest.fixture
def look(store: sqlite3.Connection, project: Path) -> Callable[[], Survey]:
    return lambda: survey(store, str(project))


def changes(found: Survey) -> list[tuple[str, str]]:
    return [(change.what, change.path.rpartition("/")[2]) for change in found.changes]


def problems(found: Survey) -> list[tuple[str, int, str]]:
    return [
        (path.rpartition("/")[2], problem.line, problem.message)
        for path, there in found.problems.items()
        for problem in there
    ]


def test_a_project_without_such_files_has_nothing_to_trust(look: Callable[[], Survey], project: Path) -> None:
    assert look() == survey(None, str(project)) == Survey()


def test_a_new_file_becomes_a_note_of_the_team_as_its_author_wrote_it(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    team_file(project)
    assert changes(look()) == changes(survey(None, str(project))) == [("new", "lock.md")]
    note = existing_note(store, trust_all(store, project)["lock.md"])
    assert (note.body, note.kind, note.provenance, note.changed_by, note.pinned, note.session) == (
        "Take the lock first.", "gotcha", "team", "human", False, "",
    )  # fmt: skip
    assert (changes(look()), look().settled) == ([], [f"{FOLDER}/lock.md"])


def test_what_was_read_is_stored_whatever_the_file_says_by_then(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    team_file(project)
    found = look()
    team_file(project, text=TABS)
    trust(store, found.changes, 1)
    assert existing_note(store, 1).body == "Take the lock first."
    assert changes(look()) == [("changed", "lock.md")]


def test_a_changed_file_becomes_a_revision_of_the_same_note_that_keeps_its_pin(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    team_file(project)
    trust_all(store, project)
    change_note(store, 1, 1, render, pinned=True)
    team_file(project, text=LOCK.replace("first", "last").replace("gotcha", "directive"))
    assert changes(look()) == [("changed", "lock.md")]
    assert trust_all(store, project) == {"lock.md": 1}
    note = existing_note(store, 1)
    assert (note.body, note.kind, note.pinned) == ("Take the lock last.", "directive", True)
    assert changes(look()) == []


def test_a_note_whose_file_is_gone_is_withdrawn_and_comes_back_with_the_file(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    file = team_file(project)
    trust_all(store, project)
    file.unlink()
    assert changes(look()) == [("gone", "lock.md")]
    assert trust_all(store, project) == {"lock.md": 1}
    note = existing_note(store, 1)
    assert (note.state, note.superseded_by, note.reason) == (
        "superseded", 0, "its file .vectr/notes/lock.md is gone",
    )  # fmt: skip
    assert changes(look()) == []
    team_file(project, text=LOCK + "It races.\n")
    assert changes(look()) == [("back", "lock.md")]
    assert trust_all(store, project) == {"lock.md": 1}
    note = existing_note(store, 1)
    assert (note.state, note.reason, note.body) == ("active", "", "Take the lock first.\nIt races.")


def test_a_file_that_only_moved_keeps_its_note_as_it_is(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    file = team_file(project)
    trust_all(store, project)
    revision = existing_note(store, 1).revision
    file.rename(file.with_name("locking.md"))
    assert changes(look()) == [("moved", "locking.md")]
    assert trust_all(store, project) == {"locking.md": 1}
    assert (existing_note(store, 1).revision, changes(look())) == (revision, [])


def test_a_note_that_says_what_a_file_says_becomes_the_teams_and_not_a_second_one(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey], write: Write
) -> None:
    trigger = [{"path": "src/**"}]
    write("Take the lock first.", kind="gotcha", trigger=trigger, author="somebody", pinned=True)
    team_file(project)
    assert changes(look()) == [("shared", "lock.md")]
    assert trust_all(store, project) == {"lock.md": 1}
    assert (existing_note(store, 1).provenance, existing_note(store, 1).pinned) == ("team", True)
    assert changes(look()) == []


@pytest.mark.parametrize("provenance", ["human", "user-stated"])
def test_a_note_of_the_users_stays_theirs_whatever_a_file_says(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey], write: Write, provenance: str
) -> None:
    write("Take the lock first.", kind="gotcha", trigger=[{"path": "src/**"}], provenance=provenance)
    file = team_file(project)
    assert changes(look()) == [("own", "lock.md")]
    trust_all(store, project)
    assert existing_note(store, 1).provenance == provenance
    assert changes(look()) == []
    team_file(project, text=LOCK.replace("first", "never"))
    assert changes(look()) == [("yours", "lock.md")]
    file.unlink()
    assert changes(look()) == [], "a file that is gone takes no note of the user's with it"


def test_a_note_that_was_given_up_here_does_not_come_back_by_its_file(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey], write: Write
) -> None:
    team_file(project)
    team_file(project, "tabs.md", TABS)
    trust_all(store, project)
    change_note(store, 1, 1, render, state="revoked", reason="Not so.")
    write("Indent with blanks.", provenance="human", supersedes=[2])
    assert look().left == {
        f"{FOLDER}/lock.md": "#1 is revoked here",
        f"{FOLDER}/tabs.md": "#2 is superseded here",
    }
    team_file(project, text=LOCK.replace("first", "never"))
    assert changes(look()) == []


def test_the_file_of_a_forgotten_note_is_new_again(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    team_file(project)
    trust_all(store, project)
    forget(store, [1])
    assert store.execute("SELECT count(*) FROM team_file").fetchone()[0] == 0
    assert changes(look()) == [("new", "lock.md")]


CONFLICT = "a merge has left both sides of a conflict in it"
WRONG: dict[str, tuple[str | bytes, int, str]] = {
    "no front matter": ("Take the lock.", 1, "there is no front matter"),
    "front matter that does not end": ("---\nkind: gotcha\n", 1, "the front matter does not end"),
    "front matter that is no YAML": ("---\nkind: [\n---\n\nx\n", 3, ""),
    "an unknown kind": ("---\npriority: low\nkind: rule\n---\n\nx\n", 3, "unknown kind `rule`"),
    "an unknown key": ("---\nwhen: now\n---\n\nx\n", 2, "unknown key"),
    "a trigger that cannot hold": ("---\ntrigger:\n  - event: never\n---\n\nx\n", 3, ""),
    "a pin": ("---\nkind: gotcha\npinned: true\n---\n\nx\n", 3, "`pinned` is not a file's to say"),
    "no pin": ("---\npinned: false\n---\n\nx\n", 2, "`pinned` is not a file's to say"),
    "another's authority": ("---\nprovenance: human\n---\n\nx\n", 2, "`provenance` is not a file's to say"),
    "a state": ("---\nstate: revoked\n---\n\nx\n", 2, "`state` is not a file's to say"),
    "an id": ("---\nkind: gotcha\nid: 1\n---\n\nx\n", 3, "`id` is not a file's to say"),
    "a session": ("---\nsession: s\n---\n\nx\n", 2, "`session` is not a file's to say"),
    "a scope": ("---\nscope: branch\n---\n\nx\n", 2, "`scope` is not a file's to say"),
    "a conflict in its body": (f"{LOCK}<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", 8, CONFLICT),
    "a conflict in its front matter": ("---\n<<<<<<< a\n=======\n>>>>>>> b\n---\n\nx\n", 2, CONFLICT),
    "a secret": (f"---\nkind: gotcha\n---\n\nx\n{SECRET}\n", 5, "the body holds a secret"),
    "no body": ("---\nkind: gotcha\n---\n", 4, "the note is empty"),
    "no line for a body": ("---\n---", 2, "the note is empty"),
    "a NUL": ("---\nkind: gotcha\n---\n\na\0b\n", 5, "the body holds a NUL character"),
    "no UTF-8": (b"---\nkind: gotcha\n---\n\n\xff\n", 5, "it is not UTF-8"),
    "an anchor outside": ("---\nanchors: ../x.py\n---\n\nx\n", 2, "the anchor ../x.py lies outside"),
    "too much text": (f"---\nkind: gotcha\n---\n\n{'x' * LARGEST}\n", 0, "it has more than 262,144 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_a_file_is_named_by_file_and_line_and_others_work(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey], what: str
) -> None:
    text, line, message = WRONG[what]
    team_file(project, "tabs.md", TABS)
    file = team_file(project, "wrong.md")
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = look()
    assert [(name, at) for name, at, _ in problems(found)] == [("wrong.md", line)]
    assert problems(found)[0][2].startswith(message)
    assert SECRET not in str(found.problems)
    assert trust_all(store, project) == {"tabs.md": 1}


def test_text_that_only_looks_like_a_part_of_a_conflict_is_none(
    project: Path, look: Callable[[], Survey]
) -> None:
    team_file(project, text=f"{LOCK}\nTitle\n=======\n\n>>>>>>> quoted\n")
    assert changes(look()) == [("new", "lock.md")]


def test_of_two_files_with_one_title_the_one_that_is_trusted_counts(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    team_file(project, "b.md", TABS)
    trust_all(store, project)
    team_file(project, "a.md", TABS.replace("directive", "gotcha\ntitle: INDENT with tabs"))
    team_file(project, "c.md", TABS)
    message = "its title is that of .vectr/notes/b.md as well"
    assert problems(look()) == [("a.md", 3, message), ("c.md", 5, message)]
    assert look().settled == [f"{FOLDER}/b.md"]


def odd_files(folder: Path) -> None:
    (folder / "elsewhere").write_text(LOCK, encoding="utf-8")
    (folder / "link.md").symlink_to(folder / "elsewhere")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "dir.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    with (folder / "large.md").open("wb") as file:
        file.truncate(1 << 40)
    for name in (os.fsdecode(b"\xff.md"), "a\nnew: b.md", "\u202e.md"):
        (folder / name).write_text(LOCK, encoding="utf-8")


def test_what_is_no_plain_file_is_refused_by_name_and_never_waited_for(
    project: Path, look: Callable[[], Survey]
) -> None:
    odd_files(team_file(project).parent)
    found = look()
    assert changes(found) == [("new", "lock.md")]
    assert problems(found) == [
        ("a\\nnew: b.md", 0, "its name cannot be shown as it is"),
        ("dir.md", 0, "it is not a regular file"),
        ("large.md", 0, "it has more than 262,144 bytes"),
        ("link.md", 0, "it is a symbolic link, and is not followed"),
        ("loop.md", 0, "it is a symbolic link, and is not followed"),
        ("pipe.md", 0, "it is not a regular file"),
        ("\\u202e.md", 0, "its name cannot be shown as it is"),
        ("\\udcff.md", 0, "its name cannot be shown as it is"),
    ]


@pytest.mark.parametrize("name", [".vectr", "notes"])
def test_a_folder_that_is_a_link_is_not_followed_and_no_note_counts_as_gone(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey], name: str
) -> None:
    file = team_file(project)
    trust_all(store, project)
    folder = file.parent if name == "notes" else file.parent.parent
    folder.rename(project / "elsewhere")
    folder.symlink_to(project / "elsewhere")
    assert changes(look()) == []
    assert problems(look()) == [("notes", 0, f"{name} is a symbolic link, and is not followed")]


def test_of_ten_thousand_files_the_first_are_looked_at_and_the_others_named(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    folder = team_file(project, "zz.md").parent
    trust_all(store, project)
    for number in range(10_000):
        (folder / f"{number:05}.md").write_bytes(b"---\n---\n\nNote " + str(number).encode() + b"\n")
    begun = time.monotonic()
    found = look()
    assert time.monotonic() - begun < 20
    assert len(found.changes) == MOST_FILES
    assert problems(found) == [("notes", 0, "it holds 10,001 notes: those after 00999.md are not looked at")]


def test_a_note_that_was_changed_since_it_was_shown_is_not_written_over(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    team_file(project)
    trust_all(store, project)
    team_file(project, text=LOCK.replace("first", "last"))
    found = look()
    change_note(store, 1, 1, render, pinned=True)
    with pytest.raises(VectrHooksError, match="changed meanwhile"):
        trust(store, found.changes, 1)
    assert changes(look()) == [("changed", "lock.md")]


def test_a_file_that_two_trust_at_once_becomes_one_note(
    store: sqlite3.Connection, project: Path, look: Callable[[], Survey]
) -> None:
    team_file(project)
    team_file(project, "tabs.md", TABS)
    found = look()
    trust_all(store, project)
    with pytest.raises(VectrHooksError, match="trusted meanwhile"):
        trust(store, found.changes, 1)
    assert store.execute("SELECT count(*) FROM note").fetchone()[0] == 2


def test_a_replay_with_todays_notes_takes_what_was_trusted_since_for_what_the_file_held(
    store: sqlite3.Connection, store_path: Path, project: Path
) -> None:
    team_file(project)
    trust_all(store, project)
    team_file(project, text=LOCK.replace("first", "last"))
    Playback(project, store_path).edit("src/a.py")
    with closing(Past(store)) as past:
        today = TodaysNotes(past)
        list(today.play())
    assert today.changes == []
    trust_all(store, project)
    with closing(Past(store)) as past:
        today = TodaysNotes(past)
        list(today.play())
    assert [(one.note, one.before, one.after) for one in today.changes] == [(1, "", "full")]


PIECES = [
    "---", "\n", "\r\n", "kind: gotcha", "title: a", "trigger:\n  - path: src/**", "id: 1", "pinned: yes",
    "<<<<<<< a", "=======", ">>>>>>> b", "\0", "\ufeff", "[", "&a", "*a", "\u202e", "x" * 70, "lines: 3",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("\n".join).map(str.encode) | st.binary(max_size=60))
@settings(max_examples=150, deadline=None)
def test_whatever_a_file_holds_it_is_a_new_note_or_named_with_its_lines(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as root:
        team_file(Path(root)).write_bytes(raw)
        found = survey(None, root)
    assert len(found.changes) + len(found.problems) == 1
    lines = raw.count(b"\n") + 1
    assert all(1 <= line <= lines and message for _, line, message in problems(found))


@pytest.mark.parametrize(
    "path", ["../x.md", ".vectr/notes", ".vectr/notes/../x.md", ".vectr/notes/sub/x.md", "/etc/passwd"]
)
def test_only_files_of_the_folder_can_be_named(
    project: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(project)
    with pytest.raises(VectrHooksError, match="none of the notes of the repository"):
        team_notes.named(str(project), [path])


def test_a_file_is_named_from_whatever_folder_one_is_in(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(team_file(project).parent)
    assert team_notes.named(str(project), ["lock.md", "gone.md"]) == {
        f"{FOLDER}/lock.md",
        f"{FOLDER}/gone.md",
    }
