"""VS Code: the payloads and the output of its agents' hooks."""

from vectr_hooks.core.occurrence import (
    COMPACTION_ANNOUNCED,
    EDIT,
    PROMPT,
    READ,
    SESSION_BEGINS,
    SUBAGENT_BEGINS,
    TOOL_AFTER,
    TOOL_BEFORE,
)
from vectr_hooks.hosts import recognition, shared
from vectr_hooks.hosts.shared import PATCH, SEARCH, SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from vectr_hooks.core.occurrence import Occurrence

NAME = "vscode"

EVENTS = {
    "SessionStart": SESSION_BEGINS,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": TOOL_BEFORE,
    "PostToolUse": TOOL_AFTER,
    "PreCompact": COMPACTION_ANNOUNCED,
    "SubagentStart": SUBAGENT_BEGINS,
}

TOOLS = {
    "run_in_terminal": SHELL,
    "read_file": READ,
    "list_dir": SEARCH,
    "file_search": SEARCH,
    "grep_search": SEARCH,
    "create_file": EDIT,
    "insert_edit_into_file": EDIT,
    "replace_string_in_file": EDIT,
    "edit_notebook_file": EDIT,
    "apply_patch": PATCH,
}

answer = shared.nested
compacted_since = shared.compacted_since


def project_folder(environ: "Mapping[str, str]") -> str:
    """Name no folder: nothing in a hook's environment is of this host."""
    return ""


def written_by(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    """Name this host, or the command-line program that runs the same files of `.github/hooks`."""
    writer = recognition.writer(payload, environ)
    return writer if writer == "copilot" else NAME


def read_event(
    payload: "Mapping[str, object]", tool_input: "Mapping[str, object]", registered: str = ""
) -> "Occurrence | None":
    event = shared.read(payload, tool_input, registered, EVENTS, TOOLS)
    if event is not None:
        event.forgets = event.what == COMPACTION_ANNOUNCED
        # It shows a prompt's hooks to the user alone.
        event.carries = event.what != PROMPT
    return event
