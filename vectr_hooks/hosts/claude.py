"""Claude Code: its payloads and its output."""

import os

from vectr_hooks.core.occurrence import (
    COMPACTION_ANNOUNCED,
    EDIT,
    PROMPT,
    READ,
    RUN,
    SESSION_BEGINS,
    SUBAGENT_BEGINS,
    TOOL_AFTER,
    TOOL_BEFORE,
    TOOL_FAILED,
    Occurrence,
    checksum,
    name_at,
    text_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from sqlite3 import Connection

NAME = "claude"

EVENTS = {
    "SessionStart": SESSION_BEGINS,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": TOOL_BEFORE,
    "PostToolUse": TOOL_AFTER,
    "PostToolUseFailure": TOOL_FAILED,
    "PreCompact": COMPACTION_ANNOUNCED,
    "SubagentStart": SUBAGENT_BEGINS,
}

# Per tool: what it does, and which of its inputs names the file or folder it does it to.
TOOLS = {
    "Read": (READ, "file_path"),
    "Grep": (READ, "path"),
    "Glob": (READ, "path"),
    "Edit": (EDIT, "file_path"),
    "Write": (EDIT, "file_path"),
    "MultiEdit": (EDIT, "file_path"),
    "NotebookEdit": (EDIT, "notebook_path"),
    "Bash": (RUN, ""),
}
FOLDER_TOOLS = ("Grep", "Glob")

# The inputs of tools that hold code or what is looked for in it.
INPUT_TEXTS = ("pattern", "query", "command", "old_string", "new_string", "content", "new_source")

# Stands for the type of a subagent that has none.
UNNAMED = "unnamed"

# What the client itself submits as a prompt.
NOT_TYPED = ("<task-notification>", "<system-reminder>", "<command-", "<local-command-")
COMMAND_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-")

# As the client writes it. Inside a JSON string its quotes would be escaped, so no prompt or file can fake it.
BOUNDARY_MARK = b'"subtype":"compact_boundary"'
CHUNK_BYTES = 1 << 20
MOST_BYTES = 64 << 20


# What payloads of this client do not have at their top, and those of others do.
NOT_OURS = frozenset(("timestamp", "turn_id", "sessionId", "conversation_id"))


def project_folder(environ: "Mapping[str, str]") -> str:
    """Name the folder the client was started in; '' when it does not say."""
    return environ.get("CLAUDE_PROJECT_DIR", "")


def written_by(payload: "Mapping[str, object]", environ: "Mapping[str, str]") -> str:
    """Name the host that wrote a payload: others run this one's plugins, and what its settings register."""
    transcript = name_at(payload, "transcript_path")
    if NOT_OURS.isdisjoint(payload) and "/.factory/" not in transcript and "/rollout-" not in transcript:
        return NAME
    # So it is this client's, whatever a later version adds.
    session = name_at(payload, "session_id")
    if session and (environ.get("CLAUDE_CODE_SESSION_ID") == session or _is_record(transcript, session)):
        return NAME
    from vectr_hooks.hosts.recognition import writer

    return writer(payload, environ) or NAME


def read_event(
    payload: "Mapping[str, object]", tool_input: "Mapping[str, object]", registered: str = ""
) -> "Occurrence | None":
    """Read a payload's top level and its tool input (plain values); None for an event that is not ours.

    `registered` is the event that the hook was registered for, which this client's payloads name themselves.
    """
    name = name_at(payload, "hook_event_name")
    what = EVENTS.get(name)
    if what is None:
        return None
    event = Occurrence(
        what,
        name,
        source=name_at(payload, "source") or name_at(payload, "trigger"),
        session=name_at(payload, "session_id"),
        transcript=name_at(payload, "transcript_path"),
        folder=name_at(payload, "cwd"),
        prompt_id=name_at(payload, "prompt_id"),
        agent=name_at(payload, "agent_id"),
    )
    # The type alone does not make a subagent: a main conversation may run as an agent of some type.
    if event.agent:
        event.subagent = name_at(payload, "agent_type") or UNNAMED
    if what == PROMPT:
        text = text_at(payload, "prompt")
        event.prompt = text if is_typed(text) else None
        event.identity = _prompt_identity(event.prompt_id, text)
    elif what == SUBAGENT_BEGINS:
        event.identity = event.agent
    elif "tool_name" in payload:
        _read_tool(event, payload, tool_input)
    return event


def is_typed(prompt: str) -> bool:
    """Tell a prompt that a person typed from the client's own notices and from slash commands."""
    text = prompt.lstrip()
    if not text or text.startswith(NOT_TYPED):
        return False
    word = text.split(None, 1)[0]
    is_command = len(word) > 1 and word[0] == "/" and COMMAND_CHARACTERS.issuperset(word[1:])
    return not is_command


def compacted_since(transcript: str, size: int) -> bool:
    """Tell whether the client compacted since its transcript had `size` bytes; True when it cannot be read.

    A compaction that the client announced and then refused leaves no mark.
    """
    if not transcript or not os.path.isfile(transcript):
        return True
    try:
        with open(transcript, "rb") as file:
            file.seek(max(size, 0, os.path.getsize(transcript) - MOST_BYTES))
            tail = b""
            while True:
                chunk = file.read(CHUNK_BYTES)
                if not chunk:
                    return False
                if BOUNDARY_MARK in tail + chunk:
                    return True
                tail = chunk[-len(BOUNDARY_MARK) :]
    except OSError:
        return True


def answer(connection: "Connection", event: Occurrence, context: str, message: str = "") -> bytes:
    """Give the one document to print: JSON, or plain text for the summariser before a compaction.

    `message` is for the user alone.
    """
    if event.what == COMPACTION_ANNOUNCED:
        return context.encode("utf-8", "replace")
    row = connection.execute(
        "SELECT json_patch("
        "  json_object('hookSpecificOutput', json_object('hookEventName', ?1, 'additionalContext', ?2)),"
        "  CASE WHEN ?3 = '' THEN '{}' ELSE json_object('systemMessage', ?3) END)",
        (event.name, context, message),
    ).fetchone()
    text: str = row[0]
    return text.encode("utf-8", "replace")


def _is_record(transcript: str, session: str) -> bool:
    """Tell a path that this client gives the record of a session: `projects/FOLDER/SESSION.jsonl`."""
    parts = transcript.rsplit("/", 3)[1:]
    return len(parts) == 3 and parts[0] == "projects" and parts[2] == session + ".jsonl"


def _read_tool(
    event: Occurrence, payload: "Mapping[str, object]", tool_input: "Mapping[str, object]"
) -> None:
    event.tool = name_at(payload, "tool_name")
    event.mode, argument = TOOLS.get(event.tool, (RUN, ""))
    event.path = name_at(tool_input, argument) if argument else ""
    if event.tool in FOLDER_TOOLS:
        event.path = event.path or event.folder
    if event.tool == "Bash":
        event.command = text_at(tool_input, "command")
    event.error = text_at(payload, "error")
    event.input_text = "\n".join(filter(None, (text_at(tool_input, key) for key in INPUT_TEXTS)))
    call = name_at(payload, "tool_use_id")
    event.identity = event.name + ":" + call if call else ""


def _prompt_identity(prompt_id: str, prompt: str) -> str:
    # A prompt typed while a tool runs shares the running turn's id.
    if not prompt_id:
        return ""
    return "prompt:" + prompt_id + ":" + str(checksum(prompt.encode("utf-8", "surrogatepass")))
