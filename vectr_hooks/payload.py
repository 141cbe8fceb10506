"""The JSON document that a host writes to a hook's standard input."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

CHUNK_BYTES = 1 << 20

# Asking SQLite whether a document is complete costs a parse. Above this size it is only asked when no more
# input is waiting.
EAGER_BYTES = 60_000

# How much of a tool's result is looked through, from its end.
RESULT_CHARACTERS = 64 * 1024


class Malformed(Exception):
    """The input is not one JSON object."""


def receive(descriptor: int, connection: "Connection") -> str:
    """Read one JSON object from `descriptor`, not waiting for the end of a stream that may never close."""
    chunks: "list[bytes]" = []
    length = 0
    last = b""
    while True:
        chunk = os.read(descriptor, CHUNK_BYTES)
        if not chunk:
            break
        chunks.append(chunk)
        length += len(chunk)
        last = chunk.rstrip(b" \t\r\n") or last
        if not last.endswith(b"}") or (length > EAGER_BYTES and _waiting(descriptor)):
            continue
        text = _text(b"".join(chunks))
        if _is_object(connection, text):
            return text
    text = _text(b"".join(chunks))
    if not _is_object(connection, text):
        raise Malformed("the payload is not one JSON object (" + str(length) + " bytes)")
    return text


def fields(connection: "Connection", text: str) -> "tuple[dict[str, object], dict[str, object]]":
    """Read the plain values of a payload's top level and of its `tool_input`; the first of a duplicate key
    wins.
    """
    top: "dict[str, object]" = {}
    for key, value in connection.execute("SELECT key, atom FROM json_each(?)", (text,)):
        top.setdefault(key, value)
    tool_input: "dict[str, object]" = {}
    if "tool_input" in top:
        for key, value in connection.execute("SELECT key, atom FROM json_each(?, '$.tool_input')", (text,)):
            tool_input.setdefault(key, value)
    return top, tool_input


def tool_result(connection: "Connection", text: str) -> str:
    """Read the end of all texts in a payload's `tool_response`, one to a line."""
    rows = connection.execute("SELECT atom FROM json_tree(?, '$.tool_response') WHERE type = 'text'", (text,))
    # Only the end counts, so what is surely before it is not even kept.
    parts: "list[str]" = []
    length = 0
    for (part,) in rows:
        parts.append(part)
        length += len(part)
        while length - len(parts[0]) > RESULT_CHARACTERS:
            length -= len(parts.pop(0))
    return "\n".join(parts)[-RESULT_CHARACTERS:]


def _text(received: bytes) -> str:
    text = received.decode("utf-8", "replace").lstrip("\ufeff").strip()
    # SQLite would take a NUL for the end of a text, and what follows it would never be looked at.
    return text.replace("\\u0000", "\\ufffd") if "\\u0000" in text else text


def _is_object(connection: "Connection", text: str) -> bool:
    if not text.startswith("{"):
        return False
    (valid,) = connection.execute("SELECT json_valid(?)", (text,)).fetchone()
    return bool(valid)


def _waiting(descriptor: int) -> bool:
    import select

    return bool(select.select([descriptor], [], [], 0)[0])
