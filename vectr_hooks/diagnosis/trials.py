"""Running the installed commands as a host does, at an event that nothing records."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vectr_hooks.diagnosis import repairs
from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.diagnosis.installed import PLUGIN, Installed
from vectr_hooks.diagnosis.processes import Run, run

PAYLOAD = b'{"hook_event_name": "VectrHooksProbe", "session_id": "vectr-hooks-doctor", "cwd": "/"}'
ROUNDS = 3
# A hook takes about one and a half times as long as its bare interpreter.
SLOW_RATIO = 3.0


@dataclass(frozen=True)
class Trial:
    """What became of a command."""

    command: Installed
    took_ms: float
    """The median."""
    bare_ms: float
    """The same of its interpreter without a program; 0 where that is not known."""
    trouble: str
    """Why a host would not get from it what it should, or ''."""

    @property
    def is_slow(self) -> bool:
        return 0 < self.bare_ms * SLOW_RATIO < self.took_ms


def trials(commands: Sequence[Installed], environ: Mapping[str, str]) -> list[Trial]:
    """Run each command a few times, together with its bare interpreter, so that both meet the same load."""
    distinct = list({command.command: command for command in commands}.values())
    found = _measured(distinct, environ)
    slow = [trial.command for trial in found if trial.is_slow]
    if slow:
        # A machine that was busy for a moment is no finding.
        again = {trial.command: trial for trial in _measured(slow, environ)}
        found = [again.get(trial.command, trial) for trial in found]
    return found


def check(found: Sequence[Trial], environ: Mapping[str, str]) -> Iterator[Finding]:
    """What is to be said of each settings file's commands."""
    for path in dict.fromkeys(trial.command.path for trial in found):
        here = [trial for trial in found if trial.command.path == path]
        again = here[0].command.remedy
        for trouble in dict.fromkeys(trial.trouble for trial in here if trial.trouble):
            events = [trial.command.event for trial in here if trial.trouble == trouble]
            which = f"all {len(events)} commands" if len(events) == len(here) else ", ".join(events)
            missing = all(trial.command.missing_file() for trial in here if trial.trouble == trouble)
            repair = repairs.registration(path, environ) if missing and path != PLUGIN else None
            yield error("hooks", f"{trouble}; so fail {which} of {path}", again, repair)
        yield from _speed([trial for trial in here if not trial.trouble], path, again)


def _speed(sound: Sequence[Trial], path: str, again: str) -> Iterator[Finding]:
    if not sound:
        return
    low, high = (f(trial.took_ms for trial in sound) for f in (min, max))
    bare = max(trial.bare_ms for trial in sound)
    times = f", {_median_ratio(sound):.1f} times as long as a bare interpreter" if bare else ""
    told = f"{len(sound)} commands of {path} run as written, in {low:.0f} to {high:.0f} ms{times}"
    slow = [trial.command.event for trial in sound if trial.is_slow]
    if slow:
        yield warning("hooks", f"{told}; slow: {', '.join(slow)}", f"if files are not compiled: {again}")
    else:
        yield ok("hooks", told)


def _median_ratio(measured: Sequence[Trial]) -> float:
    return statistics.median(trial.took_ms / trial.bare_ms for trial in measured if trial.bare_ms)


def _measured(commands: Sequence[Installed], environ: Mapping[str, str]) -> list[Trial]:
    runs: dict[Installed, list[Run]] = {command: [] for command in commands if not command.missing_file()}
    bare: dict[str, list[float]] = {command.interpreter: [] for command in runs if command.interpreter}
    for _ in range(ROUNDS):
        for interpreter, times in bare.items():
            times.append(run([interpreter, "-I", "-c", "pass"], environ).took_ms)
        for command, its in runs.items():
            added = {"CLAUDE_PLUGIN_ROOT": command.plugin_root} if command.plugin_root else {}
            its.append(run(["sh", "-c", command.command], environ, PAYLOAD, added))
    return [
        Trial(
            command,
            statistics.median(each.took_ms for each in runs[command]) if command in runs else 0,
            statistics.median(bare.get(command.interpreter, [0])),
            _trouble(command, runs.get(command, ())),
        )
        for command in commands
    ]


def _trouble(command: Installed, runs: Sequence[Run]) -> str:
    if missing := command.missing_file():
        return f"{missing} is missing"
    for each in runs:
        if each.complaint:
            return each.complaint
        if each.status:
            return f"the command exits with status {each.status}"
        if each.output:
            return f"the command prints something where it should be silent ({len(each.output)} bytes)"
    return ""
