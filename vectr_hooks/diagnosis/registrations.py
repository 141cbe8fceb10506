"""Whether the settings that a client reads register the hooks: all of them, once, and switched on."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import claude_settings, scopes, settings_file
from vectr_hooks.registration.claude_settings import Entry
from vectr_hooks.registration.command_line import ENTRY_FILES
from vectr_hooks.registration.json_text import parse

SUBJECT = "hooks"


@dataclass(frozen=True)
class Settings:
    """What a settings file says about our hooks."""

    scope: str
    path: str
    entries: tuple[Entry, ...] = ()
    plugin: bool = False
    """It enables our plugin, which registers the same."""
    disables_hooks: bool = False
    switched_off: bool = False
    """It sets `VECTR_HOOKS=off` for what the client starts."""

    @property
    def commands(self) -> Mapping[str, frozenset[str]]:
        events = dict.fromkeys(entry.event for entry in self.entries)
        return {
            event: frozenset(entry.command for entry in self.entries if entry.event == event)
            for event in events
        }


def read(folder: str, environ: Mapping[str, str]) -> tuple[list[Settings], list[Finding]]:
    """The settings of a client that is started in `folder`, and what is wrong with those that it ignores."""
    files: dict[str, Settings] = {}
    unreadable = []
    for scope, path in scopes.settings_paths(folder, environ).items():
        if os.path.realpath(path) in files:
            continue
        try:
            files[os.path.realpath(path)] = _read(scope, path)
        except VectrHooksError as problem:
            message = problem.message if path in problem.message else f"{path}: {problem.message}"
            unreadable.append(error("settings", message, f"correct the file: {_because(problem)}"))
    return list(files.values()), unreadable


def around(start: str, root: str, environ: Mapping[str, str]) -> list[Settings]:
    """The settings of a client that is started in `start` or at the root of its workspace."""
    found: dict[str, Settings] = {}
    for folder in (scopes.settings_folder(start, root), root):
        for file in read(folder, environ)[0]:
            found.setdefault(file.path, file)
    return list(found.values())


def obstacle(start: str, root: str, environ: Mapping[str, str], enabled: bool) -> str:
    """Why no hook would deliver a note here, and what to do about it; '' where one would."""
    if not enabled:
        return "hooks are switched off here, so nothing arrives: `vectr-hooks config set enabled true`"
    if not any(file.entries or file.plugin for file in around(start, root, environ)):
        return "the hooks are not installed here, so nothing arrives: `vectr-hooks install`"
    return ""


def check(files: Sequence[Settings], folder: str, root: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What `files` register for a client started in `folder` of the workspace `root`."""
    installed = [file for file in files if file.entries]
    plugins = [file for file in files if file.plugin]
    if not installed and not plugins:
        yield _nowhere(folder, root, environ)
    elif not plugins:
        yield from _missing(installed)
    if plugins:
        yield ok(SUBJECT, f"registered by the plugin, which {plugins[0].path} enables")
    for file in installed if plugins else ():
        yield warning(
            SUBJECT,
            f"registered twice: {file.path} does, and so does the plugin that {plugins[0].path} enables",
            f"vectr-hooks uninstall --scope {file.scope}",
        )
    yield from _repeated(installed)
    yield from _switches(files)


def _read(scope: str, path: str) -> Settings:
    text = settings_file.decode(settings_file.read(path) or b"", path)
    if claude_settings.is_blank(text):
        return Settings(scope, path)
    environment = parse(text).last("env")
    switch = environment.last("VECTR_HOOKS") if environment else None
    return Settings(
        scope,
        path,
        tuple(claude_settings.entries(text)),
        claude_settings.enables_plugin(text),
        claude_settings.disables_hooks(text),
        bool(switch and switch.string == "off"),
    )


def _because(problem: VectrHooksError) -> str:
    return problem.hint or "Claude Code cannot read it either"


def _nowhere(folder: str, root: str, environ: Mapping[str, str]) -> Finding:
    if folder != root and any(file.entries or file.plugin for file in read(root, environ)[0]):
        return warning(
            SUBJECT,
            f"registered only for a client that is started in {root}, not in {folder}",
            f"start it there, or: vectr-hooks install --project {shlex.quote(folder)}",
        )
    return error(SUBJECT, f"not registered for Claude Code in {folder}", "vectr-hooks install")


def _missing(installed: Sequence[Settings]) -> Iterator[Finding]:
    registered = {entry.event for file in installed for entry in file.entries}
    missing = [event for event in ENTRY_FILES if event not in registered]
    paths = ", ".join(file.path for file in installed)
    if missing:
        yield warning(
            SUBJECT,
            f"not registered for {', '.join(missing)}: {paths}",
            f"vectr-hooks install --scope {installed[0].scope}",
        )
    else:
        yield ok(SUBJECT, f"registered for all {len(ENTRY_FILES)} events: {paths}")


def _repeated(installed: Sequence[Settings]) -> Iterator[Finding]:
    """Claude Code runs equal commands once, also of several files, and different ones each."""
    for file in installed:
        events = [event for event, commands in file.commands.items() if len(commands) > 1]
        if events:
            yield warning(
                SUBJECT,
                f"{file.path} registers {', '.join(events)} more than once",
                f"vectr-hooks install --scope {file.scope}",
            )
    for first, second in pairwise(installed):
        common = first.commands.keys() & second.commands.keys()
        if any(first.commands[event] != second.commands[event] for event in common):
            yield warning(
                SUBJECT,
                f"registered twice, by different commands: {first.path} and {second.path}",
                f"keep one; `vectr-hooks uninstall --scope {second.scope}` removes the second",
            )


def _switches(files: Sequence[Settings]) -> Iterator[Finding]:
    for file in files:
        if file.disables_hooks:
            yield warning(
                SUBJECT,
                f"{file.path} sets disableAllHooks: Claude Code runs no hook at all",
                "remove it from the file",
            )
        if file.switched_off:
            yield warning(
                SUBJECT, f"{file.path} sets VECTR_HOOKS=off: hooks do nothing", "remove it from the file"
            )
