"""What an event's paths lead to cannot harm a hook: only regular files are opened, and no path is too odd."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hook.faults import Run, payloads, recorded_errors, run_all
from tests.hook.session import Session, entry

Write = Callable[..., int]
posix = pytest.mark.skipif(os.name != "posix", reason="files of POSIX")


def make_socket(path: Path) -> None:
    # The name of a socket may not be long, so it is made from inside its folder.
    program = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, path.name], cwd=path.parent, check=True)


def make_sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 2 << 30)


def make_unreadable(path: Path) -> None:
    path.write_text("acquire_lock", encoding="utf-8")
    path.chmod(0)


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


#: by what is put at a path inside the project
PLACED: dict[str, Callable[[Path], object]] = {
    "a FIFO": os.mkfifo,
    "endless zeros": lambda path: path.symlink_to("/dev/zero"),
    "a terminal": lambda path: path.symlink_to("/dev/tty"),
    "a device that is full": lambda path: path.symlink_to("/dev/full"),
    "a socket": make_socket,
    "a folder": Path.mkdir,
    "a link to itself": make_loop,
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "two gigabytes of zeros": make_sparse,
    "an unreadable file": make_unreadable,
    "a file of the kernel": lambda path: path.symlink_to("/proc/self/mem"),
}
#: other paths that a payload may hold
NAMED = {
    "ten thousand characters": "x" * 10_000,
    "a thousand folders": "d/" * 1000 + "f",
    "a thousand folders up": "../" * 1000 + "etc/passwd",
    "a line end": "a\nb.py",
    "a NUL": "a\0b.py",
    "half a character": "a\ud83db.py",
    "control characters": "a\x1b[31m\x7f.py",
    "nothing": "",
    "white space": "   ",
    "another user": "~root/x",
    "a network share": "//server/share/x",
    "a drive": "C:\\Users\\x",
}
LATIN_1 = b"caf\xe9.py"


def tool_events(session: Session, path: str, number: int) -> list[dict[str, Any]]:
    """Events whose target is `path`."""
    fields = {"file_path": path, "notebook_path": path, "path": path}
    base = {"prompt_id": "p1"}
    return [
        session.payload(
            "PreToolUse.Edit", tool_use_id=f"e{number}", tool_input={**fields, "new_string": "b"}, **base
        ),
        session.payload("PostToolUse.Read", tool_use_id=f"r{number}", tool_input=fields, **base),
        session.payload(
            "PreToolUse.Bash", tool_use_id=f"b{number}", tool_input={"command": f"cat '{path}'"}, **base
        ),
    ]


def notes_that_look_into_files(write: Write) -> None:
    write("Lock it.", kind="gotcha", trigger=[{"path": ["odd/", "fifo"], "symbol": "acquire_lock"}])
    write("Everywhere.", kind="gotcha", trigger=[{"path": "**"}])


@posix
@pytest.mark.parametrize("at", ["target", "transcript", "anchor"])
def test_what_is_no_regular_file_is_not_opened(
    session: Session, write: Write, store_path: Path, at: str
) -> None:
    folder = session.project / "odd"
    folder.mkdir()
    runs = []
    for number, (name, make) in enumerate(PLACED.items()):
        place = folder / f"f{number}"
        if at == "anchor":
            place.write_text("as it was", encoding="utf-8")
            write(
                f"About {name}.", kind="gotcha", anchors=[f"odd/f{number}"],
                trigger=[{"keyword": f"word{number}"}],
            )  # fmt: skip
            place.unlink()
        make(place)
        one = Session(session.project, f"session-{number}")
        if at == "target":
            sent = tool_events(one, str(place), number)
        elif at == "transcript":
            sent = [{**payload, "transcript_path": str(place)} for payload in payloads(one).values()]
            # After an announced compaction the transcript is read.
            sent += [one.payload("UserPromptSubmit", prompt="go", transcript_path=str(place))]
        else:
            sent = [one.payload("UserPromptSubmit", prompt=f"about word{number}")]
        runs.append([Run(payload["hook_event_name"], payload, one.env()) for payload in sent])
    if at != "anchor":
        notes_that_look_into_files(write)
    # Of one session one after another, since they depend on each other.
    for number, step in enumerate(zip(*runs, strict=True)):
        for name, done in zip(PLACED, run_all(step), strict=True):
            assert done.stderr == b"", name
            if at == "target":
                assert ("Everywhere." in done.text) == (number == 0), name
            if at == "anchor":
                assert f"About {name}." in done.text
                assert ("STALE" in done.text) == (name == "a link to nothing"), done.text
    assert recorded_errors(store_path) == []


@pytest.mark.parametrize("at", ["target", "transcript", "cwd"])
def test_no_path_is_too_odd(session: Session, write: Write, store_path: Path, at: str) -> None:
    notes_that_look_into_files(write)
    runs = []
    for number, path in enumerate(NAMED.values()):
        one = Session(session.project, f"session-{number}")
        if at == "target":
            sent = tool_events(one, path, number)
        elif at == "transcript":
            sent = [{**payload, "transcript_path": path} for payload in payloads(one).values()]
            sent += [one.payload("UserPromptSubmit", prompt="go", transcript_path=path)]
        else:
            sent = [{**payload, "cwd": path} for payload in payloads(one).values()]
        runs.append([Run(payload["hook_event_name"], payload, one.env()) for payload in sent])
    for step in zip(*runs, strict=True):
        for name, done in zip(NAMED, run_all(step), strict=True):
            assert done.stderr == b"", name
    assert recorded_errors(store_path) == []


def test_bytes_that_are_no_text_are_a_path_like_any(session: Session, write: Write, store_path: Path) -> None:
    notes_that_look_into_files(write)
    place = os.fsencode(session.project) + b"/" + LATIN_1
    with open(place, "wb") as file:
        file.write(b"acquire_lock()")
    raw = (
        b'{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Edit", "tool_use_id": "1",'
        b' "tool_input": {"file_path": "' + place + b'", "new_string": "\xff\xfe", "old_string": "\xc3"}}'
    )
    (done,) = run_all([Run("PreToolUse", raw, session.env())])
    assert done.stderr == b""
    assert "Everywhere." in done.text
    assert recorded_errors(store_path) == []


@posix
def test_a_fifo_keeps_the_writer_that_waits_at_it(session: Session, write: Write) -> None:
    """Opening a FIFO to look at it would let its writer go on, to nobody."""
    notes_that_look_into_files(write)
    fifo = session.project / "fifo"
    os.mkfifo(fifo)
    program = "import sys; print('here', flush=True); open(sys.argv[1], 'w'); print('through', flush=True)"
    with subprocess.Popen([sys.executable, "-c", program, fifo], stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout
            assert writer.stdout.readline() == b"here\n"
            time.sleep(0.2)
            runs = [Run(e["hook_event_name"], e, session.env()) for e in tool_events(session, str(fifo), 1)]
            assert all(done.stderr == b"" for done in run_all(runs))
            assert writer.poll() is None
        finally:
            writer.kill()
        assert writer.stdout.read() == b""


def test_a_payload_on_anything_but_a_pipe(session: Session, write: Write, tmp_path: Path) -> None:
    """Hosts give a file, a socket or a terminal as well."""
    write("Rule.", kind="directive")
    raw = json.dumps(payloads(session)["SessionStart"]).encode()
    file = tmp_path / "payload"
    file.write_bytes(raw)
    with file.open("rb") as opened:
        done = subprocess.run(
            entry("SessionStart"), stdin=opened, capture_output=True, env=session.env(), check=True
        )
    assert b"Rule." in done.stdout
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(raw)
        done = subprocess.run(
            entry("SessionStart"),
            stdin=theirs,
            capture_output=True,
            env=Session(session.project, "other").env(),
            check=True,
        )
    assert done.stderr == b""
