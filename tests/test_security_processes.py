"""A hook opens no socket, starts no process, and opens no file that it has no business with."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hook.session import ROOT, Session, entry

EVENTS = (
    "SessionStart.startup",
    "SessionStart.resume",
    "UserPromptSubmit",
    "PreToolUse.Read",
    "PreToolUse.Edit",
    "PreToolUse.Bash",
    "PostToolUse.Read",
    "PostToolUse.Edit",
    "PostToolUse.Bash",
    "PostToolUseFailure.Bash",
    "SubagentStart",
    "PreCompact.manual",
    "SessionStart.compact",
)

#: names of audit events of the interpreter that are network, or another process
FORBIDDEN = (
    "ctypes.",
    "ftplib.",
    "http.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "pty.",
    "smtplib.",
    "socket.",
    "subprocess.",
    "urllib.",
)

NETWORK_FILES = ("/etc/hosts", "/etc/passwd", "/etc/resolv", "/etc/ssl", "/proc/net")

PROBE = """
import os, sys
sys.path.append({root!r})
seen = []
sys.addaudithook(lambda name, arguments: seen.append((name, arguments[:1] if name == "open" else ())))
end = os._exit
def report(status):
    for name, arguments in seen:
        os.write(2, (name + "\\t" + "".join(map(str, arguments)) + "\\n").encode("utf-8", "replace"))
    end(status)
os._exit = report
from vectr_hooks.hook import main
main("claude", {event!r})
"""


@pytest.fixture
def busy(project: Path, write: Callable[..., int]) -> Session:
    """A session in which nearly every event delivers, looks into files, and finds things to record."""
    session = Session(project)
    (session.project / "src").mkdir()
    (session.project / "src/lock.py").write_text("def acquire_lock(): ...\n")
    (session.project / f"{session.session}.jsonl").write_text('{"type":"user"}\n')
    write("Rule about src/lock.py.", kind="directive", anchors=["src/lock.py"])
    write("Lock.", trigger=[{"path": "src/**", "symbol": ["acquire_lock"]}])
    write("Deploy.", trigger=[{"keyword": "deploy"}, {"command": "git push"}, {"subagent": "*"}])
    write("Cure.", trigger=[{"output": ["ECONNREFUSED", "/refused by [a-z]+/"]}])
    write("Any tool.", trigger=[{"tool": "*", "branch": "main"}])
    (session.project / ".git/HEAD").write_text("ref: refs/heads/main\n")
    return session


def payload(session: Session, name: str, number: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if "ToolUse" in name:
        file = str(session.project / "src/lock.py")
        fields["tool_use_id"] = f"call-{number}"
        fields["tool_input"] = (
            {"command": f"git push && cat {file}"}
            if "Bash" in name
            else {"file_path": file, "old_string": "a"}
        )
    if name == "UserPromptSubmit":
        fields["prompt"] = "deploy with acquire_lock, see https://example.test/x"
    if name.startswith("PostToolUseFailure"):
        fields["error"] = "ECONNREFUSED: refused by peer"
    return session.payload(name, **fields)


def play(session: Session, command: Callable[[str], list[str]]) -> Iterator[tuple[str, bytes, str]]:
    """Run the hook of each event with `command`; its name, what it printed, and what stands on stderr."""
    for number, name in enumerate(EVENTS):
        sent = payload(session, name, number)
        done = subprocess.run(
            command(sent["hook_event_name"]),
            input=json.dumps(sent).encode(),
            capture_output=True,
            env=session.env(),
            timeout=60,
            cwd=session.project,
        )
        assert done.returncode == 0
        yield name, done.stdout, done.stderr.decode("utf-8", "replace")


def test_the_interpreter_sees_no_hook_touch_the_network_a_process_or_a_foreign_file(
    busy: Session, store_path: Path
) -> None:
    allowed = (
        str(ROOT) + os.sep,
        str(store_path.parent) + os.sep,
        os.path.realpath(busy.project) + os.sep,
        str(busy.project) + os.sep,
        os.path.dirname(os.__file__) + os.sep,
        os.path.dirname(os.path.realpath(os.__file__)) + os.sep,
        sys.base_prefix + os.sep,
    )

    def command(event: str) -> list[str]:
        return [sys.executable, "-I", "-S", "-c", PROBE.format(root=str(ROOT), event=event)]

    delivered = 0
    for name, printed, report in play(busy, command):
        delivered += bool(printed)
        seen = [line.partition("\t") for line in report.splitlines()]
        assert seen, name
        for what, _, argument in seen:
            assert not what.startswith(FORBIDDEN), (name, what)
            if what == "open" and not argument.isdigit():
                assert argument.startswith(allowed), (name, argument)
        assert any(what == "sqlite3.connect" for what, _, _ in seen), name
    assert delivered >= 6


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_the_kernel_sees_no_hook_open_a_socket_or_start_a_process(busy: Session, tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    def command(event: str) -> list[str]:
        calls = "trace=network,process,open,openat,openat2"
        return ["strace", "-f", "-qq", "-e", calls, "-e", "signal=none", "-o", str(trace), *entry(event)]

    probe = subprocess.run(
        ["strace", "-f", "-qq", "-o", str(trace), sys.executable, "-c", "pass"], capture_output=True
    )
    if probe.returncode != 0:
        pytest.skip("strace may not trace here")
    for name, _, _ in play(busy, command):
        calls = trace.read_text("utf-8", "replace").splitlines()
        names = [match[1] for line in calls if (match := re.match(r"\d+ +(\w+)\(", line))]
        # The interpreter itself; every other way to begin or wait for a process must be missing.
        begun = [call for call in names if call not in ("open", "openat", "openat2", "exit_group", "exit")]
        assert begun.count("execve") == 1, (name, begun)
        assert set(begun) <= {"execve"}, (name, begun)
        opened = [match[1] for line in calls if (match := re.search(r'open(?:at2?)?\(.*?"([^"]*)"', line))]
        assert any(path.endswith("notes.db") for path in opened), name
        assert not [
            path
            for path in opened
            if path.startswith(("/etc/resolv", "/etc/hosts", "/etc/passwd", "/proc/net"))
        ]


def test_the_lines_that_guard_the_network_would_see_it() -> None:
    """The probe of the first test reports a socket and a process where there is one."""
    program = PROBE.format(root=str(ROOT), event="Stop").replace(
        "from vectr_hooks.hook import main",
        "import socket, subprocess; socket.socket(); subprocess.run(['true'])",
    )
    program = program.replace("main(\"claude\", 'Stop')", "os._exit(0)")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, check=True)
    names = {line.partition("\t")[0] for line in done.stderr.decode().splitlines()}
    assert {"socket.__new__", "subprocess.Popen"} <= names


def test_hooks_leave_no_file_beside_the_stores_own(busy: Session, store_path: Path, home: Path) -> None:
    before = set(home.rglob("*"))
    for number in range(2):
        busy.session = f"session-{number}"
        assert any(printed for _, printed, _ in play(busy, entry))
    left = {path.name for path in set(home.rglob("*")) - before}
    assert left <= {"notes.db-wal", "notes.db-shm"}
