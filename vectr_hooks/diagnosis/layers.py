"""What else puts text into the model's context: other memories, and others' hooks at the same events."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from vectr_hooks.core.secrets import redact
from vectr_hooks.diagnosis.finding import Finding, ok, warning
from vectr_hooks.diagnosis.registrations import Settings, enabled_plugins
from vectr_hooks.registration import claude_settings

SUBJECT = "memory"
COST = (
    "two put text into the same context: tokens are spent twice, what one says may contradict the other, "
    "and which comes first changes from turn to turn"
)
# The events at which a hook's text reaches the model unasked.
_INJECTING = ("SessionStart", "UserPromptSubmit")
_MOST_SHOWN = 3
_NAME_LENGTH = 60

#: programs that keep memories, by what their commands, servers and plugins are called
KNOWN = {
    "claude-mem": r"claude-mem",
    "mem0": r"mem0(ai)?|openmemory",
    "supermemory": r"(claude-)?supermemory",
    "basic-memory": r"basic-memory",
    "agentmemory": r"agent-?memory",
    "vectr": r"vectr(?!-hooks)",
    "beads": r"beads|bd prime",
    "memsearch": r"memsearch",
    "cavemem": r"cavemem",
    "neural-memory": r"neural-memory",
    "episodic-memory": r"episodic-memory",
    "context-mode": r"context-mode",
    "memory-bank": r"memory-bank(-mcp)?",
    "cognee": r"cognee(-mcp)?",
    "graphiti": r"graphiti(-mcp)?",
}
# Of a server, which a model calls; a hook that is only called so may do anything.
_MEMORY_SERVER = re.compile(r"(?<![a-z])memor(y|ies)(?![a-z])")
_KNOWN = {name: re.compile(rf"(?<![a-z0-9])(?:{form})(?![a-z0-9])") for name, form in KNOWN.items()}


@dataclass(frozen=True)
class Layer:
    """Another memory, and the places that bring it in."""

    name: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        more = len(self.places) - 1
        return f"{self.name} ({self.places[0]}{f' and {more} more' if more else ''})"


def layers(files: Sequence[Settings], folder: str, environ: Mapping[str, str]) -> list[Layer]:
    """The other memories of a client that is started in `folder` with the settings `files`."""
    found: dict[str, dict[str, None]] = {}
    for name, place in [*_in_hooks(files), *_in_plugins(files), *_in_servers(files, folder, environ)]:
        found.setdefault(name, {})[place] = None
    return [Layer(name, tuple(places)) for name, places in found.items()]


def check(files: Sequence[Settings], folder: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    found = layers(files, folder, environ)
    if found:
        yield warning(SUBJECT, f"{at_work(found)}; {COST}", "keep one of them")
    others = list(_other_hooks(files))
    if others:
        more = f" and {len(others) - _MOST_SHOWN} more" if len(others) > _MOST_SHOWN else ""
        message = f"others' hooks add to the context as well: {', '.join(others[:_MOST_SHOWN])}{more}"
        yield ok(SUBJECT, message)


def at_work(found: Sequence[Layer]) -> str:
    what = "another memory is" if len(found) == 1 else "other memories are"
    return f"{what} at work here: {', '.join(map(str, found))}"


def known(text: str) -> str:
    """The name of the memory that `text`, a command or a name, brings in, or ''."""
    plain = text.lower().replace("_", "-")
    return next((name for name, form in _KNOWN.items() if form.search(plain)), "")


def _in_hooks(files: Sequence[Settings]) -> Iterator[tuple[str, str]]:
    for file in files:
        for entry in file.others:
            if name := known(entry.command):
                yield name, f"its {entry.event} hook in {file.path}"


def _in_plugins(files: Sequence[Settings]) -> Iterator[tuple[str, str]]:
    for plugin, path in enabled_plugins(files).items():
        if claude_settings.is_plugin(plugin):
            continue
        if name := known(plugin) or ("a memory plugin" if _MEMORY_SERVER.search(plugin.lower()) else ""):
            yield name, f"the plugin {plugin}, which {path} enables"


def _in_servers(
    files: Sequence[Settings], folder: str, environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    rejected = {name for file in files for name in file.rejected_servers}
    for path, servers in _servers(folder, rejected, environ):
        for server, its in servers.items():
            line = _command_line(server, its)
            name = known(line) or ("a memory server" if _MEMORY_SERVER.search(line.lower()) else "")
            if name:
                yield name, f"the MCP server {server} in {path}"


def _servers(
    folder: str, rejected: Set[str], environ: Mapping[str, str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The files that name MCP servers for `folder`, with what they name, but for the project's `rejected`."""
    project = os.path.join(folder, ".mcp.json")
    shared = _object(_json(project).get("mcpServers"))
    yield project, {name: server for name, server in shared.items() if name not in rejected}
    own = environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~")
    path = os.path.join(own, ".claude.json")
    document = _json(path)
    yield path, _object(document.get("mcpServers"))
    yield path, _object(_object(_object(document.get("projects")).get(folder)).get("mcpServers"))


def _command_line(name: str, server: object) -> str:
    its = _object(server)
    arguments = its.get("args")
    words = [name, its.get("command"), its.get("url"), *(arguments if isinstance(arguments, list) else ())]
    return " ".join(word for word in words if isinstance(word, str))


def _other_hooks(files: Sequence[Settings]) -> Iterator[str]:
    for file in files:
        for entry in file.others:
            if entry.event in _INJECTING and not known(entry.command):
                shown = redact(entry.command)
                yield f"`{shown[:_NAME_LENGTH]}{'…' if len(shown) > _NAME_LENGTH else ''}` ({entry.event})"


def _json(path: str) -> Mapping[str, Any]:
    if not os.path.isfile(path):
        return {}
    try:
        with open(path, encoding="utf-8-sig") as file:
            return _object(json.load(file))
    except (OSError, ValueError, RecursionError):
        return {}


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
