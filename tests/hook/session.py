"""A host's session as a test plays it: recorded payloads, whole processes, what they print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vectr_hooks.registration.command_line import ENTRY_FILES

ROOT = Path(__file__).parents[2]
PAYLOADS = ROOT / "tests/payloads/claude/2.1.332"


def recorded(name: str) -> dict[str, Any]:
    """The payload that the real client sent for `name`, as in `PreToolUse.Read`."""
    payload: dict[str, Any] = json.loads((PAYLOADS / f"{name}.json").read_text("utf-8"))
    return payload


def entry(event: str) -> list[str]:
    """The command that runs the hook of `event`, without the shell around it."""
    return [sys.executable, "-I", "-S", str(ROOT / "hooks" / ENTRY_FILES[event])]


class Answer:
    """What a hook process printed, having ended as it must."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        assert done.returncode == 0, done
        assert done.stderr == b"", done.stderr
        self.stdout = done.stdout

    @property
    def context(self) -> str:
        """What the model is given; '' for nothing."""
        if not self.stdout:
            return ""
        document = json.loads(self.stdout.decode("utf-8"))
        assert set(document) == {"hookSpecificOutput"}
        assert set(document["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
        context: str = document["hookSpecificOutput"]["additionalContext"]
        assert context
        return context

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8")

    @property
    def notes(self) -> list[str]:
        """The notes delivered, each as `#1` in full or `#1 line`, in order."""
        found = []
        for line in self.context.splitlines():
            if line.startswith("[#"):
                found.append(line[1:].split(" ")[0])
            elif line.startswith("#"):
                found.append(line.split(" ")[0] + " line")
        return found


class Session:
    """One session of the client in `project`."""

    def __init__(self, project: Path, session: str = "session-1", **environ: str) -> None:
        self.project = project
        self.session = session
        self.environ = environ
        self.prompts = 0
        self.calls = 0
        self.agent: dict[str, str] = {}

    def send(self, payload: Mapping[str, Any] | bytes, event: str = "") -> Answer:
        """Run the hook that is registered for the payload's event."""
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        event = event or (
            payload["hook_event_name"] if not isinstance(payload, bytes) else "UserPromptSubmit"
        )
        return Answer(
            subprocess.run(entry(event), input=raw, capture_output=True, env=self.env(), timeout=30, cwd="/")
        )

    def env(self) -> dict[str, str]:
        names = ("HOME", "VECTR_HOOKS_HOME", "XDG_DATA_HOME", "PATH")
        own = {name: os.environ[name] for name in names if name in os.environ}
        return {**own, "CLAUDE_PROJECT_DIR": str(self.project), **self.environ}

    def payload(self, name: str, **fields: Any) -> dict[str, Any]:
        own = {
            "session_id": self.session,
            "transcript_path": str(self.project / f"{self.session}.jsonl"),
            "cwd": str(self.project),
        }
        payload = {**recorded(name), **own, **self.agent, **fields}
        if "prompt_id" in payload and "prompt_id" not in fields:
            payload["prompt_id"] = f"prompt-{self.prompts}"
        return {key: value for key, value in payload.items() if value is not ...}

    def start(self, source: str = "startup") -> Answer:
        return self.send(self.payload(f"SessionStart.{source}"))

    def prompt(self, text: str, **fields: Any) -> Answer:
        self.prompts += 1
        return self.send(self.payload("UserPromptSubmit", prompt=text, **fields))

    def tool(self, name: str, **fields: Any) -> Answer:
        self.calls += 1
        return self.send(self.payload(name, tool_use_id=f"call-{self.calls}", **fields))

    def read(self, path: str) -> Answer:
        return self.tool("PostToolUse.Read", tool_input={"file_path": str(self.project / path)})

    def before_read(self, path: str) -> Answer:
        return self.tool("PreToolUse.Read", tool_input={"file_path": str(self.project / path)})

    def before_edit(self, path: str) -> Answer:
        fields = {"file_path": str(self.project / path), "old_string": "a", "new_string": "b"}
        return self.tool("PreToolUse.Edit", tool_input=fields)

    def edit(self, path: str) -> Answer:
        return self.tool("PostToolUse.Edit", tool_input={"file_path": str(self.project / path)})

    def before_run(self, command: str) -> Answer:
        return self.tool("PreToolUse.Bash", tool_input={"command": command})

    def run(self, command: str) -> Answer:
        return self.tool("PostToolUse.Bash", tool_input={"command": command})

    def fail(self, command: str) -> Answer:
        return self.tool("PostToolUseFailure.Bash", tool_input={"command": command})

    def announce_compaction(self, trigger: str = "manual") -> Answer:
        if trigger == "manual":
            self.prompts += 1
        return self.send(self.payload(f"PreCompact.{trigger}"))

    def compacted(self) -> Answer:
        return self.start("compact")

    def subagent(self, agent: str, kind: str) -> Session:
        """The same session, inside a subagent."""
        inside = Session(self.project, self.session, **self.environ)
        inside.agent = {"agent_id": agent, "agent_type": kind}
        inside.prompts = self.prompts
        inside.calls = 1000 + len(agent)
        return inside

    def subagent_starts(self) -> Answer:
        return self.send(self.payload("SubagentStart"))
