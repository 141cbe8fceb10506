"""Whether the hooks are registered with hosts other than Claude Code, and whether those run them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vectr_hooks.diagnosis import client, installed, registrations
from vectr_hooks.diagnosis.finding import Finding, error, ok, warning
from vectr_hooks.registration import hosts, support
from vectr_hooks.registration.change import readable_text
from vectr_hooks.registration.claude_settings import names
from vectr_hooks.registration.hosts import Host

SUBJECT = "hooks"

# The program of each host and the package that brings it, for those that are in one.
_PACKAGES = {
    "codex": "@openai/codex",
    "gemini": "@google/gemini-cli",
    "copilot": "@github/copilot",
    "qwen": "@qwen-code/qwen-code",
}
# Codex keeps what it was told of hooks in this file, each by the hash of its definition.
_CODEX_CONFIGURATION = "config.toml"
_CODEX_TRUST = "trusted_hash"
_COPILOT_CONFIGURATIONS = ("config.json", "settings.json")
_COPILOT_TRUST = ("trustedFolders", "trusted_folders")


@dataclass(frozen=True)
class Registration:
    """The hooks in one settings file of a host."""

    host: Host
    scope: str
    path: str

    @property
    def remedy(self) -> str:
        return f"vectr-hooks install --host {self.host.name} --scope {self.scope}"


def check(root: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What the settings of every other host say for the workspace `root`."""
    found = [Registration(*each) for each in hosts.registered(root, environ)]
    for registration in found:
        yield from _check_entries(registration, environ)
        yield from _check_trust(registration, root, environ)
    for host in {registration.host.name: registration.host for registration in found}.values():
        yield from _check_version(host, environ)


def _check_entries(found: Registration, environ: Mapping[str, str]) -> Iterator[Finding]:
    host, path = found.host, found.path
    settings = registrations.read_file(found.scope, path, host.form)
    commands = installed.installed_commands([settings], environ)
    missing = [event for event in host.events if event not in settings.commands]
    gone = next(filter(None, (command.missing_file() for command in commands)), "")
    if gone:
        yield error(SUBJECT, f"{gone} is missing; so fail the commands of {path}", found.remedy)
    if missing:
        yield warning(
            SUBJECT, f"not registered for {', '.join(missing)} of {host.title}: {path}", found.remedy
        )
    elif not gone:
        yield ok(SUBJECT, f"registered for all {len(host.events)} events of {host.title}: {path}")
    yield from installed.check(commands, environ, found.remedy)
    if host.overridden_by:
        nearer = os.path.join(os.path.dirname(path), host.overridden_by)
        if os.path.exists(nearer):
            message = f"{host.title} takes hooks from {nearer} and then none from {path}"
            yield warning(SUBJECT, message, f"move what {nearer} says into {path}")
    if plugin := host.plugin(environ):
        message = f"registered twice: {path} does, and so does the plugin of {host.title} in {plugin}"
        yield warning(SUBJECT, message, f"vectr-hooks uninstall --host {host.name} --scope {found.scope}")


def _check_trust(found: Registration, root: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Whether the host was told that it may run the hooks; where it was not, it says nothing itself."""
    folder = found.host.folder(environ) if found.host.home else ""
    if found.host.name == "codex" and _CODEX_TRUST not in _text(os.path.join(folder, _CODEX_CONFIGURATION)):
        message = "Codex CLI runs no hook that it was not told to trust, and was told so of none"
        yield warning(SUBJECT, message, "start codex in the project, and /hooks")
    if found.host.name == "copilot" and found.scope == "project":
        trusted = {
            os.path.realpath(name)
            for file in _COPILOT_CONFIGURATIONS
            for key in _COPILOT_TRUST
            for name in _names(os.path.join(folder, file), key)
        }
        if not any(root == name or root.startswith(name.rstrip(os.sep) + os.sep) for name in trusted):
            message = f"GitHub Copilot CLI was not told to trust {root}, and runs no hook of a project then"
            yield warning(SUBJECT, message, "start copilot in the project, and trust the folder for good")


def _check_version(host: Host, environ: Mapping[str, str]) -> Iterator[Finding]:
    proved = support.SUPPORT[host.name].version
    package = _PACKAGES.get(host.name, "")
    version = client.version_on_path(environ, host.name, package) if package else ""
    if not proved:
        yield ok(client.SUBJECT, f"{host.title}: the hooks were written by its documentation and not proved")
    elif version == proved:
        yield ok(client.SUBJECT, f"{host.title} {version}, with which the hooks were proved")
    elif version:
        message = f"{host.title} {version}; the hooks were proved with {proved}, not yet with it"
        yield ok(client.SUBJECT, message)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _names(path: str, key: str) -> tuple[str, ...]:
    text = readable_text(path)
    return names(text, key) if text.strip() else ()
