"""The program itself: which it is, and whether an agent's shell finds it."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping

from vectr_hooks import __version__
from vectr_hooks.diagnosis.finding import Finding, ok, warning
from vectr_hooks.diagnosis.processes import run

SUBJECT = "program"
NAME = "vectr-hooks"


def check(environ: Mapping[str, str]) -> Iterator[Finding]:
    runs_on = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    told = f"vectr-hooks {__version__} ({runs_on})"
    found = shutil.which(NAME, path=environ.get("PATH", ""))
    if not found:
        yield ok(SUBJECT, told)
        yield warning(SUBJECT, not_on_path(), path_fix())
        return
    other = _other_version(found, environ)
    if other:
        message = f"{told}, but {found} on PATH is {other}: agents write their notes with that one"
        yield warning(SUBJECT, message, "remove one of them, or put this one first on PATH")
    else:
        yield ok(SUBJECT, f"{told}, on PATH as {found}")


def not_on_path() -> str:
    return f"`{NAME}` is not on PATH: an agent cannot write notes, and finds none by searching"


def path_fix() -> str:
    """How to put the folder of this program on PATH."""
    folder = os.path.dirname(os.path.abspath(sys.executable))
    if not os.path.exists(os.path.join(folder, NAME)):
        return "install it so that the shell finds it, for example: pipx install vectr-hooks"
    return f'export PATH="$PATH":{shlex.quote(folder)}'


def _other_version(path: str, environ: Mapping[str, str]) -> str:
    """What `path` says that it is, where that is another version; ''."""
    if os.path.dirname(path) == os.path.dirname(os.path.abspath(sys.executable)):
        return ""
    done = run([path, "--version"], environ)
    said = done.output.decode("utf-8", "replace").strip()
    version = re.search(r"\d+\.\d+\S*$", said)
    return f"version {version[0]}" if version and version[0] != __version__ else ""
