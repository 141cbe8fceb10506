"""The hosts that hooks can be registered with: where each keeps its settings, and in what form."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.hosts import codex, copilot, cursor, droid, gemini, qwen, vscode
from vectr_hooks.registration import change, scopes
from vectr_hooks.registration.hook_entries import CLAUDE, TIMEOUT_SECONDS, Form

_MILLISECONDS = {"type": "command", "timeout": TIMEOUT_SECONDS * 1000}


@dataclass(frozen=True)
class Host:
    """One host, as its settings are written."""

    name: str
    form: Form
    events: tuple[str, ...] = ()
    """Those registered."""
    home: str = ""
    """Its folder in the user's home."""
    home_variable: str = ""
    """The environment variable that names another; '' for none."""
    user: str = ""
    """The user's own file, in that folder; '' where there is none for all projects."""
    project: str = ""
    """The project's, in the project's folder."""
    plugins: tuple[str, ...] = ()
    """Where our plugin would lie, as patterns in the folder in the user's home."""
    obstacle: str = ""
    """What has to be done in the host before it runs the hooks."""
    overridden_by: str = ""
    """A file beside the settings that makes the host pass over the hooks in them."""

    @property
    def title(self) -> str:
        """As people call it."""
        return self.form.reader

    def folder(self, environ: Mapping[str, str]) -> str:
        """The user's own folder of this host."""
        own = environ.get(self.home_variable) if self.home_variable else ""
        return os.path.abspath(own or os.path.join(os.path.expanduser("~"), self.home))

    def paths(self, folder: str, environ: Mapping[str, str]) -> dict[str, str]:
        """The settings file of each scope for a session in the project `folder`."""
        if self.name == "claude":
            return scopes.settings_paths(folder, environ)
        found = {"project": os.path.join(folder, self.project)}
        if self.user:
            found["user"] = os.path.join(self.folder(environ), self.user)
        return found

    def path(self, scope: str, folder: str, environ: Mapping[str, str]) -> str:
        paths = self.paths(folder, environ)
        if scope not in paths:
            allowed = " or ".join(f"`--scope {name}`" for name in paths)
            raise VectrHooksError(f"{self.title} has no settings for --scope {scope}", f"use {allowed}")
        return paths[scope]

    def plugin(self, environ: Mapping[str, str]) -> str:
        """Where our plugin is installed in this host; '' where it is not, or that cannot be told."""
        for pattern in self.plugins:
            for path in glob.glob(os.path.join(glob.escape(self.folder(environ)), pattern)):
                return path
        return ""


CLAUDE_CODE = Host("claude", CLAUDE)
HOSTS = {
    host.name: host
    for host in (
        CLAUDE_CODE,
        Host(
            "codex",
            Form("Codex CLI"),
            tuple(codex.EVENTS),
            ".codex",
            "CODEX_HOME",
            "hooks.json",
            ".codex/hooks.json",
            ("plugins/cache/*/vectr-hooks",),
            "Codex CLI runs a hook only once it is trusted, and else says nothing: start it here, and /hooks",
        ),
        Host(
            "gemini",
            Form("Gemini CLI", more=_MILLISECONDS),
            tuple(gemini.EVENTS),
            ".gemini",
            "",
            "settings.json",
            ".gemini/settings.json",
            ("extensions/vectr-hooks",),
        ),
        Host(
            "copilot",
            Form(
                "GitHub Copilot CLI",
                grouped=False,
                command="bash",
                more={"type": "command", "timeoutSec": TIMEOUT_SECONDS},
                version=1,
            ),
            tuple(copilot.OWN_EVENTS),
            ".copilot",
            "COPILOT_HOME",
            "hooks/vectr-hooks.json",
            ".github/hooks/vectr-hooks.json",
            ("installed-plugins/*/vectr-hooks",),
            "GitHub Copilot CLI runs a project's hooks only in a folder that it trusts",
        ),
        Host(
            "qwen",
            Form("Qwen Code", more=_MILLISECONDS),
            tuple(qwen.EVENTS),
            ".qwen",
            "",
            "settings.json",
            ".qwen/settings.json",
            ("extensions/vectr-hooks",),
        ),
        Host(
            "droid",
            Form("Factory droid"),
            tuple(droid.EVENTS),
            ".factory",
            "",
            "settings.json",
            ".factory/settings.json",
            ("plugins/cache/*/vectr-hooks",),
            overridden_by="hooks.json",
        ),
        Host(
            "cursor",
            Form("Cursor", grouped=False, more={"timeout": TIMEOUT_SECONDS}, version=1),
            tuple(cursor.EVENTS),
            ".cursor",
            "",
            "hooks.json",
            ".cursor/hooks.json",
        ),
        Host(
            "vscode",
            Form("VS Code", grouped=False),
            tuple(vscode.EVENTS),
            project=".github/hooks/vectr-hooks-vscode.json",
        ),
    )
}


def others() -> Iterator[Host]:
    """Every host but Claude Code."""
    return (host for host in HOSTS.values() if host is not CLAUDE_CODE)


def registered(folder: str, environ: Mapping[str, str]) -> Iterator[tuple[Host, str, str]]:
    """Every other host whose settings for `folder` hold our commands, with the scope and the file."""
    seen = set()
    for host in others():
        for scope, path in host.paths(folder, environ).items():
            place = os.path.realpath(path)
            # In the home folder the project's file is the user's own.
            if place in seen:
                continue
            seen.add(place)
            try:
                there = change.has_entries(path, host.form)
            except VectrHooksError:
                continue
            if there:
                yield host, scope, path
