"""Qwen Code: its payloads and its output."""

from vectr_hooks.core.occurrence import COMPACTION_ANNOUNCED, PROMPT, SESSION_BEGINS, TOOL_AFTER
from vectr_hooks.hosts import gemini, shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from vectr_hooks.core.occurrence import Occurrence

NAME = "qwen"

# Before a tool it takes no context without a decision on the tool.
EVENTS = {
    "SessionStart": SESSION_BEGINS,
    "UserPromptSubmit": PROMPT,
    "PostToolUse": TOOL_AFTER,
    "PreCompact": COMPACTION_ANNOUNCED,
}

answer = shared.nested
compacted_since = shared.compacted_since


def project_folder(environ: "Mapping[str, str]") -> str:
    return environ.get("QWEN_PROJECT_DIR", "")


def written_by(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    return NAME


def read_event(
    payload: "Mapping[str, object]", tool_input: "Mapping[str, object]", registered: str = ""
) -> "Occurrence | None":
    # Its tools are those of the program that it was made from. An empty prompt goes on with a tool's result.
    event = shared.read(payload, tool_input, registered, EVENTS, gemini.TOOLS)
    if event is not None:
        event.forgets = event.what == COMPACTION_ANNOUNCED
        # It throws away what is said at a session's start.
        event.carries = event.what != SESSION_BEGINS
    return event
