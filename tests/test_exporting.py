"""Notes as files: the same after an import, the same bytes for the same notes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.test_front_matter import BODIES, triggers, values
from vectr_hooks import authoring
from vectr_hooks.acceptance import SCOPES
from vectr_hooks.core.kinds import KINDS, PRIORITIES
from vectr_hooks.core.provenance import IN_WORDS
from vectr_hooks.core.sanitise import for_model, line_for_model
from vectr_hooks.exporting import (
    _UNSEEN,
    file_name,
    note_files,
    notes_file,
    shared_note_file,
    write_file,
    write_folder,
)
from vectr_hooks.front_matter import NoteText, read_note
from vectr_hooks.importing import Intake, take_in
from vectr_hooks.importing import note_files as files_in
from vectr_hooks.store.additions import Addition, add_all
from vectr_hooks.store.create import open_store
from vectr_hooks.store.notes import Note, NoteDraft, WatchedPath, all_notes, existing_note

NOW = 1_700_000_000_000

lines = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)
times = st.integers(0, 253_402_300_799_999)
who = st.sampled_from(["", "human", "agent"])
texts = st.builds(
    NoteText,
    body=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
    | st.sampled_from(BODIES)
    | st.sampled_from(
        ["---\nlines: 3\n---\n\nx", 'checksum: "00000000"\n', "a\n" * 9, "\n\n---\n\n---\nid: 1\n---\n"]
    ),
    title=values,
    kind=st.sampled_from(sorted(KINDS)),
    priority=st.sampled_from(PRIORITIES),
    tags=st.lists(values, max_size=3).map(tuple),
    anchors=st.lists(values | st.sampled_from(["src/a.py", "docs/"]), max_size=3).map(tuple),
    trigger=st.none() | triggers(),
    scope=st.sampled_from(SCOPES),
    author=st.just("") | values,
    pinned=st.booleans(),
)
watched = st.lists(
    st.builds(
        WatchedPath,
        path=st.sampled_from(["src/a.py", "d: e/#x.md", "- y", "ü.txt"]),
        size=st.integers(0, 1 << 40),
        crc=st.integers(0, (1 << 32) - 1),
    )
    | st.builds(WatchedPath, path=st.just("gone.py"), size=st.just(-1), crc=st.just(0)),
    max_size=3,
    unique_by=lambda file: file.path,
)


def accepted(root: str, text: NoteText, provenance: str, session: str) -> NoteDraft:
    """What is stored of `text`, with the default for every field that is refused."""
    while True:
        found = authoring.examined(root, text, provenance=provenance, session=session)
        if isinstance(found, NoteDraft):
            return found
        defaults = NoteText(body="A body.", kind="task")
        refused = {error.field: getattr(defaults, error.field) for error in found}
        text = replace(text, **refused)


@st.composite
def additions(draw: st.DrawFn, root: str) -> list[Addition]:
    found = []
    for id in draw(st.lists(st.integers(1, 30), min_size=1, max_size=4, unique=True)):
        provenance = draw(st.sampled_from(sorted(IN_WORDS)))
        draft = accepted(root, draw(texts), provenance, draw(lines))
        state = draw(st.sampled_from(["active", "superseded", "revoked"]))
        limited = {
            "branch": draw(lines),
            "worktree": draw(st.sampled_from([root, os.path.join(os.path.dirname(root), "other")])),
        }
        created = draw(times)
        found.append(
            Addition(
                draft=replace(
                    draft,
                    state=state,
                    reason="" if state == "active" else draw(lines.filter(lambda text: line_for_model(text))),
                    state_by=draw(who),
                    changed_by=draw(who),
                    quote=draw(lines) if provenance == "user-stated" else "",
                    watched=tuple(draw(watched)),
                    scope_value=limited.get(draft.scope, draft.scope_value),
                ),
                called=("", id),
                superseded_by=("", draw(st.integers(1, 30))) if state == "superseded" else None,
                created=created,
                changed=draw(st.just(created) | times),
            )
        )
    return found


@pytest.fixture
def root(project: Path) -> str:
    return str(project.resolve())


@pytest.fixture
def empty(store_path: Path, tmp_path: Path) -> Iterator[Callable[[], sqlite3.Connection]]:
    """Gives stores without notes."""
    with ExitStack() as opened:

        def empty() -> sqlite3.Connection:
            path = str(tmp_path / f"{next(numbers)}.db")
            shutil.copy(store_path, path)
            return opened.enter_context(closing(open_store(path)))

        numbers = count()
        yield empty


def stored(con: sqlite3.Connection, root: str, paths: Sequence[str], by: str = "human") -> Intake:
    """Import the files."""
    intake = take_in(con, root, files_in(paths), provenance=by)
    assert intake.wrong == {}
    if intake.new:
        add_all(con, list(intake.new.values()), intake.stored, authoring.render, NOW)
    return intake


def in_order(con: sqlite3.Connection) -> list[Note]:
    """All that is known of every note but the number of its revision, by precedence."""
    return [replace(note, revision=0) for note in all_notes(con)]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_an_empty_store_gets_equal_notes_from_an_export(
    data: st.DataObject, empty: Callable[[], sqlite3.Connection], root: str, tmp_path: Path
) -> None:
    con = empty()
    add_all(con, data.draw(additions(root)), {}, authoring.render, NOW)
    notes = sorted(all_notes(con), key=lambda note: note.id)
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    write_file(str(folder / "all.md"), notes_file(notes, root), never, overwrite=False)
    by_name = dict(zip(map(file_name, notes), note_files(notes, root), strict=True))
    assert len(by_name) == len(notes)
    write_folder(str(folder / "each"), by_name, never, overwrite=False)
    for path in ("all.md", "each"):
        other = empty()
        stored(other, root, [str(folder / path)])
        assert in_order(other) == in_order(con)
        again = sorted(all_notes(other), key=lambda note: note.id)
        assert notes_file(again, root).encode() == (folder / "all.md").read_bytes()
        # Everything is there already, also in the store that it came from.
        for store in (other, con):
            intake = take_in(store, root, files_in([str(folder / path)]), provenance="human")
            assert (intake.new, intake.wrong) == ({}, {})
            assert [f"#{note.id}" for note in again] == sorted(
                intake.there.values(), key=lambda id: int(id[1:])
            )


def test_what_nobody_sees_in_a_text_is_looked_for_in_every_note() -> None:
    """What is left out or escaped for the model may hide a secret."""
    changed = [
        character
        for character in map(chr, [*range(0x3100), *range(0xFE00, 0x10000), *range(0xE0000, 0xE0200)])
        if for_model(f"a{character}b") not in (f"a{character}b", "a\nb")
    ]
    assert len(changed) > 100
    assert [character for character in changed if not _UNSEEN.search(character)] == []


def test_what_is_shared_is_what_the_author_decided(
    store: sqlite3.Connection, write: Callable[..., int]
) -> None:
    id = write("Deploys take the canary.", tags=("a",), kind="gotcha", anchors=["src/"], session="s1")
    written = shared_note_file(existing_note(store, id))
    front = ["title: Deploys take the canary", "kind: gotcha", "tags: a", "anchors: src/"]
    assert written == "\n".join(["---", *front, "---", "", "Deploys take the canary.", ""])
    assert read_note(written, "x").kept is None


@pytest.mark.parametrize(
    ("title", "name"),
    {
        "Deploys: go through the canary!": "0012-deploys-go-through-the-canary.md",
        "Ünïcode — straße": "0012-unicode-strae.md",
        "東京": "0012.md",
        "../../etc/passwd": "0012-etc-passwd.md",
        "a" * 120: f"0012-{'a' * 50}.md",
    }.items(),
)
def test_a_file_is_named_after_its_note(
    title: str, name: str, store: sqlite3.Connection, write: Callable[..., int]
) -> None:
    note = existing_note(store, write("x", title=title))
    assert file_name(replace(note, id=12)) == name


def never(id: int, created_ms: int) -> bool:
    return False
