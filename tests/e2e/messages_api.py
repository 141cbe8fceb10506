"""A Messages API on 127.0.0.1 that answers from a script and keeps every request it was sent."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Json = dict[str, Any]

# What the client's own instructions for a compaction's summary say, in the last message of that request.
SUMMARY_INSTRUCTIONS = "create a detailed summary of"
CONTEXT_SIZE = 2_000  # tokens that a reply claims were read, far from any compaction


@dataclass(frozen=True)
class Reply:
    """What the model answers to one request, which it says was `input_tokens` long."""

    blocks: tuple[Json, ...]
    input_tokens: int = CONTEXT_SIZE


def says(text: str, input_tokens: int = CONTEXT_SIZE) -> Reply:
    return Reply(({"type": "text", "text": text},), input_tokens)


def uses(tool: str, input_tokens: int = CONTEXT_SIZE, **tool_input: object) -> Reply:
    return Reply(({"type": "tool_use", "name": tool, "input": tool_input},), input_tokens)


def together(*replies: Reply) -> Reply:
    """One answer that uses several tools at once."""
    return Reply(tuple(block for reply in replies for block in reply.blocks))


@dataclass(frozen=True)
class Request:
    """One recorded request: a step of the conversation, or the making of a compaction's summary."""

    body: Json
    makes_summary: bool

    def texts(self) -> Iterator[str]:
        """Every text that the model would read, however it is nested."""
        yield from strings_in(self.body.get("system", ""))
        for message in self.body.get("messages", ()):
            yield from strings_in(message["content"])


def strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings_in(item)


def occurrences(request: Request, text: str) -> int:
    """How often the model reads exactly `text` in this request."""
    return sum(found.count(text) for found in request.texts())


@dataclass
class MessagesApi:
    """The server, running between `__enter__` and `__exit__`."""

    script: deque[Reply] = field(default_factory=deque)
    summary: Reply = field(default_factory=lambda: says("<summary>\nWork was done.\n</summary>"))
    requests: list[Request] = field(default_factory=list)

    def __enter__(self) -> MessagesApi:
        self._lock = threading.Lock()
        self._replies = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self.exchange())
        self._server.daemon_threads = True
        # A client that ends drops its open connections, which is nothing to report.
        self._server.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def exchange(self) -> type[BaseHTTPRequestHandler]:
        """What answers one connection."""
        return type("Bound", (Exchange,), {"api": self})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def without_summaries(self) -> Iterator[None]:
        """Meanwhile no compaction can succeed: its summary comes back empty."""
        working, self.summary = self.summary, says("")
        try:
            yield
        finally:
            self.summary = working

    def answer(self, body: Json) -> tuple[Reply, str]:
        """The reply to a request, which is recorded, and a number that no other reply has."""
        return self.reply_to(Request(body, makes_summary(body)), has_tools=bool(body.get("tools")))

    def reply_to(self, request: Request, has_tools: bool) -> tuple[Reply, str]:
        with self._lock:
            self._replies += 1
            if request.makes_summary:
                reply = self.summary
            elif not has_tools:
                # Without tools it is a chore of the client's, such as naming the session: not in the script.
                return says("A chore"), str(self._replies)
            else:
                reply = self.script.popleft() if self.script else says("Done.")
            self.requests.append(request)
            return reply, str(self._replies)


def makes_summary(body: Json) -> bool:
    spoken = [message for message in body.get("messages", ()) if message["role"] == "user"]
    return bool(spoken) and any(SUMMARY_INSTRUCTIONS in text for text in strings_in(spoken[-1]["content"]))


class Exchange(BaseHTTPRequestHandler):
    """One connection from the client."""

    api: MessagesApi
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the recorded requests are the log."""

    def do_GET(self) -> None:
        self.send(404, "application/json", b"{}")

    def do_HEAD(self) -> None:
        self.send(404, "application/json", b"")

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self.send(200, "application/json", json.dumps({"input_tokens": CONTEXT_SIZE}).encode())
        elif path == "/v1/messages":
            self.send_reply(json.loads(sent))
        else:
            self.send(404, "application/json", b"{}")

    def send_reply(self, body: Json) -> None:
        reply, number = self.api.answer(body)
        message = message_of(reply, number, str(body.get("model")))
        if body.get("stream"):
            self.send(200, "text/event-stream", b"".join(event_stream(message)))
        else:
            self.send(200, "application/json", json.dumps(message).encode())

    def send(self, status: int, content_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def message_of(reply: Reply, number: str, model: str) -> Json:
    content = [
        {"id": f"toolu_{number.zfill(6)}{index:02}", **block} if block["type"] == "tool_use" else block
        for index, block in enumerate(reply.blocks)
    ]
    calls_tool = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{number.zfill(8)}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if calls_tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": 10},
    }


def event_stream(message: Json) -> Iterator[bytes]:
    """The message as the server-sent events of a streamed answer."""
    yield event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty: Json = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield event("content_block_start", index=index, content_block=empty)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=ending, usage=message["usage"])
    yield event("message_stop")


def event(name: str, **fields: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
