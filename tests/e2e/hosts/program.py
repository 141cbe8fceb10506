"""What the tests need to know of a host's program: how it is installed, set up, started and gone on with."""

from __future__ import annotations

import json
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from ..lab import Workplace
from ..messages_api import CONTEXT_SIZE, Reply, Request, occurrences
from ..model_api import ModelApi
from ..npm import installed

RUN_SECONDS = 60

# In tokens, where the window can be chosen.
WINDOW = 50_000


class Program(ABC):
    """One host's program, at one version."""

    #: as `vectr-hooks install --host` calls it
    host: str
    package: str
    version: str
    #: in `node_modules/.bin`
    binary: str
    #: what the host says to its model when it asks for a compaction's summary
    summary_instructions: str = ""
    #: in tokens: a conversation that is this long is compacted before the next request
    nearly_full: int = WINDOW - 4_000
    #: how many requests after a compaction's may be without what it took
    late_by: int = 0
    #: the moments whose notes a resumed session has still, and gets again
    doubled_by_resume: frozenset[str] = frozenset()
    #: what installs our plugin from a folder, a command each; `{folder}` is its path
    plugin_commands: Sequence[Sequence[str]] = ()

    def installed(self) -> Path:
        """The program's file, which the first call downloads."""
        folder = installed(self.package, self.version, f"{self.host}-{self.version}")
        return folder / "node_modules" / ".bin" / self.binary

    @abstractmethod
    def environment(self, url: str) -> dict[str, str]:
        """What it finds in its environment beside HOME and PATH. `url`: the scripted model's."""

    @abstractmethod
    def set_up(self, lab: HostLab) -> None:
        """Write its own settings into the home folder, before our hooks are installed."""

    def trust(self, lab: HostLab) -> None:  # noqa: B027
        """Do what a user has to before it runs the hooks that are installed."""

    @abstractmethod
    def command(self, prompt: str, session: str) -> Sequence[str]:
        """The arguments to run for one prompt; `session` is an earlier one's id, or ''."""

    @abstractmethod
    def session(self, printed: str) -> str:
        """The session's id, from what a run printed."""

    @abstractmethod
    def runs(self, command: str, input_tokens: int = CONTEXT_SIZE) -> Reply:
        """An answer of the model's that runs this in a shell."""

    def delegates(self, task: str) -> Reply:
        """An answer that has a subagent do a task."""
        raise NotImplementedError


@dataclass(frozen=True)
class Turn:
    """What one prompt led to."""

    requests: list[Request]
    session: str
    printed: str

    def copies(self, text: str) -> list[int]:
        """How often each request has it."""
        return [occurrences(request, text) for request in self.requests]


class HostLab(Workplace):
    """A project in which a host's program works, with a scripted model inside the `with` block."""

    def __init__(self, program: Program, folder: Path) -> None:
        super().__init__(folder)
        self.program = program
        self.file = program.installed()
        self.api = ModelApi(summary_instructions=program.summary_instructions)

    def __enter__(self) -> HostLab:
        self.api.__enter__()
        self.environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "NO_PROXY": "127.0.0.1",
            "VECTR_HOOKS_HOME": str(self.home / "vectr-hooks"),
            **self.program.environment(self.api.url),
        }
        self.run(["git", "init", "--quiet"])
        self.program.set_up(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.api.__exit__(kind, error, trace)

    def install(self, scope: str = "user") -> None:
        """Install our hooks as a user does, and have them trusted."""
        self.vectr_hooks("install", "--host", self.program.host, "--scope", scope, "--project", ".")
        self.program.trust(self)

    def start(self, *arguments: str) -> str:
        """Run the program with other arguments than for a prompt, and give what it prints."""
        return self.run([str(self.file), *arguments])

    def ask(self, prompt: str, *replies: Reply, session: str = "") -> Turn:
        """A run for one prompt, whose requests get `replies` one after the other, then "Done."."""
        before = len(self.api.requests)
        self.api.script.extend(replies)
        done = subprocess.run(
            [str(self.file), *self.program.command(prompt, session)],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
        )
        left = len(self.api.script)
        self.api.script.clear()
        said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
        assert done.returncode == 0, said
        assert not left, f"{left} of {len(replies)} replies were not asked for: {said}"
        requests = [request for request in self.api.requests[before:] if not request.makes_summary]
        return Turn(requests, self.program.session(done.stdout), said)

    def home_file(self, path: str, text: str) -> Path:
        return self.write(str(self.home / path), text)


def json_lines(printed: str) -> Iterable[dict[str, Any]]:
    return (json.loads(line) for line in printed.splitlines() if line.startswith("{"))
