"""Plays a host's events to a store in this process: the whole response but for the process around it."""

from __future__ import annotations

import copy
import sqlite3
from pathlib import Path

from vectr_hooks.core.occurrence import (
    COMPACTION_ANNOUNCED,
    PROMPT,
    SESSION_BEGINS,
    SUBAGENT_BEGINS,
    TOOL_AFTER,
    TOOL_BEFORE,
    TOOL_FAILED,
    Occurrence,
)
from vectr_hooks.hosts import claude
from vectr_hooks.response import Response
from vectr_hooks.store.connection import open_for_hook
from vectr_hooks.store.workspace import locate

DAY_MS = 24 * 60 * 60 * 1000


class Playback:
    """One session, answered event by event."""

    def __init__(
        self, project: Path, store_path: Path, session: str = "session-1", now_ms: int = 20_000 * DAY_MS
    ) -> None:
        place = locate(str(project), "/")
        assert place
        self.place = place
        self.connection, _ = open_for_hook(str(store_path))
        self.session = session
        self.now_ms = now_ms
        self.prompts = 0
        self.calls = 0
        self.agent = self.subagent = ""

    def inside(self, agent: str, subagent: str) -> Playback:
        """The same session, inside a subagent of the type `subagent`."""
        inside = copy.copy(self)
        inside.agent, inside.subagent = agent, subagent
        return inside

    def answer(self, event: Occurrence) -> str:
        """Answer `event` as a hook does; give the text for the model."""
        self.now_ms += 1000
        event.session = event.session or self.session
        event.agent, event.subagent = event.agent or self.agent, event.subagent or self.subagent
        event.folder = self.place.root
        response = Response(self.connection, claude, event, self.place, self.now_ms)
        self.connection.execute("BEGIN IMMEDIATE")
        output = response.answer()
        self.connection.execute("COMMIT")
        if not output or event.what == COMPACTION_ANNOUNCED:
            return output.decode()
        (text,) = self.connection.execute(
            "SELECT json_extract(?, '$.hookSpecificOutput.additionalContext')", (output.decode(),)
        ).fetchone()
        return str(text)

    def start(self, source: str = "startup") -> str:
        return self.answer(Occurrence(SESSION_BEGINS, "SessionStart", source))

    def prompt(self, text: str) -> str:
        self.prompts += 1
        id = f"prompt-{self.prompts}"
        event = Occurrence(PROMPT, "UserPromptSubmit", prompt=text, prompt_id=id, identity=f"prompt:{id}")
        return self.answer(event)

    def tool(self, what: str, mode: str, path: str = "", command: str = "") -> str:
        self.calls += 1
        name = {TOOL_BEFORE: "PreToolUse", TOOL_AFTER: "PostToolUse"}[what]
        return self.answer(
            Occurrence(
                what, name, mode=mode, tool="Tool", path=path, command=command,
                prompt_id=f"prompt-{self.prompts}", identity=f"{name}:{self.calls}",
            )
        )  # fmt: skip

    def edit(self, path: str) -> str:
        return self.tool(TOOL_BEFORE, "edit", path)

    def read(self, path: str) -> str:
        return self.tool(TOOL_AFTER, "read", path)

    def run(self, command: str) -> str:
        return self.tool(TOOL_BEFORE, "run", command=command)

    def run_to(self, command: str, result: str) -> str:
        """Run a command that gives back `result`."""
        self.calls += 1
        return self.answer(
            Occurrence(
                TOOL_AFTER,
                "PostToolUse",
                mode="run",
                tool="Bash",
                command=command,
                input_text=command,
                result=lambda: result,
                prompt_id=f"prompt-{self.prompts}",
                identity=f"result:{self.calls}",
            )
        )

    def fail(self, command: str, error: str) -> str:
        """Run a command that fails with `error`."""
        self.calls += 1
        return self.answer(
            Occurrence(
                TOOL_FAILED,
                "PostToolUseFailure",
                mode="run",
                tool="Bash",
                command=command,
                input_text=command,
                error=error,
                prompt_id=f"prompt-{self.prompts}",
                identity=f"failure:{self.calls}",
            )
        )

    def begin_subagent(self) -> str:
        id = f"prompt-{self.prompts}"
        return self.answer(Occurrence(SUBAGENT_BEGINS, "SubagentStart", prompt_id=id, identity=self.agent))

    def compact(self, trigger: str = "manual") -> str:
        """Announce a compaction and give what is delivered after it."""
        if trigger == "manual":
            self.prompts += 1
        id = f"prompt-{self.prompts}"
        self.answer(Occurrence(COMPACTION_ANNOUNCED, "PreCompact", trigger, prompt_id=id))
        return self.answer(Occurrence(SESSION_BEGINS, "SessionStart", "compact", prompt_id=id))

    def rows(self, statement: str, *values: object) -> list[sqlite3.Row]:
        return self.connection.execute(statement, values).fetchall()
