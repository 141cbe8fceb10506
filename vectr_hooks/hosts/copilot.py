"""GitHub Copilot CLI: its payloads and its output.

Its own events do not name themselves. Those that it runs for a plugin of Claude Code do, and as that does.
"""

from vectr_hooks.core.occurrence import (
    COMPACTION_ANNOUNCED,
    EDIT,
    PROMPT,
    READ,
    SESSION_BEGINS,
    SUBAGENT_BEGINS,
    TOOL_AFTER,
    TOOL_BEFORE,
    name_at,
)
from vectr_hooks.hosts import claude, recognition, shared
from vectr_hooks.hosts.shared import PATCH, SEARCH, SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from sqlite3 import Connection

    from vectr_hooks.core.occurrence import Occurrence

NAME = "copilot"

OWN_EVENTS = {
    "sessionStart": SESSION_BEGINS,
    "userPromptSubmitted": PROMPT,
    "preToolUse": TOOL_BEFORE,
    "postToolUse": TOOL_AFTER,
    "preCompact": COMPACTION_ANNOUNCED,
    "subagentStart": SUBAGENT_BEGINS,
}
EVENTS = {
    **OWN_EVENTS,
    "SessionStart": SESSION_BEGINS,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": TOOL_BEFORE,
    "PostToolUse": TOOL_AFTER,
    "PreCompact": COMPACTION_ANNOUNCED,
    "SubagentStart": SUBAGENT_BEGINS,
}

TOOLS = {
    "bash": SHELL,
    "Bash": SHELL,
    "view": READ,
    "Read": READ,
    "create": EDIT,
    "Write": EDIT,
    "edit": EDIT,
    "str_replace": EDIT,
    "Edit": EDIT,
    "apply_patch": PATCH,
    "grep": SEARCH,
    "rg": SEARCH,
    "Grep": SEARCH,
    "glob": SEARCH,
    "Glob": SEARCH,
}

compacted_since = shared.compacted_since


def project_folder(environ: "Mapping[str, str]") -> str:
    return environ.get("COPILOT_PROJECT_DIR", "")


def written_by(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    """Name this host, or the editor that runs the same files of `.github/hooks`."""
    writer = recognition.writer(payload, environ)
    return writer if writer == "vscode" else NAME


def read_event(
    payload: "Mapping[str, object]", tool_input: "Mapping[str, object]", registered: str = ""
) -> "Occurrence | None":
    event = shared.read(payload, tool_input, registered, EVENTS, TOOLS)
    if event is None:
        return None
    if event.what == SUBAGENT_BEGINS and not event.agent:
        # It says which subagent is to begin, and gives it no id.
        event.subagent = shared.one_of(payload, ("agentName", "agent_name")) or claude.UNNAMED
        event.agent = event.identity = event.subagent + ":" + shared.moment(payload)
    elif event.what == COMPACTION_ANNOUNCED:
        event.forgets = True
    elif event.what == SESSION_BEGINS:
        # A resumed session has lost what was said at its start and before tools, and only that.
        event.forgets = name_at(payload, "source") == "resume"
    return event


def answer(connection: "Connection", event: "Occurrence", context: str, message: str = "") -> bytes:
    return shared.flat(connection, event, context, "additionalContext")
