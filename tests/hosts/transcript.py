"""Lines of a session as Claude Code writes them down: each names itself and the entry before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Lines = list[bytes]


def uuid(name: str) -> str:
    return f"{name:0>8}-0000-4000-8000-000000000000"


def entry(name: str, before: str | None, **fields: Any) -> bytes:
    links = {"parentUuid": before and uuid(before), "isSidechain": False}
    return json.dumps(links | fields | {"uuid": uuid(name)}, separators=(",", ":")).encode()


def of_session(session: str, line: bytes) -> bytes:
    """`line` with the id of the session that it is of."""
    return line.replace(b'"isSidechain":', b'"sessionId":"' + session.encode() + b'","isSidechain":', 1)


def prompt(name: str, before: str | None, text: str = "Go on", **fields: Any) -> bytes:
    return entry(name, before, type="user", message={"role": "user", "content": text}, **fields)


def uses(name: str, before: str | None, tool: str, given: dict[str, Any], **fields: Any) -> bytes:
    """A reply that makes one call, `call-NAME`."""
    block = {"type": "tool_use", "id": f"call-{name}", "name": tool, "input": given}
    message = {"id": f"m-{name}", "type": "message", "role": "assistant", "content": [block]}
    return entry(name, before, **{"message": message, "type": "assistant", **fields})


def reply(name: str, before: str, message: str, **fields: Any) -> bytes:
    """A block of the reply with the id `message`."""
    block = {"type": "tool_use", "id": f"call-{name}", "name": "Read", "input": {}}
    of = {"id": message, "type": "message", "role": "assistant", "content": [block]}
    return entry(name, before, message=of, type="assistant", **fields)


def result(
    name: str, before: str, call: str, content: Any = "done", is_error: bool = False, **fields: Any
) -> bytes:
    block = {"tool_use_id": call, "type": "tool_result", "content": content, "is_error": is_error}
    return entry(name, before, type="user", message={"role": "user", "content": [block]}, **fields)


def attachment(name: str, before: str | None, event: str = "", *texts: str, **fields: Any) -> bytes:
    """What a hook of `event` told the model."""
    said = {"type": "hook_additional_context", "content": list(texts), "hookEvent": event}
    return entry(name, before, attachment=said, type="attachment", **fields)


def boundary(name: str, logical: str, trigger: str = "manual", **fields: Any) -> bytes:
    return entry(
        name,
        None,
        logicalParentUuid=uuid(logical),
        type="system",
        subtype="compact_boundary",
        compactMetadata={"trigger": trigger},
        **fields,
    )


def write(path: Path, lines: Lines) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return str(path)
