"""Puts a backup in the place of a store, in one moment, however many hooks are at work on it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store import backups, inspection, upkeep
from vectr_hooks.store.create import use_wal
from vectr_hooks.store.files import RUN_INIT, connect, schema_in
from vectr_hooks.store.schema import APPLICATION_ID
from vectr_hooks.store.transaction import writing

LIST_BACKUPS = "`vectr-hooks backup --list` lists the backups of this project"

# So few that the first pages are never all: the store is locked before the last of them is copied.
_PAGES_AT_ONCE = 16
# The number of a revision in the history, and how it was rendered, are no difference to people.
_NOT_COMPARED = ("id", "note", "text", "line", "cost")


@dataclass(frozen=True)
class NoteChange:
    """A note that is not the same in the backup and in the store."""

    id: int
    kind: str
    title: str
    change: str
    """back, gone or changed"""
    forgotten: bool
    """It comes back although it was forgotten."""


@dataclass(frozen=True)
class Contents:
    """How much a store holds."""

    notes: int
    events: int
    newest_ms: int | None
    """When its newest revision was written."""


@dataclass(frozen=True)
class Plan:
    """What a restore would do."""

    file: str
    schema: int
    """As it was written."""
    root: str
    """Of the workspace that it was made for."""
    foreign: bool
    """That is another one."""
    there: Contents
    here: Contents | None
    """None: the present store cannot be read."""
    changes: tuple[NoteChange, ...]


@dataclass(frozen=True)
class Prepared:
    """A backup as a store of this version, ready to be put in place."""

    path: str
    plan: Plan


@contextmanager
def prepared(file: str, store_path: str, workspace_id: str) -> Iterator[Prepared]:
    """Read the store in `file`, brought to this version in a copy that is gone after the block.

    Until then other commands that need the store to themselves are kept waiting.
    Refuses what is no sound store, or one of a newer version. `file` itself is only read.
    """
    if not os.path.isfile(file):
        raise VectrHooksError(f"there is no file {file}", LIST_BACKUPS)
    if not os.path.isfile(store_path):
        raise VectrHooksError(f"there is no store at {store_path}", f"{RUN_INIT}, then restore")
    if os.path.samefile(file, store_path):
        raise VectrHooksError(f"{file} is the store itself", LIST_BACKUPS)
    with closing(connect(store_path)) as present:
        # What is none of ours, or of a newer version, is not written over.
        schema_in(present, store_path)
    with upkeep.exclusive(store_path), backups.draft_beside(store_path) as draft:
        schema = _copied(file, draft)
        with closing(connect(draft)) as con:
            _bring_up_to_date(con, schema, file)
            yield Prepared(draft, _plan(con, file, schema, store_path, workspace_id))


def replace(ready: Prepared, store_path: str) -> str:
    """Back the store at `store_path` up, then put the content of `ready` in its place; the backup's path.

    For the block of `prepared`.
    Hooks that run meanwhile find the old content or the new, and so do those that have the store open: the
    file stays, and its pages are written in one transaction. Ids given since are not given again.
    """
    with (
        closing(connect(store_path)) as con,
        closing(connect(store_path)) as present,
        closing(connect(ready.path)) as new,
    ):
        use_wal(con)
        _same_page_size(new, con)
        saved: list[str] = []

        def once_locked(status: int, remaining: int, total: int) -> None:
            if saved:
                return
            if status != 0:
                raise VectrHooksError(
                    "the store cannot be written: another process holds it", "try again in a moment"
                )
            # From here on nobody else can write, so this is exactly what is replaced.
            # Not verified yet: hooks wait, and also a damaged store is worth keeping.
            path = backups.new_path(store_path, present.execute("PRAGMA user_version").fetchone()[0])
            saved.append(backups.save(present, path, verify=False).path)
            _take_over(present, new, ready.plan)

        try:
            new.backup(con, pages=_PAGES_AT_ONCE, progress=once_locked)
        except sqlite3.Error as error:
            raise VectrHooksError(
                f"the store could not be replaced: {error}",
                "it is as it was; check that the disk has room and who may write there",
            ) from error
        # Whoever still reads the old content keeps the log; a later process writes it back.
        con.execute("PRAGMA busy_timeout = 0")
        con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return _named(saved[0], store_path)


def _copied(file: str, draft: str) -> int:
    """Copy the store in `file` to `draft`; the version of its schema."""
    try:
        with inspection.opened(file) as con:
            if con.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise VectrHooksError(f"{file} is a database of another program", LIST_BACKUPS)
            schema = schema_in(con, file)
            if not schema:
                raise VectrHooksError(f"{file} is an empty database", LIST_BACKUPS)
            try:
                backups.copy_to(con, draft)
            except VectrHooksError as error:
                raise VectrHooksError(f"{file}: {error}", LIST_BACKUPS) from error
    except sqlite3.Error as error:
        raise VectrHooksError(f"{file} cannot be read as a store: {error}", LIST_BACKUPS) from error
    return schema


def _bring_up_to_date(con: sqlite3.Connection, schema: int, file: str) -> None:
    try:
        if upkeep.is_due(con, schema):
            upkeep.update(con, schema)
    except (VectrHooksError, sqlite3.Error, ValueError) as error:
        raise VectrHooksError(
            f"{file} cannot be brought from schema {schema} to this version: {error}", LIST_BACKUPS
        ) from error


def _plan(con: sqlite3.Connection, file: str, schema: int, store_path: str, workspace_id: str) -> Plan:
    owner = con.execute("SELECT id, root FROM workspace").fetchone()
    notes, there = _notes(con), _contents(con)
    try:
        with inspection.opened(store_path) as present:
            here_notes, here = _notes(present), _contents(present)
            newest = _sequences(present).get("note", 0)
    except sqlite3.Error:
        return Plan(file, schema, owner["root"], owner["id"] != workspace_id, there, None, ())
    changes = []
    for id in sorted({*notes, *here_notes}):
        old, new = here_notes.get(id), notes.get(id)
        shown = new or old
        if old == new or shown is None:
            continue
        change = "changed" if old and new else "back" if new else "gone"
        changes.append(
            NoteChange(id, shown["kind"], shown["title"], change, change == "back" and id <= newest)
        )
    return Plan(file, schema, owner["root"], owner["id"] != workspace_id, there, here, tuple(changes))


def _notes(con: sqlite3.Connection) -> dict[int, dict[str, Any]]:
    """What people see of each note, by its id."""
    rows = con.execute(
        "SELECT revision.* FROM note JOIN revision ON revision.id = note.revision ORDER BY note.id"
    )
    return {
        row["note"]: {name: row[name] for name in row.keys() if name not in _NOT_COMPARED}  # noqa: SIM118
        for row in rows
    }


def _contents(con: sqlite3.Connection) -> Contents:
    row = con.execute(
        "SELECT (SELECT count(*) FROM note), (SELECT count(*) FROM event), (SELECT max(at) FROM revision)"
    ).fetchone()
    return Contents(*row)


def _sequences(con: sqlite3.Connection) -> dict[str, int]:
    """The newest id that each table has ever given."""
    return dict(con.execute("SELECT name, seq FROM sqlite_sequence").fetchall())


def _named(saved: str, store_path: str) -> str:
    """Tell by its name when what was kept of the replaced store is damaged."""
    if backups.is_sound(saved):
        return saved
    schema = backups.described(saved).schema
    damaged = backups.new_path(store_path, schema or 0, "damaged")
    os.rename(saved, damaged)
    return damaged


def _take_over(present: sqlite3.Connection, new: sqlite3.Connection, plan: Plan) -> None:
    """Let `new` know what ids the present store has given, and whose store it is."""
    try:
        given = _sequences(present)
        owner = tuple(present.execute("SELECT id, root, created FROM workspace").fetchone())
    except sqlite3.Error:
        # A damaged store tells nothing.
        return
    with writing(new):
        new.executemany(
            "INSERT INTO sqlite_sequence(name, seq) SELECT ?1, 0"
            " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
            [(name,) for name in given],
        )
        new.executemany("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", list(given.items()))
        if plan.foreign:
            new.execute("UPDATE workspace SET id = ?, root = ?, created = ?", owner)


def _same_page_size(new: sqlite3.Connection, con: sqlite3.Connection) -> None:
    """Pages can only be written over pages of their size."""
    size = con.execute("PRAGMA page_size").fetchone()[0]
    if new.execute("PRAGMA page_size").fetchone()[0] != size:
        new.execute(f"PRAGMA page_size = {size}")
        new.execute("VACUUM")
