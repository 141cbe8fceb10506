"""What a check found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["ok", "warning", "error"]
#: does what a fix says, and tells what it did
Repair = Callable[[], str]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at, how it is, and what to do about it, or ''."""

    level: Level
    subject: str
    message: str
    fix: str = ""
    """A command to paste, or a sentence."""
    repair: Repair | None = field(default=None, compare=False, repr=False)
    """None: not safe without asking, or nothing that a program can do."""


def ok(subject: str, message: str, fix: str = "", repair: Repair | None = None) -> Finding:
    return Finding("ok", subject, message, fix, repair)


def warning(subject: str, message: str, fix: str = "", repair: Repair | None = None) -> Finding:
    return Finding("warning", subject, message, fix, repair)


def error(subject: str, message: str, fix: str = "", repair: Repair | None = None) -> Finding:
    return Finding("error", subject, message, fix, repair)
