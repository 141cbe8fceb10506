"""The bar that shows how far something long has come."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PROGRAM = """
import time
from vectr_hooks.progress import progress
with progress("working", 3) as seen:
    for _ in range(3):
        time.sleep({seconds})
        seen()
"""


@pytest.mark.parametrize(("seconds", "appears"), [(0, False), (0.3, True)])
def test_a_bar_appears_only_for_what_takes_long(seconds: float, appears: bool) -> None:
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(seconds=seconds)],
        stderr=terminal,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(terminal)
    written = b""
    try:
        while part := os.read(controller, 100_000):
            written += part
    except OSError:
        # So Linux tells that nobody has the terminal any longer.
        pass
    os.close(controller)
    assert process.wait() == 0
    assert (b"working" in written) == appears
    assert appears or not written
