"""The JSON document that a host writes to a hook's standard input."""

import os

from vectr_hooks.core.occurrence import RESULT_CHARACTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection

CHUNK_BYTES = 1 << 20

# Asking SQLite whether a document is complete costs a parse. Above this size it is only asked when no more
# input comes for about as long as that takes.
EAGER_BYTES = 60_000
PARSED_BYTES_PER_S = 200e6

# In a payload above this, texts that are surely before that end are counted rather than fetched.
FETCHED_CHARACTERS = 16 * RESULT_CHARACTERS

# As hosts spell what a tool is given, and what it gives back.
TOOL_INPUTS = ("tool_input", "toolArgs")
TOOL_RESULTS = ("tool_response", "tool_result", "toolResult", "tool_output")


class Malformed(Exception):
    """The input is not one JSON object."""


def receive(descriptor: int, connection: "Connection") -> str:
    """Read one JSON object from `descriptor`, not waiting for the end of a stream that may never close."""
    chunks: "list[bytes]" = []
    length = 0
    last = b""
    while True:
        try:
            chunk = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            _waiting(descriptor)
            continue
        if not chunk:
            break
        chunks.append(chunk)
        length += len(chunk)
        last = chunk.rstrip(b" \t\r\n") or last
        if not last.endswith(b"}"):
            continue
        if length > EAGER_BYTES and _waiting(descriptor, length / PARSED_BYTES_PER_S):
            continue
        text = _text(b"".join(chunks))
        if _is_object(connection, text):
            return text
    text = _text(b"".join(chunks))
    if not _is_object(connection, text):
        raise Malformed("the payload is not one JSON object (" + str(length) + " bytes)")
    return text


def fields(connection: "Connection", text: str) -> "tuple[dict[str, object], dict[str, object]]":
    """Read the plain values of a payload's top level and of its tool's input; the first of a duplicate key
    wins.
    """
    top: "dict[str, object]" = {}
    for key, value in connection.execute("SELECT key, atom FROM json_each(?)", (text,)):
        top.setdefault(key, value)
    tool_input: "dict[str, object]" = {}
    spelled = spelling(TOOL_INPUTS, top)
    if spelled:
        document, place = text, "$." + spelled
        given = top[spelled]
        if isinstance(given, str):
            # Some write the object as a text, and a patch as itself.
            if not _is_object(connection, given):
                return top, {"input": given}
            document, place = given, "$"
        # The items of a list have numbers for keys.
        named = "SELECT key, atom FROM json_each(?, ?) WHERE typeof(key) = 'text'"
        for key, value in connection.execute(named, (document, place)):
            tool_input.setdefault(key, value)
    return top, tool_input


def tool_result(connection: "Connection", text: str, spelled: str = "tool_response") -> str:
    """Read the end of all texts in what a tool gave back, one to a line; `spelled` is its name at the top."""
    place = "$." + spelled
    texts = " FROM json_tree(?, ?) WHERE type = 'text'"
    skipped = 0
    if len(text) > FETCHED_CHARACTERS:
        (all_of_them,) = connection.execute("SELECT count(*)" + texts, (text, place)).fetchone()
        # Each is at least a line end.
        skipped = max(0, all_of_them - RESULT_CHARACTERS)
    rows = connection.execute("SELECT atom" + texts + " LIMIT -1 OFFSET ?", (text, place, skipped))
    return "\n".join([part for (part,) in rows])[-RESULT_CHARACTERS:]


def spelling(names: "Sequence[str]", top: "Mapping[str, object]") -> str:
    """Give that one of `names` which a payload has at its top level; '' for none."""
    for name in names:
        if name in top:
            return name
    return ""


def _text(received: bytes) -> str:
    text = received.decode("utf-8", "replace").lstrip("\ufeff").strip()
    # SQLite would take a NUL for the end of a text, and what follows it would never be looked at.
    return text.replace("\\u0000", "\\ufffd") if "\\u0000" in text else text


def _is_object(connection: "Connection", text: str) -> bool:
    # SQLite would take a NUL for the end, and what follows it for nothing.
    if not text.startswith("{") or "\0" in text:
        return False
    (valid,) = connection.execute("SELECT json_valid(?)", (text,)).fetchone()
    return bool(valid)


def _waiting(descriptor: int, seconds: "float | None" = None) -> bool:
    """Tell whether there is more to read (or the end) within `seconds`; None waits for it."""
    import select

    return bool(select.select([descriptor], [], [], seconds)[0])
