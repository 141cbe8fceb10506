"""Notes through all that may happen to them: nothing gains authority, nothing is lost, nothing lives on."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.playback import Playback
from vectr_hooks.authoring import draft, render
from vectr_hooks.core.provenance import IN_WORDS
from vectr_hooks.core.states import ACTIVE, REVOKED, SUPERSEDED
from vectr_hooks.front_matter import NoteText
from vectr_hooks.replay.exact import EXACT, PARTLY, replay
from vectr_hooks.replay.past import Past
from vectr_hooks.store import derived
from vectr_hooks.store.configuration import set_value
from vectr_hooks.store.notes import (
    Note,
    add_note,
    all_notes,
    change_note,
    existing_note,
    forget,
    history,
    note_at,
)

STANDING = "the user's standing rule"
KINDS = ["directive", "task", "gotcha", "finding", "reference"]


class Life:
    """A store in which everything happens to notes that may, as `seed` has it."""

    def __init__(self, store: sqlite3.Connection, project: Path, store_path: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.store, self.project = store, project
        self.session = Playback(project, store_path)
        self.now_ms = self.session.now_ms
        self.revisions: dict[int, tuple[int, ...]] = {}
        """Of every note that is not forgotten: its revisions, as they came."""
        self.printed: list[tuple[int, str]] = []

    def note(self) -> Note | None:
        notes = all_notes(self.store)
        return self.chance.choice(notes) if notes else None

    def change(self, id: int, **changes: object) -> None:
        change_note(self.store, id, self.now_ms, render, self.chance.choice(["human", "agent"]), **changes)

    def remember(self) -> None:
        provenance = self.chance.choice(list(IN_WORDS))
        kind = self.chance.choice(KINDS[1:] if provenance == "auto" else KINDS)
        written = NoteText(
            body=f"Fact_{self.chance.randrange(10**9)} about the lock.",
            kind=kind,
            pinned=self.chance.random() < 0.2,
            anchors=("src/a.py",) if self.chance.random() < 0.5 else (),
        )
        other = self.note()
        replaced = [other.id] if other and other.state == ACTIVE and self.chance.random() < 0.4 else []
        add_note(
            self.store,
            draft(str(self.project), written, provenance=provenance),
            render,
            self.now_ms,
            replaced,
        )

    def step(self) -> None:
        self.now_ms += 1000
        note = self.note()
        what = self.chance.choice(["new", "edit", "pin", "revoke", "reinstate", "promote", "forget", "event"])
        if what == "new" or note is None:
            self.remember()
        elif what == "edit":
            self.change(note.id, body=f"{note.body} Or so.")
        elif what == "pin":
            self.change(note.id, pinned=not note.pinned)
        elif what == "revoke" and note.state == ACTIVE:
            self.change(note.id, state=REVOKED, reason="It is not so.", state_by="agent")
        elif what == "reinstate":
            self.change(note.id, state=ACTIVE, reason="", superseded_by=0, state_by="human")
        elif what == "promote" and note.state == ACTIVE and note.provenance != "human":
            self.change(note.id, provenance="human")
        elif what == "forget" and self.chance.random() < 0.3:
            forget(self.store, [note.id])
            del self.revisions[note.id]
        elif what == "event":
            self.event()
        for one in all_notes(self.store):
            told = tuple(old.revision for old in history(self.store, one.id))
            before = self.revisions.get(one.id, ())
            assert told[: len(before)] == before
            self.revisions[one.id] = told

    def event(self) -> None:
        session = self.session
        text = self.chance.choice(
            [
                lambda: session.edit("src/a.py"),
                lambda: session.prompt(f"what of fact_{self.chance.randrange(10)} and the lock"),
                lambda: session.compact(),
                lambda: session.start(),
            ]
        )()
        for line in text.splitlines():
            if line.startswith(("[#", "#")):
                id = int(line.lstrip("[#").split()[0])
                self.check(existing_note(self.store, id), line)

    def check(self, note: Note, line: str) -> None:
        """What is printed of a note says what it is, and no more."""
        assert note.state != SUPERSEDED
        assert ("REVOKED" in line or "revoked" in line) == (note.state == REVOKED)
        assert (STANDING in line) == (
            line.startswith("[")
            and (note.state, note.kind, note.provenance) == (ACTIVE, "directive", "human")
        )


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_to_notes(
    store: sqlite3.Connection, project: Path, store_path: Path, seed: int
) -> None:
    life = Life(store, project, store_path, seed)
    for _ in range(120):
        life.step()
    for id, revisions in life.revisions.items():
        for old, revision in zip(history(store, id), revisions, strict=True):
            found = note_at(store, id, revision)
            assert found == old
            assert found.text == render(id, found)[0]
            unreviewed = found.provenance != "human"
            assert not (unreviewed and (STANDING in found.text or "recorded by the user" in found.text))
    assert derived.disagreements(store) == []
    past = Past(store)
    try:
        results = list(replay(past))
    finally:
        past.close()
    assert [one for one in results if one.differences] == []
    assert {one.verdict for one in results} <= {EXACT, PARTLY}


def test_a_note_that_could_not_be_superseded_leaves_nothing_behind(
    store: sqlite3.Connection, project: Path, write: Callable[..., int]
) -> None:
    write("One.")
    change_note(store, 1, 2, render, state=REVOKED, reason="No.")
    new = draft(str(project), NoteText(body="Two."), provenance="agent")
    with pytest.raises(Exception, match="#1 is revoked"):
        add_note(store, new, render, 3, [1])
    assert [note.id for note in all_notes(store)] == [1]


MARKER = "Zebra_marker_7731"


def test_nothing_of_a_forgotten_note_is_left_in_any_file_of_the_store(
    store: sqlite3.Connection, project: Path, store_path: Path, write: Callable[..., int]
) -> None:
    folder = Path(store_path).parent
    set_value(store, "audit.texts", True, 1)
    kept = write("The lock is not reentrant.")
    id = write(
        f"{MARKER} is the word.\nAnd {MARKER} again, in a second line.",
        title=f"Title {MARKER}",
        tags=[f"tag{MARKER}"],
        anchors=[f"src/{MARKER}.py"],
        trigger={"keyword": [MARKER]},
        author=f"by {MARKER}",
    )
    change_note(
        store, id, 2, render, state=REVOKED, reason=f"{MARKER} was never true.", quote=f"said {MARKER}"
    )
    change_note(store, id, 3, render, state=ACTIVE, reason="", body="Something else.", title="Else")
    session = Playback(project, store_path)
    session.prompt("is Zebra_marker_7731 here")
    session.run(f'vectr-hooks remember "{MARKER} is the word." --title "Title {MARKER}" && git push')
    session.run_to(f"echo '{MARKER} is the word.' > n.md", f"stored: {MARKER} is the word.")
    session.connection.close()
    assert any(MARKER.encode() in file.read_bytes() for file in folder.iterdir())
    forget(store, [id])
    commands = [
        row[0] for row in store.execute("SELECT json_extract(facts, '$.command') FROM event ORDER BY id")
    ]
    assert commands[1:] == [
        'vectr-hooks remember "[forgotten]" --title "[forgotten]" && git push',
        "echo '[forgotten]' > n.md",
    ]
    left = [
        file.name
        for file in folder.rglob("*")
        if file.is_file()
        and (MARKER.encode() in (content := file.read_bytes()) or MARKER.lower().encode() in content)
    ]
    assert left == []
    assert existing_note(store, kept).title == "The lock is not reentrant"
    past = Past(store)
    try:
        assert {one.verdict for one in replay(past)} <= {EXACT, PARTLY}
    finally:
        past.close()


def test_a_kind_expires_by_age_where_it_is_configured_and_the_outcome_says_so(
    store: sqlite3.Connection, project: Path, store_path: Path, write: Callable[..., int]
) -> None:
    session = Playback(project, store_path)
    old = session.now_ms - 31 * 24 * 60 * 60 * 1000
    write("The lock is slow.", kind="gotcha", anchors=["src/a.py"], now_ms=old)
    write("Always lock.", kind="directive", trigger={"path": "src/a.py"}, now_ms=old)
    set_value(store, "expire.gotcha", 30, 1)
    told = session.edit("src/a.py")
    assert ("Always lock." in told, "slow" in told) == (True, False)
    outcomes = store.execute("SELECT note, status, reason FROM outcome WHERE note = 1").fetchall()
    assert [tuple(row) for row in outcomes] == [(1, "expired", "older than 30 days")]
    # A new revision is young again.
    change_note(store, 1, session.now_ms, render, state=ACTIVE)
    assert "The lock is slow." in session.edit("src/a.py")
