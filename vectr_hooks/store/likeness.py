"""Which notes of a store say the same as another."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection
from typing import TYPE_CHECKING

from vectr_hooks.core.grammar import trigger_value
from vectr_hooks.core.keywords import fold
from vectr_hooks.store.revisions import as_json

if TYPE_CHECKING:
    from vectr_hooks.store.notes import NoteDraft


class Likeness:
    """Names notes by their titles, in any case, and by their bodies, but for the space around them."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}
        self._bodies: dict[bytes, str] = {}

    def add(self, name: str, title: str, body: str) -> None:
        """Know a note as `name`, unless an earlier one says the same."""
        self._titles.setdefault(fold(title), name)
        self._bodies.setdefault(_digest(body.strip()), name)

    def title(self, title: str) -> str:
        """The name of a note with this title; '' for none."""
        return self._titles.get(fold(title), "")

    def body(self, body: str) -> str:
        return self._bodies.get(_digest(body.strip()), "")


def known(con: sqlite3.Connection, but: Collection[int] = ()) -> Likeness:
    """The notes of a store, `#12` and so on, without those in `but`."""
    found = Likeness()
    for id, title, body in con.execute(
        "SELECT note.id, title, body FROM note JOIN revision ON revision.id = note.revision ORDER BY note.id"
    ):
        if id not in but:
            found.add(f"#{id}", title, body)
    return found


def ever_written(con: sqlite3.Connection) -> dict[bytes, int]:
    """The notes by all that an author decided about them, now or in an earlier revision."""
    rows = con.execute(
        "SELECT note, title, body, kind, priority, tags, anchors, trigger, scope, author, pinned"
        " FROM revision ORDER BY id"
    )
    found: dict[bytes, int] = {}
    for note, *decided in rows:
        found.setdefault(_digest(*decided), note)
    return found


def as_decided(draft: NoteDraft) -> bytes:
    """The key of `draft` in `ever_written`."""
    return _digest(
        draft.title,
        draft.body,
        draft.kind,
        draft.priority,
        as_json(draft.tags),
        as_json(draft.anchors),
        "" if draft.trigger is None else as_json(trigger_value(draft.trigger)),
        draft.scope,
        draft.author,
        int(draft.pinned),
    )


def _digest(*parts: object) -> bytes:
    return hashlib.blake2b("\0".join(map(str, parts)).encode("utf-8"), digest_size=16).digest()
