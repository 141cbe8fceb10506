"""Which version of Claude Code runs the hooks, and whether they were proved with it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping

from vectr_hooks.diagnosis.finding import Finding, ok, warning

SUBJECT = "client"
#: the versions that the tests with the real client run
PROVED = ("2.1.197", "2.1.332")

_NUMBER = re.compile(r"\d+\.\d+\.\d+")
_IN_TRANSCRIPT = re.compile(rb'"version":\s?"(\d+\.\d+\.\d+)"')
# Every entry of a transcript names the version; the newest are at its end.
_TAIL_BYTES = 1 << 18
_PACKAGE = "@anthropic-ai/claude-code"
# Between the program and the file that describes its package.
_MOST_LEVELS = 4


def check(transcript: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What is known of the client that wrote `transcript` or, without one, of the one on PATH."""
    version = version_in(transcript) or version_on_path(environ)
    if not version:
        return
    proved = " and ".join(PROVED)
    if version in PROVED:
        yield ok(SUBJECT, f"Claude Code {version}, with which the hooks were proved")
    elif _order(version) < _order(PROVED[0]):
        message = f"Claude Code {version} is older than what the hooks were proved with ({proved})"
        yield warning(SUBJECT, message, "upgrade Claude Code")
    else:
        message = f"Claude Code {version}; the hooks were proved with {proved}, not yet with it"
        yield ok(SUBJECT, message)


def version_in(transcript: str) -> str:
    """The version of the client that last wrote to a transcript, or ''."""
    if not transcript or not os.path.isfile(transcript):
        return ""
    try:
        with open(transcript, "rb") as file:
            file.seek(max(0, os.path.getsize(transcript) - _TAIL_BYTES))
            found = _IN_TRANSCRIPT.findall(file.read())
    except OSError:
        return ""
    return found[-1].decode() if found else ""


def version_on_path(environ: Mapping[str, str], name: str = "claude", package: str = _PACKAGE) -> str:
    """The version of the program `name` on PATH, from where it lies; it is not run.

    `package` is the beginning of the name of what brings it.
    """
    program = shutil.which(name, path=environ.get("PATH", ""))
    if not program:
        return ""
    place = os.path.realpath(program)
    if _NUMBER.fullmatch(os.path.basename(place)):
        return os.path.basename(place)
    folder = place
    for _ in range(_MOST_LEVELS):
        folder = os.path.dirname(folder)
        if version := _package_version(folder, package):
            return version
    return ""


def _package_version(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, "package.json"), encoding="utf-8") as file:
            package = json.load(file)
    except (OSError, ValueError):
        return ""
    ours = isinstance(package, dict) and str(package.get("name", "")).startswith(name)
    match = _NUMBER.match(str(package.get("version", ""))) if ours else None
    return match[0] if match else ""


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
