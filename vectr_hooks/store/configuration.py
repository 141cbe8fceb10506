"""What a workspace is configured with: appended, so that the settings of any past event can be read back."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from vectr_hooks.core.setting_values import parse_value, refuse_unknown
from vectr_hooks.core.settings import effective
from vectr_hooks.store.ledger import read_settings
from vectr_hooks.store.transaction import writing


@dataclass(frozen=True)
class Change:
    """One change of a setting; a value of None: back to the default."""

    id: int
    at: int
    key: str
    value: str | None


def current(con: sqlite3.Connection) -> dict[str, int | bool]:
    return read_settings(con)


def settings_at(con: sqlite3.Connection, change: int) -> dict[str, int | bool]:
    """The settings as they were when `change` was the newest of all."""
    return effective(con.execute("SELECT key, value FROM setting WHERE id <= ? ORDER BY id", (change,)))


def set_value(con: sqlite3.Connection, key: str, value: object, now_ms: int) -> None:
    """Set `key` to what `value`, a command-line word or a plain value, says; refuses what is not allowed."""
    _append(con, key, parse_value(key, value), now_ms)


def unset_value(con: sqlite3.Connection, key: str, now_ms: int) -> None:
    """Let the default of `key` hold again."""
    refuse_unknown(key)
    _append(con, key, None, now_ms)


def history(con: sqlite3.Connection, key: str | None = None) -> list[Change]:
    """Every change, of `key` alone where given, oldest first."""
    rows = con.execute(
        "SELECT id, at, key, value FROM setting WHERE ?1 IS NULL OR key = ?1 ORDER BY id", (key,)
    )
    return [Change(*row) for row in rows]


def _append(con: sqlite3.Connection, key: str, value: str | None, now_ms: int) -> None:
    with writing(con):
        con.execute("INSERT INTO setting(at, key, value) VALUES (?, ?, ?)", (now_ms, key, value))
