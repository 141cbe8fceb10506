"""Mutated payloads to real hook processes, and by name the inputs that once were too much for one."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import BOMBS, RECORDED, Raw, payloads, relocated, write
from tests.fuzz.properties import MOST_BYTES, assert_answer_is_in_form
from tests.fuzz.test_events import FURTHER
from tests.hook.session import Session, entry
from vectr_hooks.hook import DEADLINE_S

AT_ONCE = 10
PROCESSES = FURTHER // 20 or 500
# A host would wait longer; our own deadline is shorter.
MOST_S = 30
# The keys of hosts whose answer is one text.
FLAT = ("additionalContext", "additional_context")
#: what a process says of a payload that is none
MALFORMED = "Malformed: "
#: and of one that it had no time for
LATE = "Deadline: "

MEGA = 1_000_000


def wide(count: int) -> Raw:
    return Raw("[" + ",".join(['"a"'] * count) + "]")


def prompt(text: object) -> bytes:
    return changed("UserPromptSubmit", prompt=text)


def before(tool: str, **tool_input: object) -> bytes:
    return changed(f"PreToolUse.{tool}", tool_input=tool_input)


def result(response: object) -> bytes:
    return changed("PostToolUse.Bash", tool_response=response)


def changed(name: str, **fields: object) -> bytes:
    payload = json.loads((RECORDED / f"claude/2.1.332/{name}.json").read_text("utf-8"))
    return write({**payload, **fields}).encode("utf-8", "surrogatepass")


#: payloads that are answered like any other: nothing is recorded as wrong
ANSWERED: dict[str, Callable[[], bytes]] = {
    "a prompt of 5 MB": lambda: prompt("deploy " + "x" * 5 * MEGA),
    "a prompt of 5 MB of words": lambda: prompt(BOMBS["different words"](5 * MEGA)),
    "a prompt of 1 MB of ideographs": lambda: prompt(BOMBS["ideographs"](MEGA)),
    "a prompt of marks out of order": lambda: prompt(BOMBS["marks out of order"](300_000)),
    "a prompt of letters with endless marks": lambda: prompt(BOMBS["a letter and marks out of order"](MEGA)),
    "a prompt of signs that are two marks": lambda: prompt(BOMBS["vowel signs of two marks each"](100_000)),
    "a prompt of lone surrogates": lambda: prompt(Raw('"deploy ' + "\\ud83d" * 100_000 + '"')),
    "a prompt with an escaped NUL": lambda: prompt(Raw('"a\\u0000 deploy"')),
    "a prompt that is not UTF-8": lambda: prompt("deploy X").replace(b"X", b"\xff\xfe\xc3"),
    "a command of 5 MB": lambda: before("Bash", command="git push " + BOMBS["commands"](5 * MEGA)),
    "a command of 64 KB of folders": lambda: before("Bash", command=BOMBS["changes of folder"](64_000)),
    "a command that nests": lambda: before("Bash", command=BOMBS["quoted substitutions"](64_000)),
    "a command of heredocs": lambda: before("Bash", command=BOMBS["heredocs"](64_000)),
    "a path of 5 MB": lambda: before("Read", file_path=BOMBS["folders"](5 * MEGA)),
    "a path of folders up": lambda: before("Read", file_path=BOMBS["one folder up"](4_000)),
    "a folder of 5 MB": lambda: changed("PreToolUse.Read", cwd=BOMBS["folders"](5 * MEGA)),
    "a transcript path of 5 MB": lambda: changed("PreCompact.auto", transcript_path="a/" * 2 * MEGA),
    "a session id of 5 MB": lambda: changed("PreToolUse.Read", session_id="s" * 5 * MEGA),
    "a tool name of 5 MB": lambda: changed("PreToolUse.Bash", tool_name="a" * 5 * MEGA),
    "a source of 5 MB": lambda: changed("SessionStart.startup", source="s" * 5 * MEGA),
    "an error of 5 MB": lambda: changed("PostToolUseFailure.Bash", error=BOMBS["ideographs"](5 * MEGA)),
    "a tool result of 20 MB": lambda: result(BOMBS["errors"](20 * MEGA)),
    "a tool result of a million texts": lambda: result(wide(MEGA)),
    "a tool result for a slow expression": lambda: result(BOMBS["letters"](64_000)),
    "a tool input of a million texts": lambda: changed("PreToolUse.Read", tool_input=wide(MEGA)),
    "a hundred thousand fields": lambda: changed("PreToolUse.Read", **{f"f{at}": 1 for at in range(100_000)}),
    "lists 900 deep": lambda: changed("PreToolUse.Read", more=Raw("[" * 900 + "]" * 900)),
    "huge numbers": lambda: changed("PreToolUse.Read", more=Raw("[1e400, " + "9" * 100_000 + "]")),
    "white space of 5 MB before it": lambda: b" \n" * 2 * MEGA + before("Read", file_path="a.txt"),
    "a byte order mark": lambda: b"\xef\xbb\xbf" + before("Read", file_path="a.txt"),
    "the name of a key in escapes": lambda: before("Read", file_path="a.txt").replace(
        b'"hook_event_name"', b'"\\u0068ook_event_name"'
    ),
    "every field null": lambda: write(
        dict.fromkeys(json.loads(before("Read")), None) | {"hook_event_name": "PreToolUse"}
    ).encode(),
    "the agent's id is no text": lambda: changed("PreToolUse.Read", agent_id=True),
}  # fmt: skip

#: payloads that are no JSON object: nothing is printed, and one line is recorded
REFUSED: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "white space of 5 MB": lambda: b" " * 5 * MEGA,
    "NaN": lambda: changed("PreToolUse.Read", more=Raw("NaN")),
    "infinity": lambda: changed("PreToolUse.Read", more=Raw("-Infinity")),
    "lists 100,000 deep": lambda: changed("PreToolUse.Read", more=Raw("[" * 100_000 + "]" * 100_000)),
    "objects 100,000 deep": lambda: Raw('{"a":' * 100_000 + "1" + "}" * 100_000).encode(),
    "5 MB of opening braces": lambda: b"{" * 5 * MEGA,
    "5 MB of closing braces": lambda: b"{" + b"}" * 5 * MEGA,
    "a document and another": lambda: before("Read", file_path="a.txt") * 2,
    "a document, NUL and more": lambda: before("Read", file_path="a.txt") + b"\x00{",
    "a document and half of another": lambda: before("Read", file_path="a.txt") + b'{"a":',
    "a document cut in the middle": lambda: before("Read", file_path="a.txt")[:-40],
    "a large document cut in the middle": lambda: prompt("x" * 5 * MEGA)[:-2],
    "UTF-16": lambda: prompt("deploy").decode().encode("utf-16"),
    "bytes of no text": lambda: bytes(range(256)) * 1000,
}  # fmt: skip


class Runner:
    """Runs hooks in a workspace and looks at what they leave."""

    def __init__(self, project: Path, store_path: Path) -> None:
        self.project = project
        self.store_path = store_path
        self.env = Session(project).env()

    def run(self, raw: bytes, event: str = "PreToolUse") -> bytes:
        """Give what the hook prints for `raw`, having ended as it must."""
        with tempfile.TemporaryFile() as inbox:
            inbox.write(raw)
            inbox.seek(0)
            done = subprocess.run(
                entry(event), stdin=inbox, capture_output=True, env=self.env, timeout=MOST_S, cwd="/"
            )
        assert done.returncode == 0, done
        assert done.stderr == b"", done.stderr
        return done.stdout

    def errors(self) -> list[str]:
        """What was recorded as wrong, in the store or beside it."""
        con = sqlite3.connect(self.store_path)
        try:
            found = [str(message) for (message,) in con.execute("SELECT message FROM error ORDER BY id")]
        finally:
            con.close()
        beside = self.store_path.with_name("errors.log")
        return found + (beside.read_text("utf-8").splitlines() if beside.exists() else [])


@pytest.fixture
def runner(noted: Path, store_path: Path) -> Runner:
    return Runner(noted, store_path)


def assert_printed_is_in_form(output: bytes) -> None:
    document = json.loads(output) if output[:1] == b"{" else {}
    if len(document) == 1 and not document.keys().isdisjoint(FLAT):
        # The payload was taken for another host's, and so was the answer.
        (context,) = document.values()
        assert 0 < len(context.encode("utf-8")) <= MOST_BYTES
        return
    assert_answer_is_in_form(
        output, document["hookSpecificOutput"]["hookEventName"] if document else "PreCompact"
    )


def cpu_s() -> float:
    """What the processes that have ended took, in seconds of CPU time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
