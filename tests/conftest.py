"""Every test runs with a home of its own and as no agent."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vectr_hooks.authoring import remember
from vectr_hooks.caller import AGENT_VARIABLES
from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.project import init_project
from vectr_hooks.store.create import open_store


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in `tmp_path`, which also holds everything else the program would keep elsewhere."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name, place in {
        "HOME": folder,
        "USERPROFILE": folder,
        "XDG_DATA_HOME": folder / ".local/share",
        "XDG_CACHE_HOME": folder / ".cache",
        "VECTR_HOOKS_HOME": folder / "vectr-hooks",
        "CLAUDE_CONFIG_DIR": folder / ".claude",
    }.items():
        monkeypatch.setenv(name, str(place))
    for name in (*AGENT_VARIABLES, "CLAUDE_PROJECT_DIR", "VECTR_HOOKS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def project(home: Path) -> Path:
    """A folder that is a git repository without commits; nothing of ours is in it yet."""
    folder = home / "project"
    (folder / ".git/refs").mkdir(parents=True)
    (folder / ".git/objects").mkdir()
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return folder


@pytest.fixture
def store_path(project: Path) -> Path:
    return Path(init_project(str(project)).store_path)


@pytest.fixture
def store(store_path: Path) -> Iterator[sqlite3.Connection]:
    connection = open_store(str(store_path))
    yield connection
    connection.close()


@pytest.fixture
def write(store: sqlite3.Connection, project: Path) -> Callable[..., int]:
    """Store a note, by default one of an agent's findings; give its id."""

    def write(text: str, **fields: Any) -> int:
        trigger = fields.pop("trigger", None)
        given = {
            "kind": "finding",
            "priority": "medium",
            "provenance": "agent",
            "now_ms": 1_700_000_000_000,
            **fields,
        }
        return remember(store, str(project), text, trigger=trigger and parse_trigger(trigger), **given).id

    return write


@pytest.fixture
def rows(store: sqlite3.Connection) -> Callable[[str], list[sqlite3.Row]]:
    return lambda statement: store.execute(statement).fetchall()
