"""`demo` as somebody runs it: the real program, the real hooks, and nothing left of them."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from vectr_hooks.commands.demo import perform
from vectr_hooks.project import init_project

ROOT = Path(__file__).resolve().parents[2]
FRAME = "│╭╮╰╯─━"
COLOUR = re.compile(rb"\x1b\[(?:\d+;)*[349]\d[;m]")

# One worker plays the session for all of these.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demo")]


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that stays empty."""
    return tmp_path_factory.mktemp("user")


@pytest.fixture(scope="module")
def environ(temporary: Path, user: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(temporary),
        "HOME": str(user),
        # Neither may reach the hooks of the demo.
        "VECTR_HOOKS": "off",
        "CLAUDE_PROJECT_DIR": str(user),
    }


def demo(environ: dict[str, str], *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vectr_hooks", "demo", *options],
        env={**environ, **variables},
        cwd=environ["HOME"],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )


@pytest.fixture(scope="module")
def told(environ: dict[str, str]) -> dict[str, Any]:
    done = demo(environ, "--json")
    assert done.stderr == ""
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def shown(environ: dict[str, str]) -> str:
    """What a pipe of 80 columns gets, where there is nobody to wait for."""
    done = demo(environ, "--pause")
    assert done.stderr == "not at a terminal: --pause is ignored\n"
    return done.stdout


@pytest.fixture(autouse=True)
def _leaves_nothing(temporary: Path, user: Path) -> Iterator[None]:
    yield
    assert list(temporary.iterdir()) == []
    assert list(user.iterdir()) == []


def steps(told: dict[str, Any], event: str, session: int = 0) -> list[dict[str, Any]]:
    sessions = list(dict.fromkeys(step["session"] for step in told["steps"]))
    return [step for step in told["steps"] if step["event"] == event and step["session"] == sessions[session]]


def compaction(told: dict[str, Any]) -> int:
    """Where the session goes on after its compaction."""
    (at,) = (n for n, step in enumerate(told["steps"]) if step["event"] == "PreCompact")
    assert told["steps"][at + 1]["event"] == "SessionStart"
    return at + 1


def headers(note: dict[str, Any], text: str) -> int:
    return len(re.findall(rf"^\[#{note['id']} {note['kind']} · ", text, re.MULTILINE))


def test_after_the_compaction_every_rule_and_every_used_note_is_there_once_word_for_word(
    told: dict[str, Any],
) -> None:
    at = compaction(told)
    before, after = told["steps"][:at], told["steps"][at]["injected"]
    used = {
        outcome["note"]
        for step in before
        for outcome in step["outcomes"]
        if outcome["status"] in ("delivered", "held back") and not step["subagent"]
    }
    directives = {note["id"] for note in told["notes"] if note["kind"] == "directive"}
    written = {note["id"] for note in told["notes"] if note["session"]}
    assert len(directives) >= 2
    assert written
    assert directives <= used
    assert len(used) >= 7
    whole, lines = set(), set()
    for note in told["notes"]:
        if note["id"] not in used | written:
            assert note["body"] not in after
        elif note["kind"] == "decision":
            assert after.splitlines().count(f"#{note['id']} decision: {note['title']}") == 1
            lines.add(note["id"])
        else:
            assert (headers(note, after), after.count(note["body"])) == (1, 1)
            whole.add(note["id"])
    (said,) = told["compactions"]
    assert said == {"whole": sorted(whole), "lines": sorted(lines), "missing": []}


def test_the_scenario_shows_every_way_a_note_arrives(told: dict[str, Any]) -> None:
    given = "\n".join(step["injected"] for step in told["steps"])
    for header in (
        "the user's standing rule · session-start]",
        "recorded by an agent, not reviewed · path app/migrate.py]",
        "recorded by the user · keyword deploy]",
        "recorded by an agent, not reviewed · command pytest]",
        "recorded by the user · command git push]",
        "recorded by the user · subagent-start]",
        "used earlier in this session]",
        "written in this session]",
        " · changed since]",
    ):
        assert header in given
    assert re.search(r"^#\d+ decision: ", given, re.MULTILINE)
    assert "[handoff · captured automatically, verify]" in given


