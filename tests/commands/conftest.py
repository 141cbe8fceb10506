"""Commands run in a project with a store, through click's runner or as real processes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.hook.session import entry
from vectr_hooks.cli import program
from vectr_hooks.project import Project, init_project

Run = Callable[..., Result]
Hook = Callable[..., str]


@pytest.fixture
def place(project: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project with an empty store; the current folder lies in it."""
    monkeypatch.chdir(project)
    return init_project()


@pytest.fixture
def run(place: Project) -> Run:
    """Run a command line; an unexpected error is the test's."""

    def call(*arguments: str, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(program, arguments, input=input, catch_exceptions=False)

    return call


@pytest.fixture
def stored(run: Run) -> Callable[..., int]:
    """Store a note with the options given; its id."""

    def call(text: str = "Run the tests with make test.", *options: str) -> int:
        done = run("remember", text, *options, "--json")
        assert done.exit_code == 0, done.stderr
        return int(json.loads(done.stdout)["note"]["id"])

    return call


@pytest.fixture
def hook(place: Project) -> Hook:
    """Run the real hook process of an event; what it printed."""

    def call(event: str, session: str = "s1", **fields: object) -> str:
        payload = {"session_id": session, "cwd": place.root, "hook_event_name": event, **fields}
        done = subprocess.run(
            entry(event),
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
        )
        assert not done.stderr
        return done.stdout.decode()

    return call
