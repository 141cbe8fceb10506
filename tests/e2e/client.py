"""The real client: put into a cache folder once, and run with nothing of the user's in its environment."""

from __future__ import annotations

import json
import os
import platform
import queue
import shutil
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

from filelock import FileLock, Timeout

PACKAGE = "@anthropic-ai/claude-code-linux-x64"
INSTALL_SECONDS = 240
ANSWER_SECONDS = 60
EXIT_SECONDS = 15
FAKE_KEY = "sk-ant-not-a-key"


class ClientUnavailable(Exception):
    """Why there is no client on this machine."""


@dataclass(frozen=True)
class Client:
    version: str
    program: Path


def cache_folder() -> Path:
    chosen = os.environ.get("VECTR_HOOKS_E2E_CACHE")
    if chosen:
        return Path(chosen)
    user_cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user_cache) / "vectr-hooks-e2e"


def installed_client(version: str) -> Client:
    """The client at this version, which the first call downloads."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise ClientUnavailable(f"the client's package is for Linux x64, this is {platform.platform()}")
    folder = cache_folder() / version
    program = folder / "node_modules" / PACKAGE / "claude"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock", timeout=INSTALL_SECONDS):
            if not program.exists():
                install(version, folder)
    except Timeout:
        raise ClientUnavailable(f"another process has been installing into {folder} for too long") from None
    except OSError as error:
        raise ClientUnavailable(f"cannot install into {folder}: {error}") from None
    return Client(version, program)


def install(version: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise ClientUnavailable(f"npm, which installs {PACKAGE}, is not on PATH")
    # Beside its place and then renamed: an interrupted download never looks like a client.
    fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{version}-"))
    try:
        command = [npm, "install", "--prefix", str(fresh), "--no-audit", "--no-fund", f"{PACKAGE}@{version}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
        if done.returncode:
            raise ClientUnavailable(f"npm failed: {done.stderr.strip()[-500:]}")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    except subprocess.TimeoutExpired:
        raise ClientUnavailable(f"npm did not finish in {INSTALL_SECONDS} s") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


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
