"""Codex CLI."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

from ..messages_api import CONTEXT_SIZE, Reply, uses
from .program import RUN_SECONDS, WINDOW, HostLab, Program, json_lines

CONFIG = """\
model = "scripted"
model_provider = "scripted"
model_auto_compact_token_limit = {limit}
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[projects."{project}"]
trust_level = "trusted"
"""


class Codex(Program):
    host = "codex"
    package = "@openai/codex"
    version = "0.171.0"
    binary = "codex"
    plugin_commands = (
        ("plugin", "marketplace", "add", "{folder}"),
        ("plugin", "add", "vectr-hooks@vectr-hooks"),
    )
    summary_instructions = "CONTEXT CHECKPOINT COMPACTION"

    def environment(self, url: str) -> dict[str, str]:
        return {}

    def set_up(self, lab: HostLab) -> None:
        config = CONFIG.format(limit=WINDOW - 5_000, url=lab.api.url, project=lab.project)
        lab.home_file(".codex/config.toml", config)

    def trust(self, lab: HostLab) -> None:
        """As `/hooks` does: every hook's definition is trusted by its hash."""
        with AppServer(lab) as server:
            listed = server.asked("hooks/list", cwds=[str(lab.project)])
            hooks = [hook for entry in listed["data"] for hook in entry["hooks"]]
            assert hooks
            trusted = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
            edit = {"keyPath": "hooks.state", "value": trusted, "mergeStrategy": "upsert"}
            server.asked("config/batchWrite", edits=[edit])

    def command(self, prompt: str, session: str) -> Sequence[str]:
        resumed = ("resume", session) if session else ()
        return ("exec", "--json", "--dangerously-bypass-approvals-and-sandbox", *resumed, prompt)

    def session(self, printed: str) -> str:
        return next(str(line["thread_id"]) for line in json_lines(printed) if "thread_id" in line)

    def runs(self, command: str, input_tokens: int = CONTEXT_SIZE) -> Reply:
        return uses("exec_command", input_tokens, cmd=command)

    def delegates(self, task: str) -> Reply:
        return uses("multi_agent_v1.spawn_agent", message=task)


class AppServer:
    """`codex app-server`, which an editor speaks to."""

    def __init__(self, lab: HostLab) -> None:
        self._process = subprocess.Popen(
            [str(lab.file), "app-server"],
            cwd=lab.project,
            env=lab.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._number = 0

    def __enter__(self) -> AppServer:
        self.asked("initialize", clientInfo={"name": "test", "version": "0"})
        self._say({"method": "initialized"})
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(RUN_SECONDS)
        self._process.stdout.close()

    def asked(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self._say({"id": self._number, "method": method, "params": params})
        answer = next(line for line in self._heard() if line.get("id") == self._number)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _say(self, document: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(document) + "\n")
        self._process.stdin.flush()

    def _heard(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        return (json.loads(line) for line in self._process.stdout)


PROGRAM = Codex()
