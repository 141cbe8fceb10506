"""Where Claude Code keeps the settings of each scope, and which files git shares."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

SCOPES = ("project", "local", "user")


def settings_paths(folder: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The settings file of every scope for a client that is started in `folder`."""
    own = os.path.join(folder, ".claude")
    user = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return {
        "project": os.path.join(own, "settings.json"),
        "local": os.path.join(own, "settings.local.json"),
        "user": os.path.join(os.path.abspath(user), "settings.json"),
    }


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
            ["git", "-C", folder, "ls-files", "--error-unmatch", "--", name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=5,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
