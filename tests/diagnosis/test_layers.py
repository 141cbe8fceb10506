"""Other memories are named where they are, and nothing else is taken for one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vectr_hooks.diagnosis import layers, registrations
from vectr_hooks.diagnosis.layers import known


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("node /home/a/.claude/plugins/claude-mem/worker.js", "claude-mem"),
        ("uvx basic-memory mcp", "basic-memory"),
        ("npx -y mem0-mcp", "mem0"),
        ("npx mem0ai", "mem0"),
        ("bd prime", "beads"),
        ("/usr/bin/python3 -m vectr serve", "vectr"),
        ("python -m basic_memory", "basic-memory"),
        ("npx @supermemory/claude-supermemory", "supermemory"),
        ("vectr-hooks resume", ""),
        ("python -m vectr_hooks resume", ""),
        ("npx prettier --write", ""),
        ("echo vectra", ""),
        ("./bead-counter.sh", ""),
        ("", ""),
    ],
)
def test_a_memory_is_known_by_its_name_as_a_word(text: str, name: str) -> None:
    assert known(text) == name


@pytest.fixture
def folder(project: Path) -> Path:
    return project


def settings(folder: Path, document: dict[str, Any], name: str = "settings.json") -> Path:
    path = folder / ".claude" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def found(folder: Path, home: Path) -> dict[str, tuple[str, ...]]:
    environ = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    files = registrations.read(str(folder), environ)
    return {layer.name: layer.places for layer in layers.layers(files, str(folder), environ)}


def hooks(*commands: str, event: str = "SessionStart") -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": each}]} for each in commands]}}


def test_one_in_a_hook_is_named_with_event_and_file(folder: Path, home: Path) -> None:
    path = settings(folder, hooks("npx claude-mem hook", event="Stop"))
    assert found(folder, home) == {"claude-mem": (f"its Stop hook in {path}",)}


def test_one_that_is_a_plugin_counts_while_it_is_enabled(folder: Path, home: Path) -> None:
    path = settings(folder, {"enabledPlugins": {"claude-mem@thedotmack": True, "formatter@x": True}})
    assert found(folder, home) == {"claude-mem": (f"the plugin claude-mem@thedotmack, which {path} enables",)}
    settings(folder, {"enabledPlugins": {"claude-mem@thedotmack": False}}, "settings.local.json")
    assert found(folder, home) == {}


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ({"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}, "a memory server"),
        ({"command": "uvx", "args": ["basic-memory", "mcp"]}, "basic-memory"),
        ({"url": "https://mcp.supermemory.ai/mcp"}, "supermemory"),
        ({"command": "npx", "args": ["-y", "server-filesystem", 3, None]}, ""),
        ("nonsense", ""),
    ],
)
def test_a_server_is_named_wherever_the_client_reads_it(
    folder: Path, home: Path, server: object, name: str
) -> None:
    document = {"mcpServers": {"s": server}}
    (folder / ".mcp.json").write_text(json.dumps(document), encoding="utf-8")
    own = home / ".claude/.claude.json"
    own.parent.mkdir(exist_ok=True)
    own.write_text(json.dumps({"projects": {str(folder): document}}), encoding="utf-8")
    expected = tuple(f"the MCP server s in {path}" for path in (folder / ".mcp.json", own))
    assert found(folder, home) == ({name: expected} if name else {})


def test_a_project_s_server_that_somebody_rejected_is_not_at_work(folder: Path, home: Path) -> None:
    (folder / ".mcp.json").write_text('{"mcpServers": {"mem0": {}, "beads": {}}}', encoding="utf-8")
    settings(folder, {"disabledMcpjsonServers": ["mem0", 1]}, "settings.local.json")
    assert list(found(folder, home)) == ["beads"]


def test_what_is_in_another_project_and_what_cannot_be_read_is_no_memory(folder: Path, home: Path) -> None:
    (folder / ".mcp.json").write_text("{ nonsense", encoding="utf-8")
    own = home / ".claude/.claude.json"
    own.parent.mkdir(exist_ok=True)
    own.write_text('{"projects": {"/elsewhere": {"mcpServers": {"mem0": {}}}}}', encoding="utf-8")
    assert found(folder, home) == {}


def test_others_hooks_are_no_fault_and_shown_without_secrets(folder: Path, home: Path) -> None:
    secret = "sk-ant-api03-" + "a1B2" * 20
    settings(folder, hooks(f"./load.sh --key {secret}", "./second.sh") | {"model": "x"})
    files = registrations.read(str(folder), {"HOME": str(home)})
    (remark,) = layers.check(files, str(folder), {"HOME": str(home)})
    assert remark.level == "ok"
    assert "./second.sh" in remark.message
    assert secret not in remark.message
