"""A server on 127.0.0.1 for the ways in which other hosts speak to their models, with one script for all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol

from .messages_api import Exchange, Json, MessagesApi, Reply, Request, says, strings_in


class Dialect(Protocol):
    """One way to ask a model, and to answer."""

    @property
    def read_by_model(self) -> Sequence[str]:
        """The keys of a request whose texts the model reads, but for its tools."""

    def asked_at(self, path: str) -> bool: ...

    def streams(self, path: str, body: Json) -> bool: ...

    def answer(self, reply: Reply, number: str, model: str) -> Json: ...

    def events(self, answer: Json) -> Iterator[str]: ...


@dataclass(frozen=True)
class ModelRequest(Request):
    """One recorded request in some dialect."""

    dialect: Dialect

    def texts(self) -> Iterator[str]:
        for key in self.dialect.read_by_model:
            yield from strings_in(self.body.get(key, ""))


class Responses:
    """The Responses API."""

    read_by_model = ("instructions", "input")

    def asked_at(self, path: str) -> bool:
        return path.endswith("/responses")

    def streams(self, path: str, body: Json) -> bool:
        return bool(body.get("stream"))

    def answer(self, reply: Reply, number: str, model: str) -> Json:
        return {
            "id": f"resp_{number}",
            "object": "response",
            "model": model,
            "status": "completed",
            "output": [self._item(block, f"{number}_{at}") for at, block in enumerate(reply.blocks)],
            "usage": {
                "input_tokens": reply.input_tokens,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 10,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": reply.input_tokens + 10,
            },
        }

    def _item(self, block: Json, number: str) -> Json:
        if block["type"] == "text":
            content = [{"type": "output_text", "text": block["text"], "annotations": []}]
            return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
        # Tools may be in a namespace, which stands before the name.
        namespace, _, name = block["name"].rpartition(".")
        return {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            "arguments": json.dumps(block["input"]),
        }

    def events(self, answer: Json) -> Iterator[str]:
        yield _event("response.created", response={**answer, "status": "in_progress", "output": []})
        for at, item in enumerate(answer["output"]):
            yield _event("response.output_item.added", output_index=at, item=item)
            yield _event("response.output_item.done", output_index=at, item=item)
        yield _event("response.completed", response=answer)


class ChatCompletions:
    """The Chat Completions API."""

    read_by_model = ("messages",)

    def asked_at(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def streams(self, path: str, body: Json) -> bool:
        return bool(body.get("stream"))

    def answer(self, reply: Reply, number: str, model: str) -> Json:
        calls = [
            {
                "id": f"call_{number}_{at}",
                "type": "function",
                "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
            }
            for at, block in enumerate(reply.blocks)
            if block["type"] == "tool_use"
        ]
        text = "".join(block["text"] for block in reply.blocks if block["type"] == "text")
        message: Json = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = calls
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
            "usage": {
                "prompt_tokens": reply.input_tokens,
                "completion_tokens": 10,
                "total_tokens": reply.input_tokens + 10,
            },
        }

    def events(self, answer: Json) -> Iterator[str]:
        [choice] = answer["choices"]
        message = dict(choice["message"])
        if "tool_calls" in message:
            message["tool_calls"] = [{"index": at, **call} for at, call in enumerate(message["tool_calls"])]
        chunk = {**answer, "object": "chat.completion.chunk"}
        for delta, finish in ((message, None), ({}, choice["finish_reason"])):
            choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
            yield _data({**chunk, "choices": choices, "usage": None if finish is None else chunk["usage"]})
        yield "data: [DONE]\n\n"


class GenerateContent:
    """The Gemini API."""

    read_by_model = ("systemInstruction", "contents")

    def asked_at(self, path: str) -> bool:
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def streams(self, path: str, body: Json) -> bool:
        return path.endswith(":streamGenerateContent")

    def answer(self, reply: Reply, number: str, model: str) -> Json:
        return {
            "candidates": [
                {
                    "index": 0,
                    "content": {"role": "model", "parts": [self._part(block) for block in reply.blocks]},
                    "finishReason": "STOP",
                }
            ],
            "usageMetadata": {
                "promptTokenCount": reply.input_tokens,
                "candidatesTokenCount": 10,
                "totalTokenCount": reply.input_tokens + 10,
            },
            "modelVersion": model,
            "responseId": number,
        }

    def _part(self, block: Json) -> Json:
        if block["type"] == "text":
            return {"text": block["text"]}
        return {"functionCall": {"name": block["name"], "args": block["input"]}}

    def events(self, answer: Json) -> Iterator[str]:
        yield _data(answer)


DIALECTS: tuple[Dialect, ...] = (Responses(), ChatCompletions(), GenerateContent())


@dataclass
class ModelApi(MessagesApi):
    """The server, running between `__enter__` and `__exit__`."""

    summary: Reply = field(default_factory=lambda: says("<state_snapshot>Work was done.</state_snapshot>"))
    #: what the last message of a request says that asks for a compaction's summary
    summary_instructions: str = ""

    def exchange(self) -> type[BaseHTTPRequestHandler]:
        return type("Bound", (ModelExchange,), {"api": self})

    def answer_in(self, dialect: Dialect, body: Json) -> tuple[Reply, str]:
        """As `answer` in this dialect."""
        asked = [list(strings_in(body.get(key, ""))) for key in dialect.read_by_model]
        texts = [text for found in asked for text in found]
        makes_summary = bool(self.summary_instructions) and any(self.summary_instructions in t for t in texts)
        return self.reply_to(ModelRequest(body, makes_summary, dialect), has_tools=bool(body.get("tools")))


class ModelExchange(Exchange):
    """One connection from a host."""

    api: ModelApi

    def do_GET(self) -> None:
        self.send(200, "application/json", b'{"object": "list", "data": [], "models": []}')

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        for dialect in DIALECTS:
            if dialect.asked_at(path):
                body = json.loads(sent)
                reply, number = self.api.answer_in(dialect, body)
                answer = dialect.answer(reply, number, str(body.get("model")))
                if dialect.streams(path, body):
                    self.send(200, "text/event-stream", "".join(dialect.events(answer)).encode())
                else:
                    self.send(200, "application/json", json.dumps(answer).encode())
                return
        if path.endswith(":countTokens"):
            self.send(200, "application/json", b'{"totalTokens": 2000}')
        else:
            self.send(404, "application/json", b"{}")


def _event(name: str, **fields: Any) -> str:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n"


def _data(document: Json) -> str:
    return f"data: {json.dumps(document)}\n\n"
