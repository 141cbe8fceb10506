"""Files of a repository that hold notes, and a person who trusts them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from vectr_hooks.team_notes import survey, trust
from vectr_hooks.trusted_files import FOLDER

LOCK = "---\nkind: gotcha\ntrigger:\n  - path: src/**\n---\n\nTake the lock first.\n"
TABS = "---\nkind: directive\n---\n\nIndent with tabs.\n"


def team_file(project: Path, name: str = "lock.md", text: str = LOCK) -> Path:
    file = project / FOLDER / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def trust_all(con: sqlite3.Connection, project: Path, now_ms: int = 1_700_000_000_000) -> dict[str, int]:
    """Trust every file as it is; the notes by the names of the files."""
    found = trust(con, survey(con, str(project)).changes, now_ms)
    return {path.rpartition("/")[2]: note for path, note in found.items()}