def test_the_scenario_shows_every_reason_for_nothing(told: dict[str, Any]) -> None:
    reasons = {(out["status"], out["reason"]) for step in told["steps"] for out in step["outcomes"]}
    assert {
        ("suppressed", "turn: already delivered in this turn"),
        ("suppressed", "ledger: already delivered in this epoch"),
        ("held back", "budget"),
        ("unmatched", "keyword"),
    } <= reasons


def test_a_path_and_keyword_clause_waits_for_both(told: dict[str, Any]) -> None:
    reads = [step for step in steps(told, "PreToolUse") if "reads migrations/" in step["action"]]
    found = [(out["note"], out["status"]) for step in reads for out in step["outcomes"] if out["note"] == 6]
    assert found == [(6, "unmatched"), (6, "delivered")]


def test_a_note_held_back_arrives_whole_after_the_compaction(told: dict[str, Any]) -> None:
    (held,) = (
        out["note"] for step in told["steps"] for out in step["outcomes"] if out["status"] == "held back"
    )
    (body,) = (note["body"] for note in told["notes"] if note["id"] == held)
    arrived = [n for n, step in enumerate(told["steps"]) if body in step["injected"]]
    assert arrived == [compaction(told)]


def test_the_next_session_has_the_rules_the_work_left_and_what_was_learnt(told: dict[str, Any]) -> None:
    (start,) = steps(told, "SessionStart", session=1)
    for note in told["notes"]:
        assert headers(note, start["injected"]) == (note["kind"] == "directive")
    assert "last failing command: git push" in start["injected"]
    (learnt,) = (note["body"] for note in told["notes"] if note["session"])
    assert any(learnt in step["injected"] for step in steps(told, "PostToolUse", session=1))


def test_json_has_a_version_its_steps_and_their_sums(told: dict[str, Any]) -> None:
    assert told["version"] == 1
    assert told["kept"] is None
    given = [step for step in told["steps"] if step["injected"] and step["event"] != "PreCompact"]
    assert told["totals"] == {
        "events": len(told["steps"]),
        "injections": len(given),
        "tokens": sum(step["tokens"] for step in given),
        "median_ms": told["totals"]["median_ms"],
    }
    assert all(step["ms"] > 0 for step in told["steps"])
    assert all(bool(step["tokens"]) == bool(step["injected"]) for step in told["steps"])
    quiet = [step for step in told["steps"] if not step["injected"]]
    assert len(quiet) > len(given) / 2
    assert not any(out["status"] == "delivered" for step in quiet for out in step["outcomes"])


def drawn(shown: str) -> list[str]:
    """The lines but for the commands to paste, which name where the program is and are never wrapped."""
    return [line for line in shown.splitlines() if not re.search(r"vectr-hooks'? (install|remember) ", line)]


def test_a_pipe_gets_every_text_whole_without_colour(told: dict[str, Any], shown: str) -> None:
    assert "\x1b" not in shown
    assert all(cell_len(line) <= 80 for line in drawn(shown))
    text = " ".join("".join(" " if c in FRAME else c for c in shown).split())
    for step in told["steps"]:
        assert " ".join(step["injected"].split()) in text
    # The bodies fit an 80-column screen as they are.
    lines = {line.strip(FRAME + " ") for line in shown.splitlines()}
    for note in told["notes"]:
        if note["kind"] != "decision":
            assert {line.strip() for line in note["body"].splitlines()} <= lines


def test_it_shows_the_compaction_the_reasons_and_the_audit(shown: str) -> None:
    for fact in (
        "The summary keeps a sentence; the notes come back word for word.",
        "✓ 8 notes came back whole, each once; 1 by its title",
        "#10 held back: budget",
        "#6 unmatched: keyword",
        "#7 suppressed: already delivered in this epoch",
        'remember "Run the tests with make test." --kind directive',
    ):
        assert fact in shown
    _, _, audit = shown.partition(" the audit ")
    assert re.search(r"delivered +suppressed +held back", audit)
    assert re.search(r"^ +#10 .* 1 +· +1 *$", audit, re.MULTILINE)


