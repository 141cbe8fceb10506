"""The real client: put into a cache folder once, and run with nothing of the user's in its environment."""

from __future__ import annotations

import json
import os
import platform
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from .npm import ProgramUnavailable, installed

PACKAGE = "@anthropic-ai/claude-code-linux-x64"
ANSWER_SECONDS = 60
EXIT_SECONDS = 15
FAKE_KEY = "sk-ant-not-a-key"


@dataclass(frozen=True)
class Client:
    version: str
    program: Path


def installed_client(version: str) -> Client:
    """The client at this version, which the first call downloads."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise ProgramUnavailable(f"the client's package is for Linux x64, this is {platform.platform()}")
    folder = installed(PACKAGE, version, version)
    return Client(version, folder / "node_modules" / PACKAGE / "claude")


def clean_environment(home: Path, api_url: str) -> dict[str, str]:
    """All that the client and its hooks find in their environment."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "VECTR_HOOKS_HOME": str(home / "vectr-hooks"),
        "ANTHROPIC_BASE_URL": api_url,
        "ANTHROPIC_API_KEY": FAKE_KEY,
        "NO_PROXY": "127.0.0.1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


Message = dict[str, Any]


class ClientProcess:
    """One run of the client, which reads prompts as JSON lines and writes what happens as JSON lines."""

    def __init__(self, command: Sequence[str], cwd: Path, environment: dict[str, str]) -> None:
        # A file, not a pipe, which the client could fill while nobody reads it.
        self._stderr: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            start_new_session=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def __enter__(self) -> ClientProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(EXIT_SECONDS if kind is None else 1)
        except (OSError, subprocess.TimeoutExpired):
            os.killpg(self._process.pid, signal.SIGKILL)  # its own session: the client and what it started
            self._process.wait()
        self._reader.join(EXIT_SECONDS)
        self._process.stdout.close()
        self._stderr.close()

    def prompt(self, text: str) -> list[Message]:
        """Send a prompt and return what the client says until the turn's result, which is last."""
        assert self._process.stdin is not None
        sent = {"type": "user", "message": {"role": "user", "content": text}}
        self._process.stdin.write(json.dumps(sent) + "\n")
        self._process.stdin.flush()
        return list(self._until_result(text))

    def _until_result(self, prompt: str) -> Iterator[Message]:
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(
                    f"no result of {prompt!r} in {ANSWER_SECONDS} s: {self.errors()}"
                ) from None
            if line is None:
                raise AssertionError(f"the client ended before the result of {prompt!r}: {self.errors()}")
            message: Message = json.loads(line)
            yield message
            if message.get("type") == "result":
                return

    def errors(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read()[-2000:]
