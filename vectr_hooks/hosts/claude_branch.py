"""Which lines of Claude Code's record of a session are of the conversation as it stands.

Each entry of the file names the one before it, so that going back in a conversation and on from there leaves
a branch behind. The links are found without reading a line's JSON where the line looks as the client writes
it: most of a file's bytes are tool results, of which nothing is needed here.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from json import JSONDecoder
    from typing import Any

# What a line is to the conversation.
NO_ENTRY = 0
LIVE = 1
LEFT = 2  # on no branch that is still in use, or beside one: see `Branch.holds`
ASIDE = 3  # of a subagent
AGAIN = 4  # a copy of an earlier entry

NOWHERE = -1
UNKNOWN = -2
UUID_LENGTH = 36

PARENT = b'{"parentUuid":'
BEGINNINGS = (PARENT + b'"', PARENT + b"null")
ASIDE_MARK = b'"isSidechain":true'
UUID = b'"uuid":"'
LOGICAL_PARENT = b'"logicalParentUuid":"'
COMPACTED = b'"subtype":"compact_boundary"'
# Inside a JSON string the quotes of these would be escaped: no text of a user's can look like them.
OF_USER = b'"role":"user"'
OF_TOOL = b'"tool_use_id":"'
MESSAGE = b'"message":{'
MESSAGE_ID = b'"id":"'
MESSAGE_ID_WITHIN = 400

# One, once a line is read: to make it takes as long as to read a short line.
_decoders: "list[JSONDecoder]" = []


class Branch:
    """The lines of one file, by number from 0: what each is, and what it follows."""

    __slots__ = ("parents", "replies", "rooted", "said", "states")

    def __init__(self) -> None:
        #: one of the constants above
        self.states = bytearray()
        #: the line that a line follows; NOWHERE: none; UNKNOWN: one that is not in the file
        self.parents: "list[int]" = []
        #: lines at which something else than a tool's result was said to the model
        self.said: "set[int]" = set()
        #: by line, the id of the model's message that it is a block of
        self.replies: "dict[int, bytes]" = {}
        #: whether the live branch was followed to where it begins
        self.rooted = True

    def holds(self, line: int) -> bool:
        """Tell whether the conversation as it stands has the entry of this line.

        Calls that the model made at once, their results and what hooks said of them lie beside the branch:
        the client follows one of them only.
        """
        reply = None
        # No way back is longer than the file, unless its links go in circles.
        for _ in self.states:
            if line < 0 or self.states[line] != LEFT or line in self.said:
                break
            own = self.replies.get(line, reply)
            if reply not in (None, own):
                return False
            reply, line = own, self.parents[line]
        if line < 0 or self.states[line] != LIVE:
            return False
        return reply in (None, self.replies.get(line))


def follow(lines: "Iterable[bytes]") -> Branch:
    """Find the branch that the newest entry of `lines` is on, across compactions."""
    branch = Branch()
    places: "dict[bytes, int]" = {}
    #: lines whose parent is not before them: its id, and where to go on when it is nowhere
    open_ends: "list[tuple[int, bytes, int]]" = []
    newest = NOWHERE
    for number, line in enumerate(map(as_written, lines)):
        state, parent = NO_ENTRY, NOWHERE
        uuid, before = _links(line)
        if uuid:
            state = AGAIN if uuid in places else ASIDE if ASIDE_MARK in line else LEFT
        if state in (ASIDE, LEFT):
            places[uuid] = number
            parent = places.get(before, NOWHERE)
            if before and parent == NOWHERE:
                # A compaction may name an entry that the client never wrote.
                open_ends.append((number, before, newest if COMPACTED in line else UNKNOWN))
        if state == LEFT:
            newest = number
            _note(branch, number, line)
        branch.states.append(state)
        branch.parents.append(parent)
    for number, before, instead in open_ends:
        branch.parents[number] = places.get(before, instead)
    _walk(branch, newest)
    return branch


def _walk(branch: Branch, line: int) -> None:
    while line >= 0 and branch.states[line] == LEFT:
        branch.states[line] = LIVE
        line = branch.parents[line]
    branch.rooted = line != UNKNOWN


def _note(branch: Branch, number: int, line: bytes) -> None:
    at = line.find(MESSAGE)
    if at < 0:
        return
    if OF_USER in line:
        if OF_TOOL not in line:
            branch.said.add(number)
        return
    begin = line.find(MESSAGE_ID, at, at + MESSAGE_ID_WITHIN)
    if begin >= 0:
        begin += len(MESSAGE_ID)
        branch.replies[number] = line[begin : line.find(b'"', begin)]


def _links(line: bytes) -> "tuple[bytes, bytes]":
    """Give an entry's id, and the id of the entry before it; '' for neither."""
    if not line.startswith(PARENT):
        return b"", b""
    # Of a structured result, the content may have keys of that name.
    if line.count(UUID) != 1:
        return _read_links(line)
    at = line.find(UUID) + len(UUID)
    uuid = line[at : at + UUID_LENGTH]
    begin = len(PARENT)
    if line.startswith(b'"', begin):
        return uuid, line[begin + 1 : begin + 1 + UUID_LENGTH]
    at = line.find(LOGICAL_PARENT) if COMPACTED in line else -1
    if at < 0:
        return uuid, b""
    at += len(LOGICAL_PARENT)
    return uuid, line[at : at + UUID_LENGTH]


def _read_links(line: bytes) -> "tuple[bytes, bytes]":
    entry = read_entry(line)
    if entry is None:
        return b"", b""
    uuid, parent, logical = (entry.get(key) for key in ("uuid", "parentUuid", "logicalParentUuid"))
    before = parent or logical
    return _bytes(uuid), _bytes(before)


def as_written(line: bytes) -> bytes:
    """Give an entry that another program wrote anew as the client writes it; any other line as it is.

    The marks of entries are looked for in their bytes.
    """
    if line.startswith(BEGINNINGS) or b'"parentUuid"' not in line:
        return line
    entry = read_entry(line)
    if entry is None or "parentUuid" not in entry:
        return line
    import json

    said = entry.get("message")
    if isinstance(said, dict) and "id" in said:
        entry["message"] = {"id": said["id"], **said}
    try:
        text = json.dumps({"parentUuid": entry["parentUuid"], **entry}, separators=(",", ":"))
    except RecursionError:
        return line
    return text.encode()


def read_entry(line: bytes) -> "dict[str, Any] | None":
    """Read a line; None where it is not one JSON object. Numbers that JSON has not are null."""
    # Only where a session resumes does a hook read any.
    import json

    if not _decoders:
        _decoders.append(json.JSONDecoder(parse_constant=_nothing, parse_float=_finite))
    try:
        encoding = "utf-8" if line.startswith(b'{"') else json.detect_encoding(line)
        entry = _decoders[0].decode(line.decode(encoding, "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _nothing(name: str) -> None:
    """Stand for NaN and the infinities, which SQLite does not read."""


def _finite(digits: str) -> "float | None":
    number = float(digits)
    return number if abs(number) != float("inf") else None


def _bytes(value: object) -> bytes:
    return value.encode("utf-8", "replace") if isinstance(value, str) else b""
