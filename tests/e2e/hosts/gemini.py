"""Gemini CLI."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..messages_api import CONTEXT_SIZE, Reply, uses
from .program import HostLab, Program, json_lines

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "telemetry": {"enabled": False},
}


class Gemini(Program):
    host = "gemini"
    package = "@google/gemini-cli"
    version = "0.61.0"
    binary = "gemini"
    doubled_by_resume = frozenset(("post-tool",))
    summary_instructions = "<state_snapshot>"

    def environment(self, url: str) -> dict[str, str]:
        return {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "not-a-key",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    def set_up(self, lab: HostLab) -> None:
        lab.home_file(".gemini/settings.json", json.dumps(SETTINGS, indent=2))

    def command(self, prompt: str, session: str) -> Sequence[str]:
        resumed = ("--resume", session) if session else ()
        return (
            "--model",
            "gemini-2.5-pro",
            "--yolo",
            "--output-format",
            "stream-json",
            *resumed,
            "-p",
            prompt,
        )

    def session(self, printed: str) -> str:
        return next(str(line["session_id"]) for line in json_lines(printed) if "session_id" in line)

    def runs(self, command: str, input_tokens: int = CONTEXT_SIZE) -> Reply:
        return uses("run_shell_command", input_tokens, command=command)


PROGRAM = Gemini()
