"""Factory droid: its payloads and its output."""

from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, EDIT, PROMPT, READ, SESSION_BEGINS, TOOL_AFTER
from vectr_hooks.hosts import shared
from vectr_hooks.hosts.shared import PATCH, SEARCH, SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from vectr_hooks.core.occurrence import Occurrence

NAME = "droid"

# Whether it takes context before a tool is not known.
EVENTS = {
    "SessionStart": SESSION_BEGINS,
    "UserPromptSubmit": PROMPT,
    "PostToolUse": TOOL_AFTER,
    "PreCompact": COMPACTION_ANNOUNCED,
}

TOOLS = {
    "Execute": SHELL,
    "Read": READ,
    "LS": SEARCH,
    "Grep": SEARCH,
    "Glob": SEARCH,
    "Create": EDIT,
    "Write": EDIT,
    "Edit": EDIT,
    "MultiEdit": EDIT,
    "ApplyPatch": PATCH,
}

answer = shared.nested
compacted_since = shared.compacted_since


def project_folder(environ: "Mapping[str, str]") -> str:
    return environ.get("DROID_PROJECT_DIR", "") or environ.get("FACTORY_PROJECT_DIR", "")


def written_by(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    return NAME


def read_event(
    payload: "Mapping[str, object]", tool_input: "Mapping[str, object]", registered: str = ""
) -> "Occurrence | None":
    event = shared.read(payload, tool_input, registered, EVENTS, TOOLS)
    if event is not None:
        event.forgets = event.what == COMPACTION_ANNOUNCED
    return event
