"""What a hook may cost: a gate with room for a busy machine; `benchmarks/` has the figures."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from benchmarks.hook_latency import BASE, CASES, measure, ordinary_triggers
from tests.hook.session import ROOT, Session

MOST_OF_A_BARE_START = 2.0
MOST_MEGABYTES = 16

PROGRAM = """
import os, sys
end = os._exit
def report(status):
    with open("/proc/self/status") as file:
        (peak,) = [line.split()[1] for line in file if line.startswith("VmHWM")]
    sys.stderr.write(peak)
    sys.stderr.flush()
    end(status)
os._exit = report
sys.path.append({root!r})
from vectr_hooks.hook import main
main("claude", "PreToolUse")
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_a_hook_takes_less_cpu_time_than_two_bare_interpreters(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VECTR_HOOKS_HOME", "set back after the test")
    case = next(case for case in CASES if case.name == name)
    samples = measure(ordinary_triggers(200), 15, 1, [case])
    base, hook = (median(sample.cpu_ms for sample in samples[which]) for which in (BASE, name))
    assert hook / base <= MOST_OF_A_BARE_START


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_a_hook_stays_small(session: Session, write: Callable[..., int]) -> None:
    for number in range(300):
        write(f"Note {number}. " + "x" * 900, kind="gotcha", trigger=[{"path": "src/**"}])
    payload = session.payload("PreToolUse.Edit", tool_input={"file_path": str(session.project / "src/a.py")})
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM.format(root=str(ROOT))],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env=session.env(),
        check=True,
    )
    assert b"additionalContext" in done.stdout
    assert int(done.stderr) / 1024 <= MOST_MEGABYTES