@pytest.mark.timeout(0 if FURTHER else 600)
def test_case_35_whatever_a_payload_holds_a_process_ends_well(runner: Runner, store_path: Path) -> None:
    printed = []

    @settings(
        max_examples=PROCESSES // AT_ONCE,
        derandomize=not FURTHER,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(payloads(), min_size=AT_ONCE, max_size=AT_ONCE))
    def play(batch: list[bytes]) -> None:
        with ThreadPoolExecutor(4) as pool:
            outputs = list(pool.map(runner.run, [relocated(raw, str(runner.project)) for raw in batch]))
        for output in outputs:
            assert_printed_is_in_form(output)
            printed.append(bool(output))

    play()
    assert len(printed) >= PROCESSES
    assert sum(printed) >= len(printed) / 50
    # On a busy machine some do not get their time; those that would not have enough of it are found below.
    assert [error for error in runner.errors() if MALFORMED not in error and LATE not in error] == []
    con = sqlite3.connect(store_path)
    assert con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    con.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERED)
def test_a_payload_that_once_was_too_much_is_answered_in_time(runner: Runner, name: str) -> None:
    raw = relocated(ANSWERED[name](), str(runner.project))
    before_s = cpu_s()
    assert_printed_is_in_form(runner.run(raw))
    errors = runner.errors()
    if any(LATE in error for error in errors) and cpu_s() - before_s < DEADLINE_S * 3 / 4:
        pytest.skip("the machine is too busy to tell")
    assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_json_object_is_recorded_and_silent(runner: Runner, name: str) -> None:
    assert runner.run(REFUSED[name]()) == b""
    (error,) = runner.errors()
    assert MALFORMED in error


@pytest.mark.parametrize(
    "name",
    [
        "a prompt with an escaped NUL",
        "a prompt that is not UTF-8",
        "a byte order mark",
        "the name of a key in escapes",
    ],
)
def test_what_is_only_odd_brings_what_applies(runner: Runner, name: str) -> None:
    raw = relocated(ANSWERED[name](), str(runner.project))
    assert b"additionalContext" in runner.run(raw)
