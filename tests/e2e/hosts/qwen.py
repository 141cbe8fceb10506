"""Qwen Code."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..messages_api import CONTEXT_SIZE, Reply, uses
from .program import HostLab, Program, json_lines

SETTINGS = {
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
    "telemetry": {"enabled": False},
    "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    "security": {"auth": {"selectedType": "openai"}},
}


class Qwen(Program):
    host = "qwen"
    package = "@qwen-code/qwen-code"
    version = "0.24.4"
    binary = "qwen"
    plugin_commands = (("extensions", "install", "{folder}:vectr-hooks", "--consent"),)
    summary_instructions = "produce the <state_snapshot> XML"
    nearly_full = 170_000
    late_by = 1

    def environment(self, url: str) -> dict[str, str]:
        return {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "not-a-key",
            "OPENAI_MODEL": "scripted",
            "QWEN_CODE_NO_RELAUNCH": "true",
        }

    def set_up(self, lab: HostLab) -> None:
        lab.home_file(".qwen/settings.json", json.dumps(SETTINGS, indent=2))

    def command(self, prompt: str, session: str) -> Sequence[str]:
        resumed = ("--resume", session) if session else ()
        return ("--yolo", "--output-format", "stream-json", *resumed, "-p", prompt)

    def session(self, printed: str) -> str:
        return next(str(line["session_id"]) for line in json_lines(printed) if "session_id" in line)

    def runs(self, command: str, input_tokens: int = CONTEXT_SIZE) -> Reply:
        return uses("run_shell_command", input_tokens, command=command, is_background=False)


PROGRAM = Qwen()
