"""Whatever comes on standard input, and however, a hook ends in time and keeps to itself what it was told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hook.faults import (
    EVENTS,
    LONGEST_S,
    WHOLE,
    Done,
    Run,
    brought,
    copy_home,
    copy_package,
    executed,
    payloads,
    play,
    recorded_errors,
    run_all,
    write_notes,
)
from tests.hook.session import Session, entry

Write = Callable[..., int]


@pytest.fixture(autouse=True)
def notes(write: Write) -> None:
    write_notes(write)


def fed(session: Session, event: str, pieces: list[bytes], pause_s: float, close: bool) -> Done:
    """Give a hook its input in pieces, with pauses between them."""
    began = time.monotonic()
    with subprocess.Popen(
        entry(event), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=session.env()
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        try:
            for piece in pieces:
                process.stdin.write(piece)
                process.stdin.flush()
                time.sleep(pause_s)
        except BrokenPipeError:
            pass  # it has all that it wants
        if close:
            process.stdin.close()
        output, errors = process.stdout.read(), process.stderr.read()
        seconds = time.monotonic() - began
        process.wait(10)
        try:
            process.stdin.close()
        except BrokenPipeError:
            process.stdin = None
    return Done(event, process.returncode, output, errors, seconds)


def test_input_byte_by_byte_is_input(session: Session) -> None:
    sent = payloads(session)
    for event in ("SessionStart", "UserPromptSubmit"):
        raw = json.dumps(sent[event]).encode()
        done = fed(session, event, [raw[i : i + 1] for i in range(len(raw))], 0.0001, close=False)
        assert EVENTS[event] in done.check().text


def test_a_pause_in_the_middle_of_a_character_does_not_matter(session: Session, write: Write) -> None:
    write("#5 reserved: 表 is a word of its own.", trigger=[{"keyword": "予約"}])
    payload = {**payloads(session)["UserPromptSubmit"], "prompt": "予約 deploy"}
    raw = json.dumps(payload, ensure_ascii=False).encode()
    cut = raw.index("予".encode()) + 1
    done = fed(session, "UserPromptSubmit", [raw[:cut], raw[cut:]], 0.05, close=False)
    assert "#5 reserved" in done.check().text


@pytest.mark.slow
def test_input_that_never_ends_costs_no_more_than_two_seconds(session: Session, store_path: Path) -> None:
    raw = json.dumps(payloads(session)["PreToolUse"]).encode()
    ways = {
        "nothing": [],
        "a part": [raw[:-1]],
        "braces that close too early": [raw[:-1], *[b"}}"] * 3],
        "white space": [b" " * 10] * 5,
        "a list": [b"[1, 2]"],
        "much of nothing": [b" " * 1_000_000] * 3,
        "an open text": [b'{"a": "' + b"}" * 500_000] * 2,
    }
    with ThreadPoolExecutor(len(ways)) as pool:
        found = list(
            pool.map(lambda pieces: fed(session, "PreToolUse", pieces, 0.01, close=False), ways.values())
        )
    for way, done in zip(ways, found, strict=True):
        assert done.check().stdout == b"", way
        assert done.stderr == b"", way
        assert done.seconds > 1, way
    assert sorted(recorded_errors(store_path)) == ["PreToolUse: Deadline: not done within 1.8 s"] * len(ways)
    assert brought(play(session)) == WHOLE


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="signals of POSIX")
def test_a_blocked_alarm_does_not_put_off_the_deadline(session: Session) -> None:
    program = (
        "import os, signal, sys\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n"
        "os.execv(sys.argv[1], sys.argv[1:])\n"
    )
    reader, writer = os.pipe()
    try:
        began = time.monotonic()
        subprocess.run(
            [sys.executable, "-c", program, *entry("PreToolUse")],
            stdin=reader, env=session.env(), check=True, timeout=20,
        )  # fmt: skip
        assert time.monotonic() - began < LONGEST_S
    finally:
        os.close(reader)
        os.close(writer)


def test_input_that_does_not_block_is_waited_for(session: Session) -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with subprocess.Popen(
        entry("SessionStart"), stdin=reader, stdout=subprocess.PIPE, env=session.env()
    ) as process:
        os.close(reader)
        time.sleep(0.2)
        os.write(writer, json.dumps(payloads(session)["SessionStart"]).encode())
        assert process.stdout
        assert b"#1 rule" in process.stdout.read()
        os.close(writer)


def malformed(raw: bytes) -> dict[str, bytes]:
    """What can be wrong with the bytes `raw` of a payload."""
    cut = raw.index("é".encode()) + 1
    return {
        "nothing": b"",
        "white space": b" \r\n\t",
        "a mark alone": b"\xef\xbb\xbf",
        "two documents": raw + raw,
        "two documents in lines": raw + b"\n" + raw + b"\n",
        "cut in mid-character": raw[:cut],
        "cut at the end": raw[:-1],
        "UTF-16": raw.decode().encode("utf-16"),
        "UTF-32": raw.decode().encode("utf-32-le"),
        "a list": b"[" + raw + b"]",
        "a text": json.dumps(raw.decode()).encode(),
        "single quotes": raw.replace(b'"', b"'"),
        "a comma too many": raw[:-1] + b",}",
        "a comment": raw[:-1] + b"/* x */}x",
        "not a number": raw[:-1] + b', "x": NaN}',
        "a line of log first": b"starting...\n" + raw,
        "noise": bytes(range(256)) * 20,
        "zeros": b"\0" * 5000,
        "deep": b'{"a":' * 5000 + b"1" + b"}" * 5000,
    }


def test_case_10_malformed_input_is_silent_and_recorded(session: Session, store_path: Path) -> None:
    payload = {**payloads(session)["UserPromptSubmit"], "prompt": "deploy é"}
    found = malformed(json.dumps(payload, ensure_ascii=False).encode())
    answers = run_all([Run("UserPromptSubmit", raw, session.env()) for raw in found.values()])
    for name, done in zip(found, answers, strict=True):
        assert (done.stdout, done.stderr) == (b"", b""), name
    assert len(recorded_errors(store_path)) == len(found)
    assert brought(play(session)) == WHOLE


def test_case_10_odd_but_sound_input_is_answered(session: Session) -> None:
    """Each of its own session, so that each is the first."""
    names = [
        "a mark first",
        "white space around",
        "latin-1 in a text",
        "deep",
        "unknown fields",
        "many lines",
    ]
    answers = []
    for name in names:
        payload = {**payloads(Session(session.project, name))["SessionStart"], "extra": "é"}
        if name == "deep":
            payload["extra"] = json.loads("[" * 400 + "]" * 400)
        if name == "unknown fields":
            payload = {f"field_{number}": [number, None, True] for number in range(2000)} | payload
        raw = json.dumps(payload, ensure_ascii=False, indent=2 if name == "many lines" else None).encode()
        if name == "a mark first":
            raw = b"\xef\xbb\xbf" + raw
        if name == "white space around":
            raw = b" \r\n" + raw + b"\r\n\r\n"
        if name == "latin-1 in a text":
            raw = raw.replace("é".encode(), b"\xe9")
        answers.append(Run("SessionStart", raw, session.env()))
    for name, done in zip(names, run_all(answers), strict=True):
        assert WHOLE[0] in done.text, name


WRONG = [None, 5, -1.5, True, "", "x", [], ["x"], {}, {"a": {"b": 1}}, 10**400, "\ud800", "\0"]


@pytest.mark.parametrize(
    "name",
    ["session_id", "transcript_path", "cwd", "prompt_id", "prompt", "source", "tool_name", "tool_input",
     "tool_use_id", "tool_response", "agent_id", "agent_type", "trigger", "hook_event_name"],
)  # fmt: skip
def test_a_field_of_the_wrong_sort_harms_nothing(session: Session, store_path: Path, name: str) -> None:
    runs = []
    for number, value in enumerate(WRONG):
        event, payload = list(payloads(session).items())[number % len(EVENTS)]
        if name in ("prompt", "source", "trigger"):
            event = {"prompt": "UserPromptSubmit", "source": "SessionStart", "trigger": "PreCompact"}[name]
            payload = payloads(session)[event]
        if name.startswith("tool"):
            event = "PostToolUse"
            payload = payloads(session)[event]
        runs.append(Run(event, {**payload, name: value}, session.env()))
    for value, done in zip(WRONG, run_all(runs), strict=True):
        assert done.stderr == b"", value
    assert recorded_errors(store_path) == []


MARKER = "Xyzzy-Plugh-7261"


def test_an_error_log_holds_nothing_of_what_a_hook_was_told(
    session: Session, store_path: Path, tmp_path: Path, write: Write
) -> None:
    """Whatever fails: texts are the user's, and the environment holds keys."""
    (session.project / "src/db").mkdir(parents=True)
    (session.project / "src/db/pool.py").write_text(MARKER, encoding="utf-8")
    named = {
        "prompt": f"deploy {MARKER}",
        "tool_input": {"file_path": f"{session.project}/src/{MARKER}/pool.py", "new_string": MARKER},
        "tool_response": {"stdout": f"E_KNOWN {MARKER}"},
        "error": MARKER,
        "extra": MARKER,
    }
    events = ("UserPromptSubmit", "PreToolUse", "PostToolUse")
    sent = {event: {**payloads(session)[event], **named} for event in events}
    environ = {"ANTHROPIC_API_KEY": MARKER, "LANG": MARKER, "PYTHONPATH": f"/{MARKER}", MARKER: MARKER}

    def abort(table: str) -> Callable[[Path], None]:
        begin = f"CREATE TRIGGER failing BEFORE INSERT ON {table}"
        return executed(f"{begin} BEGIN SELECT RAISE(ABORT, 'no'); END")

    faults: dict[str, Callable[[Path], object]] = {
        "nothing": lambda store: None,
        "cut": lambda store: os.truncate(store, store.stat().st_size // 2),
        "empty": lambda store: store.write_bytes(b""),
        "conversation": executed("DROP TABLE conversation"),
        "event": executed("DROP TABLE event"),
        "error": executed("DROP TABLE error"),
        "failing": abort("event"),
    }
    # Python names the file of a module that lacks a name.
    program = copy_package(tmp_path / MARKER / "program")
    (program / "vectr_hooks/response.py").write_bytes(b"")
    runs, stores = [], []
    for name, fault in faults.items():
        home = copy_home(tmp_path / MARKER / name)
        store = home / store_path.relative_to(os.environ["VECTR_HOOKS_HOME"])
        fault(store)
        stores.append(store)
        own = {**session.env(), **environ, "VECTR_HOOKS_HOME": str(home)}
        for event, payload in sent.items():
            raw = json.dumps(payload).encode()
            wrong = payload | {"cwd": "/" + MARKER * 1000, "tool_input": MARKER, "transcript_path": [MARKER]}
            runs += [Run(event, raw, own), Run(event, raw[:-2], own), Run(event, {**payload, **wrong}, own)]
            runs += [Run(event, payload, own, ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *entry(event)])]
        runs += [
            Run("PreToolUse", raw, own, [*entry("PreToolUse")[:-1], str(program / "hooks/pre_tool_use.py")])
        ]
    assert all(MARKER.encode() not in done.stderr for done in run_all(runs))
    recorded = [line for store in stores for line in recorded_errors(store)]
    assert len(recorded) > 2 * len(faults) * len(events)
    assert [line for line in recorded if MARKER in line] == []
    shutil.rmtree(tmp_path / MARKER)
