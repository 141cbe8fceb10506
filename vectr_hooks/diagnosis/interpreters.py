"""What stands in an interpreter's place and only looks for one: how each hook pays for that."""

from __future__ import annotations

import os
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence

from vectr_hooks.diagnosis.finding import Finding, warning
from vectr_hooks.diagnosis.installed import Installed
from vectr_hooks.diagnosis.processes import run
from vectr_hooks.registration import command_line

# By the folder that it lies in.
_STANDS_IN = (
    (re.compile(r"[/\\]\.?pyenv[/\\]shims[/\\]"), "a shim of pyenv"),
    (re.compile(r"[/\\]\.?asdf[/\\]shims[/\\]"), "a shim of asdf"),
    (re.compile(r"[/\\]mise[/\\]shims[/\\]"), "a shim of mise"),
    (re.compile(r"[/\\]shims[/\\]"), "a version manager's shim"),
    (re.compile(r"[/\\]windowsapps[/\\]"), "the stub of the Windows store"),
)
ROUNDS = 3


def check(commands: Sequence[Installed], environ: Mapping[str, str]) -> Iterator[Finding]:
    """The interpreters of `commands` that are none themselves, once for each place that names them."""
    distinct = {(each.path, each.interpreter): each for each in commands if os.path.isfile(each.interpreter)}
    for command in distinct.values():
        path = command.interpreter
        if not command_line.starts_directly(path):
            message = f"{command.path}: {path} is {kind(path)}, which only looks for the interpreter"
            yield warning("python", f"{message}: {_cost(path, environ)}", command.remedy)


def kind(path: str) -> str:
    return next((name for form, name in _STANDS_IN if form.search(path.lower())), "a script")


def _cost(path: str, environ: Mapping[str, str]) -> str:
    elsewhere = "in another folder it may be another one"
    found = run([path, "-I", "-c", "import sys; print(sys.executable)"], environ).output
    itself = found.decode("utf-8", "replace").strip()
    if not os.path.isfile(itself):
        return f"every hook starts more slowly, and {elsewhere}"
    took = [(_start_ms(path, environ), _start_ms(itself, environ)) for _ in range(ROUNDS)]
    ratio = statistics.median(slow / bare for slow, bare in took)
    return f"every hook starts {ratio:.1f} times as slowly as with {itself}, and {elsewhere}"


def _start_ms(path: str, environ: Mapping[str, str]) -> float:
    return run([path, "-I", "-c", "pass"], environ).took_ms
