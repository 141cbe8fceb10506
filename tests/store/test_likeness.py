"""Which notes say the same."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.store.likeness import Likeness, as_decided, ever_written, known
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


def like(con: sqlite3.Connection, many: bool, **fields: str) -> Likeness:
    """What is known for a draft with these fields, alone or among many others."""
    draft = replace(DRAFT, **fields)
    others = [replace(DRAFT, title=f"Other {n}", body=f"Other {n}") for n in range(50)]
    return known(con, [draft, *others] if many else [draft])


def named(like: Likeness, title: str, body: str) -> tuple[str, str] | None:
    """What is alike, and in what."""
    found = like.alike(title, body)
    return found and (found.in_what, found.name)


@pytest.mark.parametrize("many", [False, True], ids=["alone", "among many"])
class TestKnown:
    def test_a_note_is_known_by_its_title_and_its_body_in_its_newest_revision(
        self, con: sqlite3.Connection, many: bool
    ) -> None:
        add_note(con, DRAFT, render, 1)
        change_note(con, 1, 2, render, body="Another body\n")
        assert named(like(con, many, title="a  TITLE"), "a  TITLE", "x") == ("title", "#1")
        assert named(like(con, many, body="Another body"), "x", "Another body") == ("body", "#1")
        assert named(like(con, many, body="another body"), "x", "another body") is None
        assert named(like(con, many), "x", "A body") is None

    def test_the_first_of_several_is_named(self, con: sqlite3.Connection, many: bool) -> None:
        for _ in range(2):
            add_note(con, DRAFT, render, 1)
        assert named(like(con, many), "x", "A body") == ("body", "#1")

    @pytest.mark.parametrize(
        "body",
        [
            '"quoted" AND (title : x) NOT *',
            "日本 の 文",
            "a-b_c/d.e:f",
            "word " * 5000,
            "x" * 50_000,
            "Ünïcode Über",
        ],
    )
    def test_any_body_is_found(self, con: sqlite3.Connection, many: bool, body: str) -> None:
        add_note(con, replace(DRAFT, body=body, title=body[:99]), render, 1)
        assert named(like(con, many, body=f" {body}\n"), "x", f" {body}\n") == ("body", "#1")
        assert named(like(con, many, title=body[:99]), body[:99], "x") == ("title", "#1")

    def test_signs_without_a_word_are_no_error(self, con: sqlite3.Connection, many: bool) -> None:
        assert named(like(con, many, title="!!", body='"'), "!!", '"') is None

    def test_what_was_revoked_is_known_with_the_reason(self, con: sqlite3.Connection, many: bool) -> None:
        add_note(con, DRAFT, render, 1)
        change_note(con, 1, 2, render, state="revoked", reason="It is not so.")
        for title, body in (("A title", "x"), ("x", "A body")):
            alike = like(con, many).alike(title, body)
            assert alike is not None
            assert (alike.name, alike.revoked) == ("#1", "It is not so.")


def test_a_note_that_is_left_out_is_not_known(con: sqlite3.Connection) -> None:
    add_note(con, DRAFT, render, 1)
    assert known(con, [DRAFT], but=[1]).alike("A title", "x") is None


def test_a_note_is_found_as_it_was_ever_written_until_it_is_forgotten(con: sqlite3.Connection) -> None:
    add_note(con, DRAFT, render, 1)
    change_note(con, 1, 2, render, pinned=True)
    assert ever_written(con) == {as_decided(DRAFT): {1: 1}, as_decided(replace(DRAFT, pinned=True)): {1: 1}}
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
