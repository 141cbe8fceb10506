"""Where Claude Code keeps the settings of each scope, and which files git shares."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

SCOPES = ("project", "local", "user")
# An administrator's, which nobody else changes.
MANAGED = "managed"
#: whose word counts first
NEAREST_FIRST = (MANAGED, "local", "project", "user")

_MANAGED_FOLDERS = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": r"C:\Program Files\ClaudeCode",
}


def settings_paths(folder: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The settings file of every scope for a client that is started in `folder`."""
    own = os.path.join(folder, ".claude")
    user = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return {
        "project": os.path.join(own, "settings.json"),
        "local": os.path.join(own, "settings.local.json"),
        "user": os.path.join(os.path.abspath(user), "settings.json"),
    }


def managed_folder() -> str:
    """Where an administrator keeps settings that hold for every user of this machine."""
    return _MANAGED_FOLDERS.get(sys.platform, "/etc/claude-code")


def managed_paths() -> list[str]:
    """The administrator's settings files that are there; a later one adds to those before it."""
    folder = managed_folder()
    parts = os.path.join(folder, "managed-settings.d")
    more = sorted(os.listdir(parts)) if os.path.isdir(parts) else []
    paths = [os.path.join(folder, "managed-settings.json"), *(os.path.join(parts, name) for name in more)]
    return [path for path in paths if path.endswith(".json") and os.path.isfile(path)]


def settings_folder(start: str, root: str) -> str:
    """The folder whose settings are meant in `start`, somewhere in the workspace `root`.

    The client reads them only from the folder it is started in. That is the root, unless `start` has
    settings of its own.
    """
    return start if os.path.isdir(os.path.join(start, ".claude")) else root


def is_tracked(path: str) -> bool:
    """Whether git tracks the file. Without git, or when it does not answer, it does not."""
    folder, name = os.path.split(path)
    try:
        done = subprocess.run(
            # A repository may name a program that is to run at this.
            ["git", "-c", "core.fsmonitor=false", "-C", folder, "ls-files", "--error-unmatch", "--", name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=5,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
