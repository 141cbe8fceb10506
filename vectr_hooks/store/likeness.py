"""Which notes of a store say the same as another."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from vectr_hooks.core.grammar import trigger_value
from vectr_hooks.core.keywords import fold
from vectr_hooks.store.revisions import as_json

if TYPE_CHECKING:
    from vectr_hooks.store.notes import NoteDraft

# From here on, reading all notes once is faster than asking for those that are alike.
_FEW = 20
_FIRST_WORDS = 12


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


def known(con: sqlite3.Connection, drafts: Collection[NoteDraft], but: Collection[int] = ()) -> Likeness:
    """The notes of a store that may be like one of `drafts`, `#12` and so on, without those in `but`."""
    found = Likeness()
    select = "SELECT note.id, title, body FROM note JOIN revision ON revision.id = note.revision"
    if len(drafts) > _FEW:
        rows = con.execute(f"{select} ORDER BY note.id")
    else:
        # The index of words finds them without reading every note.
        rows = con.execute(
            f"{select} WHERE note.id IN (SELECT rowid FROM note_fts WHERE note_fts MATCH ?) ORDER BY note.id",
            (" OR ".join(part for draft in drafts for part in _beginnings(draft)) or '""',),
        )
    for id, title, body in rows:
        if id not in but:
            found.add(f"#{id}", title, body)
    return found


def _beginnings(draft: NoteDraft) -> Iterator[str]:
    """What the index is asked for: that the first words follow each other in the title or body of a note."""
    for column, text in (("title", draft.title), ("body", draft.body)):
        words = " ".join(text.split(None, _FIRST_WORDS)[:_FIRST_WORDS]).replace('"', '""')
        yield f'{column} : "{words}"'


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
