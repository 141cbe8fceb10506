"""What became of notes between two points in time."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vectr_hooks.core.changes import FIELDS, Changed, Seen, changed_fields, changes
from vectr_hooks.core.states import ACTIVE, EXPIRED, REVOKED, STATES, SUPERSEDED
from vectr_hooks.store.notes import NoteDraft


@dataclass(frozen=True)
class Written:
    id: int = 1
    title: str = "t"
    body: str = "b"
    kind: str = "finding"
    priority: str = "medium"
    tags: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    trigger: str = ""
    scope: str = "workspace"
    scope_value: str = ""
    provenance: str = "agent"
    author: str = ""
    state: str = ACTIVE
    pinned: bool = False
    quote: str = ""
    reason: str = ""
    superseded_by: int = 0


def seen(id: int = 1, state: str = ACTIVE, **others: object) -> Seen[Written]:
    stored = ACTIVE if state == EXPIRED else state
    return Seen(replace(Written(id, state=stored), **others), state)  # type: ignore[arg-type]


CASES = {
    "written since": ([], [seen()], "came"),
    "written and given up since": ([], [seen(state=SUPERSEDED)], "came"),
    "told as true again": ([seen(state=REVOKED)], [seen()], "came"),
    "expired, and given another date": ([seen(state=EXPIRED)], [seen()], "came"),
    "with another title": ([seen()], [seen(title="u")], "changed"),
    "pinned": ([seen()], [seen(pinned=True)], "changed"),
    "revoked, and before superseded": ([seen(state=SUPERSEDED)], [seen(state=REVOKED)], "changed"),
    "revoked for another reason": (
        [seen(state=REVOKED, reason="a")],
        [seen(state=REVOKED, reason="b")],
        "changed",
    ),
    "superseded": ([seen()], [seen(state=SUPERSEDED, superseded_by=2)], "went"),
    "revoked": ([seen()], [seen(state=REVOKED, reason="no")], "went"),
    "expired": ([seen()], [seen(state=EXPIRED)], "went"),
    "as it was": ([seen()], [seen()], ""),
    "expired all the time": ([seen(state=EXPIRED)], [seen(state=EXPIRED)], ""),
    "nothing there": ([], [], ""),
}


@pytest.mark.parametrize("name", CASES)
def test_a_note_has_come_changed_or_gone(name: str) -> None:
    before, after, where = CASES[name]
    found = changes(before, after)
    assert {place for place in ("came", "changed", "went") if getattr(found, place)} == (
        {where} if where else set()
    )


def test_what_changed_names_the_fields_and_what_only_expired_has_none() -> None:
    found = changes(
        [seen(1), seen(2), seen(3, title="old", tags=("a",))],
        [seen(1, EXPIRED), seen(2, REVOKED, reason="no"), seen(3, title="new", tags=("b",))],
    )
    assert [(one.after.note.id, one.fields) for one in found.went] == [(1, ()), (2, ("state", "reason"))]
    assert found.changed == (
        Changed(seen(3, title="old", tags=("a",)), seen(3, title="new", tags=("b",)), ("title", "tags")),
    )


def test_every_field_of_a_note_is_compared_but_for_who_wrote_the_revision() -> None:
    assert {field.name for field in fields(NoteDraft)} - set(FIELDS) == {
        "watched",
        "changed_by",
        "state_by",
        "session",
    }
    for name in FIELDS:
        other = replace(Written(), **{name: "x"})  # type: ignore[arg-type]
        assert changed_fields(Written(), other) == (name,)


stores = st.dictionaries(st.integers(1, 6), st.tuples(st.sampled_from(STATES), st.sampled_from("ab")))


@given(stores, stores)
def test_every_note_that_is_another_is_in_one_place_in_the_order_of_ids(
    before: dict[int, tuple[str, str]], after: dict[int, tuple[str, str]]
) -> None:
    # What is there before is there after: only what is forgotten goes, and that from both.
    after = before | after
    found = changes(
        [seen(id, state, title=title) for id, (state, title) in before.items()],
        [seen(id, state, title=title) for id, (state, title) in after.items()],
    )
    came = [one.note.id for one in found.came]
    changed, went = ([one.after.note.id for one in part] for part in (found.changed, found.went))
    assert all(part == sorted(part) for part in (came, changed, went))
    assert sorted([*came, *changed, *went]) == sorted(id for id in after if before.get(id) != after[id])
