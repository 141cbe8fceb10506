"""Which notes say the same."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.store.likeness import as_decided, ever_written, known
from vectr_hooks.store.notes import NoteDraft, add_note, change_note, forget

DRAFT = NoteDraft(
    title="A title",
    body="A body",
    kind="finding",
    priority="low",
    tags=("a",),
    anchors=("src/",),
    trigger=parse_trigger({"path": ["src/"], "expires": "2031-01-01"}),
    provenance="agent",
)


def render(id: int, draft: NoteDraft) -> tuple[str, str]:
    return "text", "line"


def test_a_note_is_known_by_its_title_and_by_its_body_in_its_newest_revision(con: sqlite3.Connection) -> None:
    add_note(con, DRAFT, render, 1)
    change_note(con, 1, 2, render, body="Another body\n")
    found = known(con)
    assert found.title("a  TITLE") == "#1"
    assert found.body("Another body") == "#1"
    assert found.body("another body") == ""
    assert found.body("A body") == ""
    assert known(con, but=[1]).title("A title") == ""


def test_the_first_of_several_is_named(con: sqlite3.Connection) -> None:
    for _ in range(2):
        add_note(con, DRAFT, render, 1)
    assert known(con).body("A body") == "#1"


def test_a_note_is_found_as_it_was_ever_written_until_it_is_forgotten(con: sqlite3.Connection) -> None:
    add_note(con, DRAFT, render, 1)
    change_note(con, 1, 2, render, pinned=True)
    assert ever_written(con) == {as_decided(DRAFT): 1, as_decided(replace(DRAFT, pinned=True)): 1}
    forget(con, [1])
    assert ever_written(con) == {}


@pytest.mark.parametrize(
    ("field", "value"),
    {
        **{"title": "t", "body": "b", "kind": "task", "priority": "high", "tags": (), "anchors": ()},
        **{"trigger": None, "scope": "s", "author": "bob", "pinned": True},
    }.items(),
)
def test_what_an_author_decides_tells_notes_apart(field: str, value: object) -> None:
    assert as_decided(replace(DRAFT, **{field: value})) != as_decided(DRAFT)


def test_who_wrote_it_when_does_not(con: sqlite3.Connection) -> None:
    later = replace(DRAFT, provenance="human", session="s2", watched=())
    assert as_decided(later) == as_decided(DRAFT)
