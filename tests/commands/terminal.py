"""Commands as a person types them: at a terminal, as real processes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def at_terminal(*arguments: str, answers: bytes = b"", **variables: str) -> tuple[int, str]:
    """The exit code of a command that a person types, and what it told them."""
    controller, terminal = pty.openpty()
    os.write(controller, answers)
    done = subprocess.run(
        [sys.executable, "-m", "vectr_hooks", *arguments],
        stdin=terminal,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
    )
    os.close(controller)
    os.close(terminal)
    return done.returncode, done.stdout.decode() + done.stderr.decode()
