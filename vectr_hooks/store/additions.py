"""Adds notes to a store, new ones and ones that another store kept: all of them, or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from vectr_hooks.store.notes import NoteDraft
from vectr_hooks.store.revisions import Render, Revision, next_ids, prepare, write
from vectr_hooks.store.transaction import writing

_LATEST = 1 << 62
# From a larger one, which no store reaches, those that follow would soon be no exact numbers in JSON.
_LARGEST_KEPT = 1 << 40

#: a note as others refer to it: what tells an export from another, and its id there
Reference = tuple[str, int]


@dataclass(frozen=True, kw_only=True)
class Addition:
    """A note to be added; where another store kept it, with what that knew of it."""

    draft: NoteDraft
    called: Reference | None = None
    """Its id is kept where this store has never given it; None: it had none."""
    superseded_by: Reference | None = None
    """The note in whose favour it was given up, whatever `draft` says."""
    created: int | None = None
    changed: int | None = None
    """When its newest revision was written, in milliseconds as `created`; None: now."""


@dataclass(frozen=True)
class Ids:
    """The ids that notes get."""

    added: list[int]
    """Those of the additions, in their order."""
    called: dict[Reference, int]
    """Those of the notes that others refer to, stored already or added.

    One that is neither here nor there has an id that no note has, and none will.
    """


def ids_of(con: sqlite3.Connection, additions: Sequence[Addition], stored: Mapping[Reference, int]) -> Ids:
    """The ids that `additions` get; `stored` has those of notes that the store has already."""
    free, _ = next_ids(con)
    called = dict(stored)
    taken: set[int] = set()

    def is_free(id: int) -> bool:
        return free <= id <= _LARGEST_KEPT and id not in taken

    # Of two notes that are called the same the first is meant by it.
    meant = {each.called: n for n, each in reversed(list(enumerate(additions))) if each.called}
    added: dict[int, int] = {}
    for reference, n in sorted(meant.items(), key=lambda item: item[1]):
        if is_free(reference[1]):
            added[n] = reference[1]
            taken.add(reference[1])
    missing = {each.superseded_by for each in additions if each.superseded_by} - {*meant, *called}
    for reference in sorted(missing):
        if is_free(reference[1]):
            called[reference] = reference[1]
            taken.add(reference[1])
    following = count(max(taken, default=free - 1) + 1)
    for n in range(len(additions)):
        if n not in added:
            added[n] = next(following)
    called |= {reference: added[n] for reference, n in meant.items() if reference not in stored}
    called |= {reference: next(following) for reference in sorted(missing - {*called})}
    return Ids([added[n] for n in range(len(additions))], called)


def add_all(
    con: sqlite3.Connection,
    additions: Sequence[Addition],
    stored: Mapping[Reference, int],
    render: Render,
    now_ms: int,
) -> list[int]:
    """Store all of `additions` or none, in one transaction; their ids, in their order.

    What was written first in another store is so here. Everything is prepared before the store is locked: a
    hook waits for the lock. `stored` as for `ids_of`.
    """
    first = next_ids(con)
    ids = ids_of(con, additions, stored)
    prepared = _prepared(additions, ids, first[1], render, now_ms)
    with writing(con):
        if next_ids(con) != first:
            # Another process wrote meanwhile, and the ids are part of what is written.
            ids = ids_of(con, additions, stored)
            prepared = _prepared(additions, ids, next_ids(con)[1], render, now_ms)
        write(con, prepared)
        # An id that is only referred to is no other note's.
        con.execute(
            "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'note'",
            (max(ids.called.values(), default=0),),
        )
    return ids.added


def _prepared(
    additions: Sequence[Addition], ids: Ids, revision: int, render: Render, now_ms: int
) -> list[Revision]:
    def age(n: int) -> tuple[int, int, int]:
        each = additions[n]
        return (
            now_ms if each.changed is None else each.changed,
            each.called[1] if each.called else _LATEST,
            n,
        )

    found = []
    for number, n in enumerate(sorted(range(len(additions)), key=age), revision):
        each = additions[n]
        successor = ids.called[each.superseded_by] if each.superseded_by else 0
        found.append(
            prepare(
                ids.added[n],
                number,
                replace(each.draft, superseded_by=successor),
                render,
                now_ms if each.changed is None else each.changed,
                now_ms if each.created is None else each.created,
            )
        )
    return found
