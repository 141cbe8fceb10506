"""A git project with our hooks installed in it, and the real client working there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import vectr_hooks

from .client import Client, ClientProcess, Message, clean_environment
from .messages_api import MessagesApi, Reply, Request

COMMAND_SECONDS = 30
PACKAGE_ROOT = Path(vectr_hooks.__file__).parent.parent
USERS_OWN_SETTINGS = '{\n  "cleanupPeriodDays": 30\n}\n'
STREAMING = ("-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json")
PERMITTED = ("--permission-mode", "acceptEdits")


@dataclass(frozen=True)
class Turn:
    """What one prompt led to: the requests that the model got, and what the client told its user."""

    requests: list[Request]
    messages: list[Message]

    @property
    def session(self) -> str:
        return str(self.messages[-1]["session_id"])

    @property
    def compactions(self) -> int:
        """How often the client compacted the conversation in this turn."""
        return sum(message.get("subtype") == "compact_boundary" for message in self.messages)

    @property
    def result(self) -> str:
        return str(self.messages[-1].get("result"))


class Workplace:
    """One git project, one home folder, one store, and what a program and its hooks find there."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.environment: dict[str, str] = {}
        self.notes: dict[int, str] = {}
        for made in (self.home, self.project):
            made.mkdir(parents=True)

    def write(self, path: str, text: str) -> Path:
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def run(self, command: Sequence[str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.project,
            env={**self.environment, "PYTHONPATH": str(PACKAGE_ROOT)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )
        assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def vectr_hooks(self, *arguments: str) -> str:
        return self.run([sys.executable, "-m", "vectr_hooks", *arguments])

    def remember(self, body: str, *flags: str) -> None:
        stored = json.loads(self.vectr_hooks("remember", body, *flags, "--json"))
        self.notes[stored["note"]["id"]] = body


class Lab(Workplace):
    """A project of the real client's, and a Messages API that runs inside the `with` block."""

    def __init__(self, client: Client, folder: Path) -> None:
        super().__init__(folder)
        self.client = client
        self.settings = self.project / ".claude" / "settings.json"
        self.api = MessagesApi()
        self.write(".claude/settings.json", USERS_OWN_SETTINGS)

    def __enter__(self) -> Lab:
        self.api.__enter__()
        self.environment = clean_environment(self.home, self.api.url)
        self.run(["git", "init", "--quiet"])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.api.__exit__(kind, error, trace)

    def deliveries(self, session: str) -> dict[str, list[tuple[int, str]]]:
        """By the audit: for each note delivered in the session, the epochs and events at which it was."""
        found: dict[str, list[tuple[int, str]]] = {}
        for line in self.vectr_hooks("audit", "--json", "--limit", "10000").splitlines():
            event = json.loads(line)
            for outcome in event["outcomes"]:
                if event["session"] == session and outcome["status"] == "delivered":
                    found.setdefault(self.notes[outcome["note"]], []).append((event["epoch"], event["name"]))
        return found

    def ask(self, prompt: str, *replies: Reply, options: Sequence[str] = ()) -> Turn:
        """A run of the client for this prompt alone."""
        with self.stream(*options) as stream:
            return stream.ask(prompt, *replies)

    def resume(self, session: str, prompt: str, *replies: Reply, fork: bool = False) -> Turn:
        fork_option = ("--fork-session",) if fork else ()
        return self.ask(prompt, *replies, options=("--resume", session, *fork_option))

    def stream(self, *options: str, **environment: str) -> Stream:
        """A run of the client for several prompts."""
        return Stream(self, options, environment)


class Stream:
    """A running client that is given one prompt after the other."""

    def __init__(self, lab: Lab, options: Sequence[str], environment: dict[str, str]) -> None:
        self.session = ""
        self._api = lab.api
        self._client = ClientProcess(
            [str(lab.client.program), *STREAMING, *PERMITTED, *options],
            lab.project,
            {**lab.environment, **environment},
        )

    def __enter__(self) -> Stream:
        self._client.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.__exit__(kind, error, trace)

    def ask(self, prompt: str, *replies: Reply) -> Turn:
        """The turn of a prompt, whose requests get `replies` one after the other, then "Done."."""
        before = len(self._api.requests)
        self._api.script.extend(replies)
        messages = self._client.prompt(prompt)
        conversation = [request for request in self._api.requests[before:] if not request.makes_summary]
        left = len(self._api.script)
        self._api.script.clear()
        assert not left, f"{left} of {len(replies)} replies to {prompt!r} were not asked for: {messages[-1]}"
        turn = Turn(conversation, messages)
        self.session = turn.session
        return turn

    def compact(self) -> Turn:
        return self.ask("/compact")
