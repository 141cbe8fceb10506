"""What the installed hooks run on, asked of their own interpreter and their own copy of the package."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vectr_hooks import __version__
from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.diagnosis.installed import Installed
from vectr_hooks.diagnosis.processes import run

OLDEST_PYTHON = [3, 9]

# Prints one JSON object after each step, so that what went well is known when the next one fails.
_SCRIPT = """
import json, os, sys
root, store, payload = sys.argv[1:]
def say(**found): print(json.dumps(found), flush=True)
say(python=list(sys.version_info[:3]))
sys.path.append(root)
import sqlite3, vectr_hooks.hook, vectr_hooks.hosts.claude, vectr_hooks.response
say(version=vectr_hooks.__version__, sqlite=sqlite3.sqlite_version)
if store:
    say(bytes=len(vectr_hooks.hook.rehearse(store, "claude", [payload]).encode()))
ours = [module for name, module in sys.modules.items() if name.split(".")[0] == "vectr_hooks"]
say(uncompiled=sum(not os.path.exists(module.__spec__.cached) for module in ours))
"""


@dataclass(frozen=True)
class Runtime:
    """An interpreter with a copy of the package, as far as it got."""

    interpreter: str
    root: str
    python: Sequence[int] = ()
    version: str = ""
    sqlite: str = ""
    bytes: int | None = None
    """What a session start would bring; None: it was not tried."""
    uncompiled: int = 0
    """Modules that every hook compiles anew."""
    failure: str = ""
    plugin: bool = False
    """It is what the plugin's commands run on."""


def runtimes(
    commands: Sequence[Installed], folder: str, store_path: str, environ: Mapping[str, str]
) -> list[Runtime]:
    """Examine everything that `commands` run on; a session start in `folder` is rehearsed on the store."""
    distinct = {
        (command.interpreter, command.package_root): bool(command.plugin_root)
        for command in commands
        if command.entry_file and not command.missing_file()
    }
    payload = {
        "session_id": "vectr-hooks-doctor",
        "transcript_path": "",
        "cwd": folder,
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    return [
        _examine(interpreter, root, plugin, store_path, json.dumps(payload), environ)
        for (interpreter, root), plugin in distinct.items()
    ]


def check(found: Sequence[Runtime]) -> Iterator[Finding]:
    for runtime in found:
        yield from _check_versions(runtime)
        if runtime.bytes is not None:
            brings = f"{runtime.bytes} bytes" if runtime.bytes else "nothing"
            yield ok("rehearsal", f"a session start here would bring {brings}; nothing was recorded")
        if runtime.uncompiled:
            yield warning(
                "python",
                f"{runtime.uncompiled} modules in {runtime.root} are not compiled: every hook does it anew",
                "`vectr-hooks install` compiles them, where it may write",
            )


def _check_versions(runtime: Runtime) -> Iterator[Finding]:
    number = ".".join(map(str, runtime.python))
    if runtime.python and list(runtime.python) < OLDEST_PYTHON:
        yield error(
            "python",
            f"{runtime.interpreter} is Python {number}; hooks need 3.9 or later",
            "install vectr-hooks with a newer Python, then: vectr-hooks install",
        )
    elif runtime.failure:
        what = "the rehearsal of a session start fails" if runtime.version else "the hooks cannot be loaded"
        yield error("rehearsal", f"{what} under {runtime.interpreter}: {runtime.failure}", _remedy(runtime))
    else:
        yield ok("python", f"{runtime.interpreter} (Python {number}, SQLite {runtime.sqlite}) runs the hooks")
    if runtime.version not in ("", __version__):
        whose = "the plugin is" if runtime.plugin else "the hooks are"
        remedy = "update the older of them; Claude Code updates plugins under /plugin"
        yield warning(
            "hooks",
            f"{whose} of version {runtime.version}, this program of {__version__}",
            remedy if runtime.plugin else "vectr-hooks install",
        )


def _remedy(runtime: Runtime) -> str:
    if not runtime.version:
        return "install vectr-hooks again, then: vectr-hooks install"
    if "locked" in runtime.failure:
        return "another program writes to the store; try again when it is done"
    return "if it stays, the store may be damaged: see what is said about it"


def _examine(
    interpreter: str, root: str, plugin: bool, store_path: str, payload: str, environ: Mapping[str, str]
) -> Runtime:
    words = [interpreter, "-I", "-S", "-c", _SCRIPT, root, store_path, payload]
    done = run(words, environ)
    found: dict[str, Any] = {}
    for line in done.output.splitlines():
        found |= json.loads(line)
    failure = (done.complaint or f"exit status {done.status}") if done.status else ""
    return Runtime(interpreter, root, **found, failure=failure, plugin=plugin)
