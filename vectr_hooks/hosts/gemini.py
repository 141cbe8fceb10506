"""Gemini CLI: its payloads and its output.

It announces a compaction before every request, whether there is one or not, so none is waited for.
"""

from vectr_hooks.core.occurrence import EDIT, PROMPT, READ, SESSION_BEGINS, TOOL_AFTER
from vectr_hooks.hosts import claude, shared
from vectr_hooks.hosts.shared import SEARCH, SHELL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from vectr_hooks.core.occurrence import Occurrence

NAME = "gemini"

# Before a tool it takes no context.
EVENTS = {
    "SessionStart": SESSION_BEGINS,
    "BeforeAgent": PROMPT,
    "AfterTool": TOOL_AFTER,
}

TOOLS = {
    "read_file": READ,
    "read_many_files": SEARCH,
    "list_directory": SEARCH,
    "glob": SEARCH,
    "grep_search": SEARCH,
    "search_file_content": SEARCH,
    "write_file": EDIT,
    "replace": EDIT,
    "edit": EDIT,
    "run_shell_command": SHELL,
}

CONTEXT_BEGINS, CONTEXT_ENDS = "<hook_context>", "</hook_context>"

answer = shared.nested
compacted_since = shared.compacted_since


def project_folder(environ: "Mapping[str, str]") -> str:
    return environ.get("GEMINI_PROJECT_DIR", "")


def written_by(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    return NAME


def read_event(
    payload: "Mapping[str, object]", tool_input: "Mapping[str, object]", registered: str = ""
) -> "Occurrence | None":
    event = shared.read(payload, tool_input, registered, EVENTS, TOOLS)
    if event is None:
        return None
    if event.prompt:
        # What hooks said at the session's start stands before the first prompt, and is not the user's.
        text = _typed(event.prompt)
        event.prompt = text if claude.is_typed(text) else None
    elif event.what == SESSION_BEGINS and event.source == "resume":
        # Only what came with a tool's result is in the history.
        event.forgets = True
    return event


def _typed(prompt: str) -> str:
    begin = 0
    while prompt.startswith(CONTEXT_BEGINS, begin):
        end = prompt.find(CONTEXT_ENDS, begin)
        if end < 0:
            break
        begin = end + len(CONTEXT_ENDS)
        while prompt[begin : begin + 1].isspace():
            begin += 1
    return prompt[begin:]
