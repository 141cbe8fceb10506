"""Whether the settings that a client reads register the hooks: all of them, once, and switched on."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from vectr_hooks.diagnosis import repairs
from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import claude_settings, hook_entries, hosts, scopes, settings_file
from vectr_hooks.registration.command_line import ENTRY_FILES, is_hook_command
from vectr_hooks.registration.hook_entries import CLAUDE, Entry, Form
from vectr_hooks.registration.json_text import parse

SUBJECT = "hooks"


@dataclass(frozen=True)
class Settings:
    """What a settings file says about hooks."""

    scope: str
    path: str
    entries: tuple[Entry, ...] = ()
    """Ours."""
    others: tuple[Entry, ...] = ()
    plugins: Mapping[str, bool] | None = None
    """Those that it switches on or off."""
    rejected_servers: tuple[str, ...] = ()
    """MCP servers of the project's `.mcp.json` that it does not let in."""
    plugin: str = ""
    """Our plugin, where this file is what enables it: it registers the same. ''"""
    disables_hooks: bool = False
    managed_only: bool = False
    """It lets only an administrator's hooks run."""
    switched_off: bool = False
    """It sets `VECTR_HOOKS=off` for what the client starts."""
    problem: VectrHooksError | None = None
    """Why the client reads nothing of it."""

    @property
    def commands(self) -> Mapping[str, frozenset[str]]:
        events = dict.fromkeys(entry.event for entry in self.entries)
        return {
            event: frozenset(entry.command for entry in self.entries if entry.event == event)
            for event in events
        }


def read(folder: str, environ: Mapping[str, str]) -> list[Settings]:
    """The settings of a client that is started in `folder`, also those that it cannot read."""
    files: dict[str, Settings] = {}
    for scope, path in [
        *scopes.settings_paths(folder, environ).items(),
        *((scopes.MANAGED, path) for path in scopes.managed_paths()),
    ]:
        if os.path.realpath(path) not in files:
            files[os.path.realpath(path)] = read_file(scope, path)
    enabled = enabled_plugins(list(files.values()))
    ours = {path: name for name, path in enabled.items() if claude_settings.is_plugin(name)}
    return [replace(file, plugin=ours.get(file.path, "")) for file in files.values()]


def enabled_plugins(files: Sequence[Settings]) -> dict[str, str]:
    """Every plugin that is in force under `files`, with the path of the file that enables it."""
    ordered = sorted(files, key=lambda file: scopes.NEAREST_FIRST.index(file.scope))
    return claude_settings.enabled_plugins((file.path, file.plugins or {}) for file in ordered)


def around(start: str, root: str, environ: Mapping[str, str]) -> list[Settings]:
    """The settings of a client that is started in `start` or at the root of its workspace."""
    found: dict[str, Settings] = {}
    for folder in (scopes.settings_folder(start, root), root):
        for file in read(folder, environ):
            found.setdefault(file.path, file)
    return list(found.values())


def obstacle(start: str, root: str, environ: Mapping[str, str], enabled: bool) -> str:
    """Why no hook would deliver a note here, and what to do about it; '' where one would."""
    if not enabled:
        return "hooks are switched off here, so nothing arrives: `vectr-hooks config set enabled true`"
    here = any(file.entries or file.plugin for file in around(start, root, environ))
    if not here and not any(hosts.registered(root, environ)):
        return "the hooks are not installed here, so nothing arrives: `vectr-hooks install`"
    return ""


def check(files: Sequence[Settings], folder: str, root: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What `files` register for a client started in `folder` of the workspace `root`."""
    installed = [file for file in files if file.entries]
    plugins = [file for file in files if file.plugin]
    unreadable = [file for file in files if file.problem]
    yield from map(_unreadable, unreadable)
    if not installed and not plugins:
        yield _nowhere(folder, root, unreadable, environ)
    elif not plugins:
        yield from _missing(installed, environ)
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


def read_file(scope: str, path: str, form: Form = CLAUDE) -> Settings:
    """Read one settings file, which a client that is started elsewhere may read."""
    try:
        text = settings_file.decode(settings_file.read(path) or b"", path)
        if hook_entries.is_blank(text):
            return Settings(scope, path)
        parse(text)
    except VectrHooksError as problem:
        return Settings(scope, path, problem=problem)
    entries = list(hook_entries.all_entries(text, form))
    return Settings(
        scope,
        path,
        entries=tuple(entry for entry in entries if is_hook_command(entry.command)),
        others=tuple(entry for entry in entries if not is_hook_command(entry.command)),
        plugins=claude_settings.plugin_choices(text),
        rejected_servers=claude_settings.names(text, "disabledMcpjsonServers"),
        disables_hooks=claude_settings.disables_hooks(text),
        managed_only=scope == scopes.MANAGED and claude_settings.is_set(text, "allowManagedHooksOnly"),
        switched_off=claude_settings.variable(text, "VECTR_HOOKS") == "off",
    )


def _unreadable(file: Settings) -> Finding:
    assert file.problem
    message = file.problem.message
    if file.path not in message:
        message = f"{file.path}: {message}"
    because = file.problem.hint or "Claude Code cannot read it either, and takes nothing from it"
    return error("settings", message, f"correct it in an editor; {because}")


def _nowhere(folder: str, root: str, unreadable: Sequence[Settings], environ: Mapping[str, str]) -> Finding:
    if unreadable:
        # To install would be refused for the same reason.
        path = unreadable[0].path
        message = f"not registered for Claude Code in {folder}, or in the file that cannot be read"
        return error(SUBJECT, message, f"correct {path} first, then look again: vectr-hooks doctor")
    if folder != root and any(file.entries or file.plugin for file in read(root, environ)):
        return warning(
            SUBJECT,
            f"registered only for a client that is started in {root}, not in {folder}",
            f"start it there, or: vectr-hooks install --project {shlex.quote(folder)}",
        )
    if any(hosts.registered(root, environ)):
        return ok(SUBJECT, f"not registered for Claude Code in {folder}, but for another program")
    return error(SUBJECT, f"not registered for Claude Code in {folder}", "vectr-hooks install")


def _missing(installed: Sequence[Settings], environ: Mapping[str, str]) -> Iterator[Finding]:
    registered = {entry.event for file in installed for entry in file.entries}
    missing = [event for event in ENTRY_FILES if event not in registered]
    paths = ", ".join(file.path for file in installed)
    if missing:
        yield warning(
            SUBJECT,
            f"not registered for {', '.join(missing)}: {paths}",
            f"vectr-hooks install --scope {installed[0].scope}",
            repairs.registration(installed[0].path, environ),
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
    administrators = [file.path for file in files if file.scope == scopes.MANAGED]
    if administrators:
        yield ok("settings", f"an administrator's settings hold here as well: {', '.join(administrators)}")
    for file in files:
        managed = file.scope == scopes.MANAGED
        remedy = "ask whoever administers this machine" if managed else f"remove it from {file.path}"
        if file.disables_hooks:
            message = f"{file.path} sets disableAllHooks: Claude Code runs no hook at all"
            yield warning(SUBJECT, message, remedy)
        if file.managed_only:
            message = (
                f"{file.path} sets allowManagedHooksOnly: Claude Code runs the administrator's hooks alone"
            )
            yield warning(SUBJECT, message, remedy)
        if file.switched_off:
            yield warning(SUBJECT, f"{file.path} sets VECTR_HOOKS=off: hooks do nothing", remedy)
