"""The line that a client shows below its prompt: how many notes there are, what this session was given."""

from __future__ import annotations

import json
import os
import select
import sqlite3
import sys
import time
from collections.abc import Mapping
from typing import Any

from vectr_hooks.store.connection import StoreError
from vectr_hooks.store.glance import Glance, glance
from vectr_hooks.store.workspace import data_home, home_folder, locate, store_path

LONGEST = 60
# The client writes its JSON at once; nobody else should have to wait for what never comes.
WAIT_S = 0.1
_MOST_BYTES = 1 << 20


def line(project: str | None, environ: Mapping[str, str]) -> str:
    """At most LONGEST characters; '' where there is no store, or nothing can be said."""
    told = _told()
    folder = project or _folder(told, environ)
    try:
        place = locate(folder, home_folder(environ))
        path = store_path(data_home(environ), place.id) if place and place.id else ""
        if not os.path.lexists(path):
            return ""
        if environ.get("VECTR_HOOKS") == "off":
            return "vectr off"
        seen = glance(path, _text(told.get("session_id")) or environ.get("CLAUDE_CODE_SESSION_ID", ""))
    except (OSError, StoreError, sqlite3.Error):
        return "vectr: run vectr-hooks doctor"
    return words(seen) if seen.enabled else "vectr off"


def words(seen: Glance) -> str:
    parts = [f"vectr {_counted(seen.notes, 'note')}"]
    if seen.deliveries:
        parts += [f"{short(seen.deliveries)} delivered", f"{short(seen.tokens)} tok"]
    if seen.errors:
        parts.append(_counted(seen.errors, "error"))
    return " · ".join(parts)


def short(number: int) -> str:
    """`999`, `1.2k`, `45k`, `1.3M`: at most four characters up to a billion."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            # Rounded down: what is shown was reached.
            tenths = number * 10 // size
            return (
                f"{tenths // 10}.{tenths % 10}{unit}"
                if tenths < 100 and tenths % 10
                else f"{tenths // 10}{unit}"
            )
    return str(number)


def _counted(number: int, what: str) -> str:
    return f"{short(number)} {what}{'' if number == 1 else 's'}"


def _folder(told: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """Where the client was started, which is what its hooks go by; else where it is, or we are."""
    workspace = told.get("workspace")
    named = workspace if isinstance(workspace, dict) else {}
    folders = (_text(named.get("project_dir")), _text(named.get("current_dir")), _text(told.get("cwd")))
    return next(filter(None, folders), environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())


def _told() -> Mapping[str, Any]:
    """The JSON object on standard input; empty where there is none, or it does not come."""
    try:
        descriptor = sys.stdin.fileno()
        if os.isatty(descriptor):
            return {}
        found = json.loads(_received(descriptor))
    except (AttributeError, OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _received(descriptor: int) -> bytes:
    """What arrives until the end, until an object is whole, or until nothing has come for WAIT_S."""
    parts = b""
    give_up = time.monotonic() + WAIT_S
    while len(parts) < _MOST_BYTES:
        left = give_up - time.monotonic()
        if left < 0 or not select.select([descriptor], [], [], left)[0]:
            break
        part = os.read(descriptor, 1 << 16)
        if not part:
            break
        parts += part
        give_up = time.monotonic() + WAIT_S
        if parts.rstrip().endswith(b"}") and _is_whole(parts):
            break
    return parts


def _is_whole(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
