"""The commands that settings files hold: what each one starts, and whether that is there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vectr_hooks.diagnosis import plugin_folders
from vectr_hooks.diagnosis.finding import Finding, error, warning
from vectr_hooks.diagnosis.registrations import Settings
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import command_line
from vectr_hooks.store.workspace import data_home

PLUGIN = "the vectr-hooks plugin"
# Unless quoted, a word with one of these means another path to a shell than it says.
_EXPANDED = frozenset("$`~*?[")
# What keeps a host from taking a missing file for an order to block.
_HARMLESS_ENDING = re.compile(r"(\|\||;)\s*(exit 0|true|:)\s*$")


@dataclass(frozen=True)
class Installed:
    """A command as a settings file has it, and what it starts; '' for what cannot be told."""

    event: str
    command: str
    path: str
    """The settings file, or PLUGIN."""
    scope: str
    interpreter: str = ""
    """Absolute where it can be found."""
    entry_file: str = ""
    home: str = ""
    plugin_root: str = ""
    """What the host sets for a command of the plugin; '' for one of a settings file."""

    @property
    def remedy(self) -> str:
        """How to have it written anew."""
        if self.plugin_root:
            return "put a Python 3.9 or later itself, as python3, first on PATH"
        return f"vectr-hooks install --scope {self.scope}"

    @property
    def package_root(self) -> str:
        """The folder that the entry file imports the package from."""
        return command_line.package_root(self.entry_file)

    def missing_file(self) -> str:
        """The first file that a start needs and that is not there, or ''."""
        if not self.entry_file:
            return ""
        needed = (
            self.interpreter,
            self.entry_file,
            os.path.join(self.package_root, "vectr_hooks", "hook.py"),
        )
        return next((path for path in needed if not os.path.isfile(path)), "")


def installed_commands(files: Sequence[Settings], environ: Mapping[str, str]) -> list[Installed]:
    """Every command of ours in `files`, and those of a plugin that they enable."""
    found = [
        _parsed(entry.event, entry.command, file.path, file.scope) for file in files for entry in file.entries
    ]
    plugin = next((file for file in files if file.plugin), None)
    if plugin:
        # Where the client does not tell where it keeps the plugin, its commands run this program's files.
        root = plugin_folders.find(plugin.plugin, environ) or os.path.dirname(command_line.hooks_folder())
        found += [
            _parsed(event, command, PLUGIN, plugin.scope, root)
            for event, command in command_line.plugin_commands().items()
        ]
    return found


def check(commands: Sequence[Installed], environ: Mapping[str, str], remedy: str = "") -> Iterator[Finding]:
    """How `commands` differ from what this program would install.

    `remedy` installs them again where Claude Code's own does not.
    """
    for path in dict.fromkeys(command.path for command in commands if command.path != PLUGIN):
        of_file = [each for each in commands if each.path == path]
        yield from _check_file(of_file, environ, remedy or of_file[0].remedy)


def _check_file(commands: Sequence[Installed], environ: Mapping[str, str], again: str) -> Iterator[Finding]:
    said = dict.fromkeys(
        message for command in commands if not command.missing_file() for message in _differences(command)
    )
    yield from (warning("hooks", f"{commands[0].path}: {message}", again) for message in said)
    unguarded = [each.event for each in commands if not _HARMLESS_ENDING.search(each.command)]
    if unguarded:
        message = (
            f"{commands[0].path}: {', '.join(unguarded)} would block the session if a file went missing: "
            "the command does not end in `|| exit 0`"
        )
        yield warning("hooks", message, again)
    yield from _homes(commands, environ, again)


def _differences(command: Installed) -> Iterator[str]:
    if "${CLAUDE_PLUGIN_ROOT}" in command.command:
        yield "${CLAUDE_PLUGIN_ROOT} is only set for a plugin's own hooks"
    if not command.entry_file:
        return
    try:
        interpreter, folder = command_line.interpreter(), command_line.hooks_folder()
    except VectrHooksError:
        return
    if not os.path.samefile(command.interpreter, interpreter):
        yield f"the hooks run with {command.interpreter}, this program with {interpreter}"
    if not os.path.samefile(os.path.dirname(command.entry_file), folder):
        yield f"the hooks are those of another installation: {os.path.dirname(command.entry_file)}"


def _homes(commands: Sequence[Installed], environ: Mapping[str, str], again: str) -> Iterator[Finding]:
    """Hooks that look for their stores elsewhere deliver nothing of what is written here."""
    here = data_home(environ)
    default = data_home({name: value for name, value in environ.items() if name != "VECTR_HOOKS_HOME"})
    for home in dict.fromkeys(command.home for command in commands if command.entry_file):
        if os.path.realpath(home or default) == os.path.realpath(here):
            continue
        if home:
            message = f"{commands[0].path}: hooks look for notes in {home}, this program in {here}"
            yield error("hooks", message, f"set VECTR_HOOKS_HOME to {home} here as well, or: {again}")
        else:
            message = f"{commands[0].path}: VECTR_HOOKS_HOME is set here, and the hooks are not told so"
            yield warning("hooks", message, again)


def _parsed(event: str, command: str, path: str, scope: str, plugin_root: str = "") -> Installed:
    bare = Installed(event, command, path, scope, plugin_root=plugin_root)
    text = command.replace("${CLAUDE_PLUGIN_ROOT}", plugin_root) if plugin_root else command
    try:
        words = shlex.split(text)
        at = words.index("-I")
        interpreter, entry_file = words[at - 1], words[at + 2]
    except (ValueError, IndexError):
        return bare
    if at == 0 or not (_is_literal(interpreter, text) and _is_literal(entry_file, text)):
        return bare
    found = interpreter if os.path.isabs(interpreter) else shutil.which(interpreter) or interpreter
    home = next((word.partition("=")[2] for word in words[:at] if word.startswith("VECTR_HOOKS_HOME=")), "")
    return Installed(event, command, path, scope, found, entry_file, home, plugin_root)


def _is_literal(word: str, command: str) -> bool:
    return _EXPANDED.isdisjoint(word) or shlex.quote(word) in command
