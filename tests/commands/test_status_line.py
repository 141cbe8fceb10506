"""`status --line`: one short line, whatever is wrong, from whatever is on standard input."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commands.conftest import Hook, Run
from vectr_hooks.commands.status_line import LONGEST, short, words
from vectr_hooks.project import Project
from vectr_hooks.store.glance import Glance

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"rich", "sqlite_utils", "yaml", "jinja2", "filelock", "vectr_hooks.commands.status_report"}

Stored = Callable[..., int]


def line(folder: str | Path, told: dict[str, Any] | bytes = b"", *options: str, **environ: str) -> str:
    """What the real program prints in `folder`."""
    given = told if isinstance(told, bytes) else json.dumps(told).encode()
    done = subprocess.run(
        [sys.executable, "-m", "vectr_hooks", "status", "--line", *options],
        input=given,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode("utf-8")


@pytest.fixture
def told(run: Run, stored: Stored, place: Project, hook: Hook) -> dict[str, Any]:
    """What the client gives a status line of a session that was given a note of two."""
    stored("Run the tests with make.", "--kind", "directive")
    stored("Deploys go through the canary.", "--keyword", "deploy")
    hook("SessionStart", session="s1", source="startup")
    hook("SessionStart", session="s2", source="startup")
    hook("UserPromptSubmit", session="s2", prompt="deploy it", prompt_id="p1")
    return {
        "hook_event_name": "Status",
        "session_id": "s1",
        "cwd": place.root,
        "workspace": {"current_dir": place.root, "project_dir": place.root},
        "version": "2.1.332",
    }


def test_it_tells_the_notes_and_what_the_session_of_the_input_was_given(told: dict[str, Any]) -> None:
    first = line("/", told)
    assert first.startswith("vectr 2 notes · 1 delivered · ")
    assert first.endswith(" tok\n")
    assert line("/", {**told, "session_id": "s2"}).startswith("vectr 2 notes · 2 delivered · ")
    assert line("/", {**told, "session_id": "s3"}) == "vectr 2 notes\n"


@pytest.mark.parametrize("given", [b"", b"{", b"null", b"[]", b'{"session_id": 3, "workspace": 4}', b"\xff"])
def test_without_input_that_says_anything_it_tells_of_the_current_folder(
    told: dict[str, Any], place: Project, given: bytes
) -> None:
    assert line(place.root, given) == "vectr 2 notes\n"
    assert "1 delivered" in line(place.root, given, CLAUDE_CODE_SESSION_ID="s1")


def test_where_the_client_was_started_counts_not_where_it_went(
    told: dict[str, Any], home: Path, place: Project
) -> None:
    workspace = {"current_dir": str(home), "project_dir": place.root}
    assert line("/", {**told, "workspace": workspace}).startswith("vectr 2 notes")
    assert line("/", {**told, "workspace": {"current_dir": place.root}}).startswith("vectr 2 notes")
    assert line("/", {"cwd": place.root}).startswith("vectr 2 notes")
    assert line("/", b"", "--project", place.root).startswith("vectr 2 notes")


def test_where_there_is_no_store_it_prints_nothing(home: Path) -> None:
    assert line(home) == ""


def test_switched_off_is_said(place: Project, run: Run) -> None:
    assert line(place.root, VECTR_HOOKS="off") == "vectr off\n"
    run("config", "set", "enabled", "off")
    assert line(place.root) == "vectr off\n"


@pytest.mark.parametrize("content", [b"", b"nonsense" * 1000])
def test_a_store_that_hooks_cannot_use_is_said_and_still_no_failure(place: Project, content: bytes) -> None:
    Path(place.store_path).write_bytes(content)
    assert line(place.root) == "vectr: run vectr-hooks doctor\n"


def test_colour_is_there_only_when_asked_for(place: Project) -> None:
    assert line(place.root, FORCE_COLOR="1") == "vectr 0 notes\n"
    assert line(place.root, b"", "--color") == "\x1b[36mvectr 0 notes\x1b[0m\n"


def test_it_waits_neither_for_a_terminal_nor_for_a_pipe_that_stays_open(place: Project) -> None:
    controller, terminal = pty.openpty()
    reader, writer = os.pipe()
    os.write(writer, json.dumps({"cwd": place.root}).encode())
    try:
        for descriptor in (terminal, reader):
            started = time.monotonic()
            done = subprocess.run(
                [sys.executable, "-m", "vectr_hooks", "status", "--line"],
                stdin=descriptor,
                cwd=place.root,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                timeout=60,
            )
            assert done.stdout == b"vectr 0 notes\n"
            assert time.monotonic() - started < 30
    finally:
        for descriptor in (controller, terminal, reader, writer):
            os.close(descriptor)


def test_it_leaves_no_trace(told: dict[str, Any], place: Project) -> None:
    folder = Path(place.store_path).parent
    before = {path: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}
    line("/", told)
    assert {path: path.read_bytes() for path in before} == before


def test_nothing_is_loaded_that_only_the_whole_report_needs(place: Project) -> None:
    script = (
        "import sys; from vectr_hooks.cli import program;"
        "program(['status', '--line'], standalone_mode=False);"
        f"print(sorted({HEAVY} & set(sys.modules)), *[m for m in sys.modules if 'diagnosis' in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=place.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == b"[]"


COUNTS = st.integers(0, 999_999_999)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_line_is_short_whatever_it_counts(notes: int, deliveries: int, tokens: int, errors: int) -> None:
    told = words(Glance(True, notes, deliveries, tokens, errors))
    assert len(told) <= LONGEST
    assert told.isprintable()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1k"),
        (1249, "1.2k"),
        (9999, "9.9k"),
        (10_000, "10k"),
        (45_678, "45k"),
        (999_999, "999k"),
        (1_300_000, "1.3M"),
    ],
)
def test_large_numbers_are_shortened_downwards(number: int, text: str) -> None:
    assert short(number) == text


def test_errors_of_hooks_show_since_silence_would_hide_them() -> None:
    assert words(Glance(True, 1, 0, 0, 2)) == "vectr 1 note · 2 errors"
