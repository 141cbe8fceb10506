"""Which of the commands in settings files may be run to see how they fare.

A cloned repository brings settings that nobody has trusted yet, and may bring programs that they name. What
may run is what `install` writes, with an interpreter and files that no repository brought.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from vectr_hooks.diagnosis import plugin_folders
from vectr_hooks.diagnosis.finding import Finding, warning
from vectr_hooks.diagnosis.installed import Installed
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import command_line

CHANGED = "it is not as `install` writes it"
NOT_FOUND = "where its interpreter is depends on the folder"
INSIDE = "what it starts lies in this project, as what a stranger wrote would"
NOT_THE_CLIENTS = "the plugin does not lie in a folder of Claude Code's own"


@dataclass(frozen=True)
class Sorted:
    """Commands by what may be done with them."""

    run: list[Installed] = field(default_factory=list)
    broken: list[Installed] = field(default_factory=list)
    """A file that they need is missing, so there is nothing to run."""
    refused: list[tuple[Installed, str]] = field(default_factory=list)
    """With the reason."""


def sort(commands: Sequence[Installed], folders: Sequence[str], environ: Mapping[str, str]) -> Sorted:
    """Sort `commands` as found by a program that looks at a project in `folders`."""
    found = Sorted()
    for command in commands:
        if command.missing_file():
            found.broken.append(command)
        elif reason := _objection(command, folders, environ):
            found.refused.append((command, reason))
        else:
            found.run.append(command)
    return found


def check(refused: Sequence[tuple[Installed, str]]) -> Iterator[Finding]:
    """Each reason once for each place that holds such commands."""
    together: dict[tuple[str, str], list[Installed]] = {}
    for command, reason in refused:
        together.setdefault((command.path, reason), []).append(command)
    for (path, reason), commands in together.items():
        events = ", ".join(dict.fromkeys(command.event for command in commands))
        remedy = commands[0].remedy
        if reason == NOT_THE_CLIENTS:
            remedy = "install the plugin again, under /plugin in Claude Code"
        yield warning("hooks", f"{path}: {events} not run: {reason}", remedy)


def _objection(command: Installed, folders: Sequence[str], environ: Mapping[str, str]) -> str:
    """Why `command` is not to be run, or ''."""
    own_file = _is_own_file(command.entry_file)
    if command.plugin_root:
        clients = _lies_in(command.plugin_root, [plugin_folders.folder(environ)])
        if not own_file and (not clients or _lies_in(command.entry_file, folders)):
            return NOT_THE_CLIENTS
    elif not command_line.is_as_installed(command.event, command.command):
        return CHANGED
    elif not own_file and _lies_in(command.entry_file, folders):
        return INSIDE
    # What `python3` is found as may be relative, to a folder of PATH.
    if not os.path.isabs(command.interpreter):
        return NOT_FOUND
    own = _is_own_interpreter(command.interpreter)
    return INSIDE if not own and _lies_in(command.interpreter, folders) else ""


def _is_own_interpreter(path: str) -> bool:
    """Whether it is what runs this program, and so was trusted already."""
    try:
        return path == command_line.interpreter()
    except VectrHooksError:
        return False


def _is_own_file(path: str) -> bool:
    """Whether it is an entry file of this program, whose checkout may be the project."""
    try:
        return os.path.samefile(os.path.dirname(path), command_line.hooks_folder())
    except (OSError, VectrHooksError):
        return False


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    """Whether `path`, or what it links to, lies in one of `folders`, in whatever spelling.

    An interpreter reads a file beside the link that it is started by, so the link's own place counts too.
    """
    place = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return any(
        os.path.samefile(above, folder)
        for start in (place, os.path.realpath(path))
        for above in _upwards(start)
        for folder in folders
        if os.path.exists(above) and os.path.exists(folder)
    )


def _upwards(path: str) -> Iterator[str]:
    yield path
    while (above := os.path.dirname(path)) != path:
        path = above
        yield path
