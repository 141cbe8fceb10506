"""Codex CLI: its payloads and its output, in which it takes no key that it does not know."""

from vectr_hooks.core.occurrence import (
    COMPACTION_ANNOUNCED,
    PROMPT,
    READ,
    SESSION_BEGINS,
    SUBAGENT_BEGINS,
    TOOL_AFTER,
    TOOL_BEFORE,
)
from vectr_hooks.hosts import shared
from vectr_hooks.hosts.shared import PATCH, SEARCH, SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from vectr_hooks.core.occurrence import Occurrence

NAME = "codex"

EVENTS = {
    "SessionStart": SESSION_BEGINS,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": TOOL_BEFORE,
    "PostToolUse": TOOL_AFTER,
    "PreCompact": COMPACTION_ANNOUNCED,
    "SubagentStart": SUBAGENT_BEGINS,
}

TOOLS = {
    "Bash": SHELL,
    "shell": SHELL,
    "shell_command": SHELL,
    "local_shell": SHELL,
    "exec_command": SHELL,
    "apply_patch": PATCH,
    "read_file": READ,
    "view_image": READ,
    "grep_files": SEARCH,
    "list_dir": SEARCH,
}

answer = shared.nested


def project_folder(environ: "Mapping[str, str]") -> str:
    """Name no folder: nothing in a hook's environment is of this host."""
    return ""


def written_by(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    return NAME


def read_event(
    payload: "Mapping[str, object]", tool_input: "Mapping[str, object]", registered: str = ""
) -> "Occurrence | None":
    event = shared.read(payload, tool_input, registered, EVENTS, TOOLS)
    if event is not None and event.what == COMPACTION_ANNOUNCED:
        # It keeps what the user said, and nothing that a hook said beside it.
        event.forgets = True
    return event


def compacted_since(transcript: str, size: int) -> bool:
    """Say that no compaction took place: one that did begins the session anew before anything else."""
    return False
