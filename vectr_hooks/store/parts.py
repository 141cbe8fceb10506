"""What a store of this version is made of, and what one lacks of it: every command asks as it opens one."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from vectr_hooks.store.schema import TABLES

_PARTS = (
    "SELECT part.name || coalesce('.' || field.name, '')"
    " FROM sqlite_master AS part"
    # Of a virtual table that lacks one of its own tables, SQLite refuses to name the columns.
    " LEFT JOIN pragma_table_info(iif(part.sql LIKE 'CREATE VIRTUAL %', NULL, part.name)) AS field"
    " WHERE part.name NOT LIKE 'sqlite!_%' ESCAPE '!'"
)


def missing_parts(con: sqlite3.Connection) -> list[str]:
    """Tables, indexes and columns that a store of this version has and this one lacks."""
    with closing(sqlite3.connect(":memory:")) as whole:
        whole.executescript(TABLES)
        return sorted(_names(whole) - _names(con))


def _names(con: sqlite3.Connection) -> set[str]:
    return {row[0] for row in con.execute(_PARTS)}
