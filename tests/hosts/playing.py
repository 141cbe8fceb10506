"""Recorded payloads of the hosts beside Claude Code, played to real hook processes as each host does it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vectr_hooks.hosts import NAMES

ROOT = Path(__file__).parents[2]
PAYLOADS = ROOT / "tests/payloads"
#: where the recorded payloads say that their project is
RECORDED_PROJECT = "/home/dev/proj"
OTHERS = tuple(name for name in NAMES if name != "claude")
FILES = sorted(path for host in OTHERS for path in PAYLOADS.glob(f"{host}/*.json"))


def recorded(host: str, name: str) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads((PAYLOADS / host / f"{name}.json").read_text("utf-8"))
    return payload


def event_of(file: Path) -> str:
    """The event that a recorded payload was sent for."""
    return file.stem.partition("_")[0]


class Player:
    """A session of `host` in `project`."""

    def __init__(self, host: str, project: Path, **environ: str) -> None:
        self.host = host
        self.project = project
        self.environ = environ

    def payload(self, name: str, **fields: Any) -> dict[str, Any]:
        """The recorded payload `name` in this project; a field that is `...` is left out."""
        text = json.dumps(recorded(self.host, name)).replace(RECORDED_PROJECT, str(self.project))
        return {key: value for key, value in {**json.loads(text), **fields}.items() if value is not ...}

    def send(self, event: str, payload: Mapping[str, Any], entry: str = "") -> bytes:
        """Run the hook of `event`, or the entry file of Claude Code that is named; what it printed."""
        words = ["host.py", self.host, event] if not entry else [entry]
        names = ("HOME", "VECTR_HOOKS_HOME", "PATH")
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(ROOT / "hooks" / words[0]), *words[1:]],
            input=json.dumps(payload).encode(),
            capture_output=True,
            env={**{name: os.environ[name] for name in names if name in os.environ}, **self.environ},
            timeout=30,
            cwd="/",
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def play(self, name: str, **fields: Any) -> str:
        """Send the recorded payload `name`; what the model is given."""
        event = name.partition("_")[0]
        return context(self.host, event, self.send(event, self.payload(name, **fields)))


def context(host: str, event: str, output: bytes) -> str:
    """What the model is given by what a hook printed, which has the form that `host` takes, and no other."""
    if not output:
        return ""
    document = json.loads(output.decode("utf-8"))
    if host in ("copilot", "cursor"):
        (key,) = document
        assert key == ("additionalContext" if host == "copilot" else "additional_context")
        text: str = document[key]
    else:
        assert list(document) == ["hookSpecificOutput"]
        assert list(document["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
        assert document["hookSpecificOutput"]["hookEventName"] == event
        text = document["hookSpecificOutput"]["additionalContext"]
    assert text
    return text
