"""What commands do while they hold the lock that hooks wait for."""

from __future__ import annotations

import sqlite3

from vectr_hooks.store.notes import NoteDraft, add_note, change_note


def test_the_first_rendering_which_loads_the_templates_is_done_before_the_store_is_locked(
    con: sqlite3.Connection,
) -> None:
    locked: list[bool] = []

    def render(id: int, draft: NoteDraft) -> tuple[str, str]:
        locked.append(con.in_transaction)
        return draft.body, draft.title

    draft = NoteDraft(title="t", body="b", kind="finding", priority="medium", provenance="agent")
    note = add_note(con, draft, render, 0)
    assert locked[0] is False
    locked.clear()
    assert change_note(con, note.id, 0, render, pinned=True).pinned
    assert locked[0] is False
