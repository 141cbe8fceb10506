"""What is made of the runs of a command."""

from __future__ import annotations

import os
import sys
import time

import pytest

from vectr_hooks.diagnosis import processes, runtime, trials
from vectr_hooks.diagnosis.installed import Installed
from vectr_hooks.diagnosis.runtime import Runtime

COMMAND = Installed("PreCompact", "x", "/settings.json", "user")


@pytest.mark.parametrize(("took", "level"), [(59.0, "ok"), (61.0, "warning")])
def test_three_times_the_bare_interpreter_is_slow(took: float, level: str) -> None:
    (found,) = trials.check([trials.Trial(COMMAND, took, 20.0, "")], os.environ)
    assert found.level == level
    assert ("slow: PreCompact" in found.message) == (level == "warning")


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("echo x", "prints something"),
        ("exit 3", "status 3"),
        ("echo first >&2; echo last >&2", "last"),
        ("cat >/dev/null", ""),
    ],
)
def test_a_command_is_to_be_silent_and_to_succeed(command: str, part: str) -> None:
    (found,) = trials.trials([Installed("PreCompact", command, "/settings.json", "user")], os.environ)
    assert part in found.trouble
    assert bool(part) == bool(found.trouble)


def test_what_never_ends_is_stopped_with_what_it_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "TIMEOUT_SECONDS", 0.3)
    started = time.monotonic()
    done = processes.run(["sh", "-c", "sleep 60; true"], os.environ)
    assert time.monotonic() - started < 20
    assert "not done" in done.complaint


def test_what_cannot_be_started_says_why() -> None:
    assert "No such file" in processes.run(["/nowhere/sh"], os.environ).complaint


def test_a_variable_of_the_session_does_not_reach_a_trial() -> None:
    words = [sys.executable, "-c", "import os; print('CLAUDE_PROJECT_DIR' in os.environ, os.getcwd())"]
    done = processes.run(words, {**os.environ, "CLAUDE_PROJECT_DIR": "/somewhere"})
    assert done.output.split() == [b"False", os.path.abspath(os.sep).encode()]


def test_an_interpreter_that_is_too_old_is_an_error() -> None:
    (found,) = runtime.check([Runtime("/usr/bin/python3", "/opt/x", (3, 8, 1), failure="SyntaxError")])
    assert (found.level, "is Python 3.8.1; hooks need 3.9" in found.message) == ("error", True)


def test_another_version_and_uncompiled_files_are_warnings() -> None:
    found = list(runtime.check([Runtime("/p", "/opt/x", (3, 11, 0), "0.0.0", "3.40.1", 0, 12)]))
    assert [each.level for each in found] == ["ok", "warning", "ok", "warning"]
    assert "of version 0.0.0" in found[1].message
    assert found[1].fix == "vectr-hooks install"
    assert "`vectr-hooks install` compiles them" in found[3].fix


def test_another_version_of_the_plugin_is_said_so() -> None:
    plugin = Runtime("/p", "/opt/x", (3, 11, 0), "0.0.0", "3.40.1", 0, plugin=True)
    found = list(runtime.check([plugin]))[1]
    assert "the plugin is of version 0.0.0" in found.message
    assert "/plugin" in found.fix
