"""GitHub Copilot CLI."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..messages_api import CONTEXT_SIZE, Reply, uses
from .program import WINDOW, HostLab, Program, json_lines


class Copilot(Program):
    host = "copilot"
    package = "@github/copilot"
    version = "1.0.102"
    binary = "copilot"
    # It goes on with the old conversation until the compaction is done.
    late_by = 1
    # The hooks of a session's start and of its first prompt run at once: either may bring what is due.
    doubled_by_resume = frozenset(("session-start", "prompt-submit", "post-tool"))
    plugin_commands = (
        ("plugin", "marketplace", "add", "{folder}"),
        ("plugin", "install", "vectr-hooks@vectr-hooks"),
    )
    summary_instructions = "Please create a detailed summary of the conversation so far"

    def environment(self, url: str) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_PROVIDER_API_KEY": "not-a-key",
            "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": str(WINDOW),
            "COPILOT_MODEL": "scripted",
        }

    def set_up(self, lab: HostLab) -> None:
        lab.home_file(".copilot/config.json", json.dumps({"trustedFolders": [str(lab.project)]}))

    def command(self, prompt: str, session: str) -> Sequence[str]:
        resumed = ("--resume", session) if session else ()
        return ("--allow-all-tools", "--output-format", "json", *resumed, "-p", prompt)

    def session(self, printed: str) -> str:
        return next(str(line["sessionId"]) for line in json_lines(printed) if "sessionId" in line)

    def runs(self, command: str, input_tokens: int = CONTEXT_SIZE) -> Reply:
        return uses("bash", input_tokens, command=command, description="a test")


PROGRAM = Copilot()
