"""Which host wrote a payload, where several run what was registered for one."""

from vectr_hooks.core.occurrence import name_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Whose records lie in a folder of such a name.
RECORDS = {
    "/.codex/": "codex",
    "/.factory/": "droid",
    "/.qwen/": "qwen",
    "/.gemini/": "gemini",
    "/.copilot/": "copilot",
}


def writer(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    """Name the host that wrote a payload; '' for Claude Code and for one that cannot be told.

    The environment decides last: an agent that another one started has inherited its variables.
    """
    transcript = name_at(payload, "transcript_path") or name_at(payload, "transcriptPath")
    if "turn_id" in payload or transcript.rpartition("/")[2].startswith("rollout-"):
        return "codex"
    if "conversation_id" in payload:
        return "cursor"
    for folder, name in RECORDS.items():
        if folder in transcript:
            return name
    if "hookEventName" in payload:
        return "vscode"
    if "sessionId" in payload or "initial_prompt" in payload or "tool_result" in payload:
        return "copilot"
    if "timestamp" not in payload:
        return ""
    if "permission_mode" in payload:
        return "qwen"
    return "vscode" if transcript or "COPILOT_CLI" not in environ else "copilot"
