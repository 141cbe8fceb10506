"""Runs whole processes to their end and says what they printed and what they took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# A child counts what its parent weighed when it was started, so a small process starts the one to be weighed.
WEIGH = """
import os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
os.write(int(sys.argv[1]), b"%d" % usage.ru_maxrss)
os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
"""
PER_KIB = 1024 if sys.platform == "darwin" else 1


class Ended(NamedTuple):
    output: bytes
    errors: bytes
    """What it printed to standard error."""
    wall_ms: float
    cpu_ms: float
    """User and system time of the whole process tree."""


def run(
    argv: Sequence[str], stdin: bytes, env: Mapping[str, str], cwd: str = "/", pass_fds: Sequence[int] = ()
) -> Ended:
    """Run `argv` to its end; any status but 0 ends the benchmark."""
    began = time.perf_counter()
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        argv, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd, pass_fds=pass_fds
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    try:
        process.stdin.write(stdin)
        process.stdin.close()
    except BrokenPipeError:
        pass
    # Nothing that is run here has more to say than a pipe holds.
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall_ms = (time.perf_counter() - began) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    if process.returncode:
        raise SystemExit(f"{argv} ended with status {process.returncode}: {errors!r}")
    return Ended(output, errors, wall_ms, (usage.ru_utime + usage.ru_stime) * 1000)


def weigh(
    python: str, argv: Sequence[str], stdin: bytes, env: Mapping[str, str], cwd: str = "/"
) -> tuple[Ended, int]:
    """Run `argv` as `run` does; also the peak memory of it and its children, in KiB.

    Nothing below what an interpreter without `site` takes can be told, and the times are not those of `argv`.
    """
    reader, writer = os.pipe()
    try:
        ended = run([python, "-I", "-S", "-c", WEIGH, str(writer), *argv], stdin, env, cwd, [writer])
        return ended, int(os.read(reader, 32)) // PER_KIB
    finally:
        os.close(reader)
        os.close(writer)
