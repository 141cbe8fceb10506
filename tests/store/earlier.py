"""Stores as earlier versions of the schema wrote them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

STORES = Path(__file__).resolve().parents[1] / "stores"
#: the project of the committed stores
ROOT = "/home/ann/shop"


def script(schema: int) -> str:
    return (STORES / f"schema-{schema}.sql").read_text(encoding="utf-8")


@cache
def tables(schema: int) -> str:
    """What makes an empty store of that version."""
    return "".join(part for part in statements(script(schema)) if not part.startswith(("INSERT ", "DELETE ")))


def statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if line.endswith(";\n") and sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def write(path: Path, script: str, root: str = ROOT, workspace: str = "") -> None:
    """Make a store at `path` from `script`, of the project at `root`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as con:
        con.execute("PRAGMA journal_mode = WAL")
        con.executescript(script.replace(ROOT, root))
        if workspace:
            con.execute("UPDATE workspace SET id = ?", (workspace,))
            con.commit()
    path.chmod(0o600)


def rows(con: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    """The rows of a table in an order that does not hang on how they lie."""
    found = [tuple(row) for row in con.execute(f"SELECT * FROM {table}")]
    return sorted(found, key=repr)


def shape(con: sqlite3.Connection) -> dict[str, object]:
    """Every table and index with all that SQLite knows of it but how its statement is spelled."""
    found: dict[str, object] = {}
    for type, name in con.execute("SELECT type, name FROM sqlite_master").fetchall():
        if type == "table":
            columns = con.execute(f"PRAGMA table_xinfo({name})").fetchall()
            (kept,) = con.execute("SELECT wr FROM pragma_table_list(?)", (name,)).fetchall()
            found[name] = ([tuple(column) for column in columns], tuple(kept))
        else:
            (table,) = con.execute("SELECT tbl_name FROM sqlite_master WHERE name = ?", (name,)).fetchone()
            columns = con.execute(f"PRAGMA index_xinfo({name})").fetchall()
            listed = con.execute(
                "SELECT * FROM pragma_index_list(?) WHERE name = ?", (table, name)
            ).fetchone()
            partial = con.execute("SELECT sql LIKE '%WHERE%' FROM sqlite_master WHERE name = ?", (name,))
            found[name] = (
                table,
                [tuple(column) for column in columns],
                tuple(listed)[2:],
                *partial.fetchone(),
            )
    return found
