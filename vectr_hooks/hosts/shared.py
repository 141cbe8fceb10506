"""What the payloads and answers of most hosts have in common: Claude Code's form, in several spellings."""

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
    Occurrence,
    checksum,
    name_at,
    text_at,
)
from vectr_hooks.hosts import claude

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection

# What a tool does, beside reading, editing and running: it looks through a folder; it gives a shell a line;
# it edits the files that a patch names.
SEARCH = "search"
SHELL = "shell"
PATCH = "patch"

# What payloads call the same thing.
EVENT = ("hook_event_name", "hookEventName")
SESSION = ("session_id", "sessionId", "conversation_id")
TRANSCRIPT = ("transcript_path", "transcriptPath")
TURN = ("turn_id", "generation_id")
TOOL = ("tool_name", "toolName")
CALL = ("tool_use_id", "toolUseId")

# What tools call the file or folder they work on, the line they run, the patch they apply.
PATHS = (
    "file_path",
    "absolute_path",
    "filePath",
    "notebook_path",
    "path",
    "target_file",
    "dir_path",
    "directory_path",
    "folder",
)
COMMANDS = ("command", "cmd")
PATCHES = ("input", "patch", "command")
INPUT_TEXTS = (
    "pattern",
    "query",
    "command",
    "cmd",
    "old_string",
    "new_string",
    "oldString",
    "newString",
    "old_str",
    "new_str",
    "content",
    "file_text",
    "code",
    "input",
    "patch",
)

PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")

# As hosts call a session that begins without an earlier one.
SOURCES = {"new": "startup", "": "startup"}


def read(
    payload: "Mapping[str, object]",
    tool_input: "Mapping[str, object]",
    registered: str,
    events: "Mapping[str, str]",
    tools: "Mapping[str, str]",
) -> "Occurrence | None":
    """Read a payload's top level and its tool input (plain values); None for what is not in `events`.

    `registered` is the event that the hook was registered for, where the payload does not name it. A tool
    that is not in `tools` runs something that is not known.
    """
    name = one_of(payload, EVENT) or registered
    what = events.get(name)
    if what is None:
        return None
    event = Occurrence(
        what,
        name,
        source=name_at(payload, "source") or name_at(payload, "trigger"),
        session=one_of(payload, SESSION),
        transcript=one_of(payload, TRANSCRIPT),
        folder=name_at(payload, "cwd"),
        prompt_id=one_of(payload, TURN),
        agent=name_at(payload, "agent_id"),
    )
    if event.agent:
        event.subagent = name_at(payload, "agent_type") or claude.UNNAMED
    # Where nothing else tells two reports of one event from two events, the moment does.
    at = moment(payload)
    if what == SESSION_BEGINS:
        event.source = SOURCES.get(event.source, event.source)
        event.identity = "session:" + at if at else ""
    elif what == PROMPT:
        _read_prompt(event, text_at(payload, "prompt"), at)
    elif what == SUBAGENT_BEGINS:
        event.identity = event.agent
    elif what in (TOOL_BEFORE, TOOL_AFTER):
        event.tool = one_of(payload, TOOL)
        _read_tool(event, tool_input, tools.get(event.tool, RUN))
        event.identity = _call(event, one_of(payload, CALL), at)
    return event


def one_of(values: "Mapping[str, object]", names: "Sequence[str]") -> str:
    """Read the first of `names` that says something as an id, a name or a path; '' for none."""
    for name in names:
        if name in values:
            text = name_at(values, name)
            if text:
                return text
    return ""


def moment(payload: "Mapping[str, object]") -> str:
    """Read when the host says that it is: a text, or a number of seconds or milliseconds; '' for neither."""
    value = payload.get("timestamp")
    return name_at(payload, "timestamp") if isinstance(value, str) else str(value or "")


def _read_prompt(event: Occurrence, text: str, at: str) -> None:
    # What a subagent is asked, an agent wrote.
    event.prompt = text if claude.is_typed(text) and not event.agent else None
    if event.prompt_id or at:
        number = checksum(text.encode("utf-8", "surrogatepass"))
        event.identity = "prompt:" + (event.prompt_id or at) + ":" + str(number)


def _read_tool(event: Occurrence, tool_input: "Mapping[str, object]", does: str) -> None:
    event.mode = {SEARCH: READ, SHELL: RUN, PATCH: EDIT}.get(does, does)
    event.input_text = "\n".join(filter(None, (text_at(tool_input, key) for key in INPUT_TEXTS)))
    if does == SHELL:
        event.command = next(filter(None, (text_at(tool_input, key) for key in COMMANDS)), "")
    elif does == PATCH:
        patch = next(filter(None, (text_at(tool_input, key) for key in PATCHES)), "")
        event.path, *more = patched(patch) or (one_of(tool_input, PATHS),)
        event.files = tuple(more)
    elif does != RUN:
        event.path = one_of(tool_input, PATHS) or (event.folder if does == SEARCH else "")


def patched(patch: str) -> "list[str]":
    """List the files that a patch names, each once."""
    found: "dict[str, None]" = {}
    if "*** " in patch:
        for line in patch.split("\n"):
            for beginning in PATCHED:
                if line.startswith(beginning):
                    found[line[len(beginning) :].strip()] = None
    return [path for path in found if path]


def _call(event: Occurrence, call: str, at: str) -> str:
    if call:
        return event.name + ":" + call
    if not at:
        return ""
    # Tools that ran at once end at once.
    given = "\0".join((event.path, event.command, event.input_text))
    return event.name + ":" + at + ":" + str(checksum(given.encode("utf-8", "surrogatepass")))


def nested(connection: "Connection", event: Occurrence, context: str, message: str = "") -> bytes:
    """Answer as Claude Code is answered, but print nothing to a summariser."""
    if event.what == COMPACTION_ANNOUNCED:
        return b""
    return claude.answer(connection, event, context, message)


def flat(connection: "Connection", event: Occurrence, context: str, key: str) -> bytes:
    """Answer with one object of one `key`, beside which there is no place for a message to the user."""
    if event.what == COMPACTION_ANNOUNCED:
        return b""
    row = connection.execute("SELECT json_object(?, ?)", (key, context)).fetchone()
    text: str = row[0]
    return text.encode("utf-8", "replace")


def compacted_since(transcript: str, size: int) -> bool:
    """Say that the compaction which was announced took place: no record of these hosts tells otherwise."""
    return True
