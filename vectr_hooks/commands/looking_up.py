"""What commands that look notes up leave behind: who asked, for `stats`."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable

from vectr_hooks.caller import at_terminal, provenance, session
from vectr_hooks.store.lookups import record_lookup


def keep_lookup(con: sqlite3.Connection, command: str, notes: Iterable[int]) -> None:
    caller = provenance(os.environ, at_terminal())
    record_lookup(con, command, caller, session(os.environ), notes, time.time_ns() // 1_000_000)