def test_any_console_can_be_drawn_on(tmp_path: Path) -> None:
    screen = io.StringIO()
    console = Console(record=True, width=120, file=screen, force_terminal=True, color_system="standard")
    perform(console, str(tmp_path), "my project")
    assert "install --project 'my project'" in console.export_text(clear=False)
    assert COLOUR.search(screen.getvalue().encode())
    assert "word&#160;for&#160;word." in console.export_svg(title="demo", clear=False)
    assert all(cell_len(line) <= 120 for line in drawn(console.export_text()))


def test_keep_leaves_the_project_and_says_where(environ: dict[str, str], tmp_path: Path) -> None:
    done = demo(environ, "--json", "--keep", TMPDIR=str(tmp_path))
    (kept,) = tmp_path.glob("vectr-hooks-demo-*")
    assert json.loads(done.stdout)["kept"] == str(kept)
    assert f"kept: {kept}" in done.stderr
    home, _, *arguments = shlex.split(done.stderr.partition("look: ")[2])
    audit = subprocess.run(
        [sys.executable, "-m", "vectr_hooks", *arguments],
        env=environ | dict([home.split("=")]),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "post-failure" in audit.stdout
    assert "pg_advisory_lock(7301)" in (kept / "orders/app/migrate.py").read_text("utf-8")


def test_in_another_repository_it_brings_the_same_text_and_leaves_that_alone(
    told: dict[str, Any], environ: dict[str, str], project: Path
) -> None:
    place = init_project(str(project))
    store = Path(place.store_path).read_bytes()
    before = sorted(project.rglob("*"))
    again = json.loads(demo(environ, "--json", TMPDIR=str(project)).stdout)
    assert [step["injected"] for step in again["steps"]] == [step["injected"] for step in told["steps"]]
    assert sorted(project.rglob("*")) == before
    assert Path(place.store_path).read_bytes() == store


def test_a_reader_who_has_seen_enough_ends_it_quietly(environ: dict[str, str], user: Path) -> None:
    command = f'"{sys.executable}" -m vectr_hooks demo | head -1; echo "${{PIPESTATUS[*]}}"'
    done = subprocess.run(["bash", "-c", command], env=environ, cwd=user, capture_output=True, timeout=120)
    assert done.stderr == b""
    assert done.stdout.splitlines()[-1] == b"0 0"


class Terminal:
    """The demo at a terminal of its own, pausing, for a user who wants no colour."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "vectr_hooks", "demo", "--pause"],
            env={**environ, "TERM": "xterm-256color", "NO_COLOR": "1"},
            cwd=environ["HOME"],
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)

    def read(self, until: bytes) -> bytes:
        """What is shown up to and with `until`, or up to the end."""
        shown = b""
        while until not in shown:
            try:
                shown += os.read(self.master, 4096)
            except OSError:  # Linux's way to say that the other side is closed
                break
        return shown

    def end(self) -> int:
        return self.process.wait(60)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal(environ: dict[str, str]) -> Iterator[Terminal]:
    terminal = Terminal(environ)
    yield terminal
    terminal.close()


def test_pause_waits_for_enter_before_each_step_and_no_color_is_obeyed(terminal: Terminal) -> None:
    before_first = terminal.read(b"Enter goes on")
    assert b"SessionStart" not in before_first
    os.write(terminal.master, b"\n")
    first = terminal.read(b"Enter goes on")
    assert b"SessionStart" in first
    assert b"UserPromptSubmit" not in first
    os.write(terminal.master, b"\n" * 40)
    rest = terminal.read(b"never shown")
    assert b"stores a first note" in rest
    assert not COLOUR.search(before_first + first + rest)
    assert terminal.end() == 0


def test_an_interrupt_leaves_nothing_behind(terminal: Terminal, temporary: Path) -> None:
    terminal.read(b"Enter goes on")
    assert list(temporary.iterdir())
    for _ in range(5):
        # Python loses one that comes while it runs a finaliser, and a user presses the keys again.
        terminal.process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            terminal.process.wait(10)
            break
    assert terminal.end() == 130
