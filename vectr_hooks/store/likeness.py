"""Which notes of a store say the same as another."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from vectr_hooks.core.closeness import Telling, is_close, telling
from vectr_hooks.core.grammar import trigger_value
from vectr_hooks.core.keywords import fold
from vectr_hooks.core.lint import Alike
from vectr_hooks.core.prompt_recall import title_words
from vectr_hooks.store.revisions import as_json

if TYPE_CHECKING:
    from vectr_hooks.store.notes import NoteDraft

# From here on, reading all notes once is faster than asking for those that are alike.
_FEW = 20
_FIRST_WORDS = 12
# Of a draft's telling words so many are asked for, the longest first, and so many of the best answers read.
_MOST_WORDS = 12
_MOST_ANSWERS = 30


class Likeness:
    """Knows notes by their titles, in any case, by their bodies, but for the space around them, and where
    `by_words` by the words that tell them from others."""

    def __init__(self, by_words: bool) -> None:
        self._titles: dict[str, str] = {}
        self._bodies: dict[bytes, str] = {}
        self._words: dict[str, Telling] | None = {} if by_words else None
        self._revoked: dict[str, str] = {}

    def add(self, name: str, title: str, body: str, revoked: str = "") -> None:
        """Know a note as `name`, unless an earlier one says the same; `revoked` is why it is revoked."""
        self._titles.setdefault(fold(title), name)
        self._bodies.setdefault(_digest(body.strip()), name)
        if self._words is not None:
            self._words[name] = telling(title, body)
        if revoked:
            self._revoked[name] = revoked

    def alike(self, title: str, body: str) -> Alike | None:
        """The note that says the same, or else has the same title, or else says much the same."""
        for in_what, name in (
            ("body", self._bodies.get(_digest(body.strip()))),
            ("title", self._titles.get(fold(title))),
            ("words", self._close(title, body)),
        ):
            if name:
                return Alike(name, in_what, self._revoked.get(name, ""))
        return None

    def _close(self, title: str, body: str) -> str:
        """The first note with most of the telling words, one that is revoked before others; '' for none."""
        if not self._words:
            return ""
        own = telling(title, body)
        close = [name for name, words in self._words.items() if is_close(own, words)]
        return next((name for name in close if name in self._revoked), next(iter(close), ""))


def known(con: sqlite3.Connection, drafts: Collection[NoteDraft], but: Collection[int] = ()) -> Likeness:
    """The notes of a store that may be like one of `drafts`, `#12` and so on, without those in `but`.

    Of many drafts only those are looked for that have the same title or body.
    """
    found = Likeness(by_words=len(drafts) <= _FEW)
    select = (
        "SELECT note.id, title, body, iif(state = 'revoked', reason, '') AS revoked"
        " FROM note JOIN revision ON revision.id = note.revision"
        # Whatever is damaged is like nothing.
        "  AND typeof(title) = 'text' AND typeof(body) = 'text' AND typeof(reason) = 'text'"
    )
    if len(drafts) > _FEW:
        rows = con.execute(f"{select} ORDER BY note.id")
    else:
        # The index of words finds them without reading every note.
        ids = {row[0] for draft in drafts for row in _found(con, draft)}
        rows = con.execute(
            f"{select} WHERE note.id IN (SELECT value FROM json_each(?)) ORDER BY note.id",
            (as_json(sorted(ids)),),
        )
    for id, title, body, revoked in rows:
        if id not in but:
            found.add(f"#{id}", title, body, revoked)
    return found


def _found(con: sqlite3.Connection, draft: NoteDraft) -> Iterator[sqlite3.Row]:
    """The notes that the index of words gives for `draft`."""
    matching = "SELECT rowid FROM note_fts WHERE note_fts MATCH ?"
    yield from con.execute(matching, (" OR ".join(_beginnings(draft)),))
    words = sorted(title_words(f"{draft.title}\n{draft.body}"), key=lambda word: (-len(word), word))
    if words:
        asked = " OR ".join(f'"{word}"*' for word in words[:_MOST_WORDS])
        yield from con.execute(f"{matching} ORDER BY rank LIMIT {_MOST_ANSWERS}", (asked,))


def _beginnings(draft: NoteDraft) -> Iterator[str]:
    """What the index is asked for: that the first words follow each other in the title or body of a note."""
    for column, text in (("title", draft.title), ("body", draft.body)):
        words = " ".join(text.split(None, _FIRST_WORDS)[:_FIRST_WORDS]).replace('"', '""')
        yield f'{column} : "{words}"'


def ever_written(con: sqlite3.Connection) -> dict[bytes, dict[int, int]]:
    """The notes by all that an author decided about them, now or in an earlier revision.

    Each with when it was created, in milliseconds since 1970.
    """
    rows = con.execute(
        "SELECT note, created, title, body, kind, priority, tags, anchors, trigger, scope, author, pinned"
        " FROM revision ORDER BY id"
    )
    found: dict[bytes, dict[int, int]] = {}
    for note, created, *decided in rows:
        found.setdefault(_digest(*decided), {})[note] = created
    return found


def ever_tagged(con: sqlite3.Connection, prefix: str) -> dict[str, int]:
    """The notes by those of their tags, now or in an earlier revision, that begin with `prefix`."""
    rows = con.execute(
        "SELECT tag.value, revision.note FROM revision,"
        " json_each(iif(json_valid(revision.tags), revision.tags, '[]')) AS tag"
        " WHERE substr(tag.value, 1, length(?1)) = ?1 ORDER BY revision.id",
        (prefix,),
    )
    found: dict[str, int] = {}
    for tag, note in rows:
        found.setdefault(tag, note)
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
