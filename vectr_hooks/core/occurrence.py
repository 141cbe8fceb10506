"""What a host told a hook, in host-neutral words."""

SESSION_BEGINS = "session"
PROMPT = "prompt"
TOOL_BEFORE = "pre"
TOOL_AFTER = "post"
TOOL_FAILED = "failure"
COMPACTION_ANNOUNCED = "compaction"
SUBAGENT_BEGINS = "subagent"

READ = "read"
EDIT = "edit"
RUN = "run"

COMPACT = "compact"
CLEAR = "clear"

#: the label of a session that goes on
RESUMED = SESSION_BEGINS + ":resume"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# No host gives longer ids and names, and no system has longer paths.
LONGEST_NAME = 4096

# How much of what a tool gave back is looked through, from its end.
RESULT_CHARACTERS = 64 * 1024

CHARACTERS_PER_TOKEN = 4
# Files that a host sends as encoded bytes, whose number says nothing of what they cost.
_NOT_TEXT = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")

# A Mersenne prime below 2 to the power of 63, SQLite's largest integer.
CHECKSUM_PRIME = (1 << 61) - 1


def checksum(content: bytes) -> int:
    """Compute a number that tells `content` from other content, not from what was made to have the same.

    Needs no module: importing `zlib` for its CRC would cost a hook 3 % of an interpreter's start.
    """
    return int.from_bytes(content, "little") % CHECKSUM_PRIME


def text_at(values: "Mapping[str, object]", key: str) -> str:
    """Read a text from a payload; '' for anything else."""
    value = values.get(key)
    return value if isinstance(value, str) else ""


def name_at(values: "Mapping[str, object]", key: str) -> str:
    """Read an id, a name or a path from a payload; '' for what is too long to be one.

    Such texts are kept with every event and climbed folder by folder, which one of megabytes must not be.
    """
    text = text_at(values, key)
    return text if len(text) <= LONGEST_NAME else ""


class Occurrence:
    """One call of a hook, read from the host's payload."""

    __slots__ = (
        "agent",
        "carries",
        "command",
        "error",
        "files",
        "folder",
        "forgets",
        "identity",
        "input_text",
        "mode",
        "name",
        "path",
        "prompt",
        "prompt_id",
        "result",
        "session",
        "size",
        "source",
        "subagent",
        "tool",
        "transcript",
        "what",
    )

    def __init__(
        self,
        what: str,
        name: str,
        source: str = "",
        session: str = "",
        transcript: str = "",
        folder: str = "",
        prompt_id: str = "",
        agent: str = "",
        subagent: str = "",
        prompt: "str | None" = None,
        tool: str = "",
        mode: str = "",
        path: str = "",
        command: str = "",
        error: str = "",
        input_text: str = "",
        result: "Callable[[], str] | None" = None,
        identity: str = "",
    ) -> None:
        #: one of the constants above
        self.what = what
        #: the event in the host's spelling
        self.name = name
        #: why a session begins, or who asked for a compaction, in Claude Code's spelling
        self.source = source
        self.session = session
        self.transcript = transcript
        #: where relative paths start
        self.folder = folder
        self.prompt_id = prompt_id
        #: id of the subagent it happens in; '' in the main conversation
        self.agent = agent
        #: that subagent's type
        self.subagent = subagent
        #: the text a person typed; None for anything else that the host submits as a prompt
        self.prompt = prompt
        self.tool = tool
        #: read, edit or run
        self.mode = mode
        self.path = path
        self.command = command
        #: why a tool failed
        self.error = error
        #: what a tool was given to look for or to write
        self.input_text = input_text
        #: reads what the tool gave back; only asked when a trigger looks for something in it
        self.result = result
        #: characters of the payload, nearly all of them a result where there is one
        self.size = 0
        #: what makes this event the same when a second registration reports it; '' when nothing does
        self.identity = identity
        #: whether the host shows the model what is printed at this event; what is due waits where it does not
        self.carries = True
        #: whether nothing that was printed before this event is in the conversation any more
        self.forgets = False
        #: further files that a tool edits at once, written like `path`
        self.files: "tuple[str, ...]" = ()

    @property
    def label(self) -> str:
        """Say what happened and for which reason, as the conversation remembers its previous event."""
        return self.what + ":" + self.source if self.source else self.what

    @property
    def result_tokens(self) -> int:
        """Estimate what a tool's result cost: about, since the rest of the payload is counted with it; 0 for
        what is no text.
        """
        if self.path.lower().endswith(_NOT_TEXT):
            return 0
        return max(0, self.size - len(self.input_text)) // CHARACTERS_PER_TOKEN
