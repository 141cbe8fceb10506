"""Starting what a host would start: how it ends, what it prints, how long it takes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TIMEOUT_SECONDS = 10.0
# A variable of the session that calls this program must not lead a trial into that session's store.
_NOT_FOR_TRIALS = ("VECTR_HOOKS", "CLAUDE_PROJECT_DIR")


@dataclass(frozen=True)
class Run:
    """How a process ended."""

    status: int
    output: bytes
    complaint: str
    """The last line on standard error, or what kept it from starting or ending; ''."""
    took_ms: float


def run(
    words: Sequence[str],
    environ: Mapping[str, str],
    input: bytes = b"",
    added: Mapping[str, str] | None = None,
) -> Run:
    """Run `words` in the root folder, which is no project."""
    own = {name: value for name, value in environ.items() if name not in _NOT_FOR_TRIALS}
    started = time.perf_counter()
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=os.path.abspath(os.sep),
            env=own | dict(added or {}),
            start_new_session=True,
        )
    except OSError as problem:
        return Run(127, b"", f"{words[0]}: {problem.strerror or problem}", 0)
    try:
        output, complaint = process.communicate(input, TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        _kill(process)
        return Run(124, b"", f"not done within {TIMEOUT_SECONDS:.0f} s", TIMEOUT_SECONDS * 1000)
    took_ms = (time.perf_counter() - started) * 1000
    last = complaint.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return Run(process.returncode, output, last, took_ms)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and what it has started, which would keep its output open."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.communicate()
