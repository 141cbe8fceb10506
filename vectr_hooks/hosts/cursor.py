"""Cursor: its payloads and its output."""

from vectr_hooks.core.occurrence import (
    COMPACTION_ANNOUNCED,
    EDIT,
    PROMPT,
    READ,
    SESSION_BEGINS,
    TOOL_AFTER,
    name_at,
)
from vectr_hooks.hosts import shared
from vectr_hooks.hosts.shared import SEARCH, SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from sqlite3 import Connection

    from vectr_hooks.core.occurrence import Occurrence

NAME = "cursor"

# Before a tool it takes a decision on the tool, and no context.
EVENTS = {
    "sessionStart": SESSION_BEGINS,
    "beforeSubmitPrompt": PROMPT,
    "postToolUse": TOOL_AFTER,
    "preCompact": COMPACTION_ANNOUNCED,
}

TOOLS = {
    "Shell": SHELL,
    "Read": READ,
    "Grep": SEARCH,
    "Glob": SEARCH,
    "LS": SEARCH,
    "Write": EDIT,
    "Edit": EDIT,
    "StrReplace": EDIT,
    "MultiEdit": EDIT,
    "Delete": EDIT,
}

compacted_since = shared.compacted_since


def project_folder(environ: "Mapping[str, str]") -> str:
    return environ.get("CURSOR_PROJECT_DIR", "")


def written_by(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    return NAME


def read_event(
    payload: "Mapping[str, object]", tool_input: "Mapping[str, object]", registered: str = ""
) -> "Occurrence | None":
    event = shared.read(payload, tool_input, registered, EVENTS, TOOLS)
    if event is not None:
        event.session = name_at(payload, "conversation_id") or event.session
        event.forgets = event.what == COMPACTION_ANNOUNCED
    return event


def answer(connection: "Connection", event: "Occurrence", context: str, message: str = "") -> bytes:
    return shared.flat(connection, event, context, "additional_context")
