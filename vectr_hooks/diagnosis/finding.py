"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at, how it is, and what to do about it, or ''."""

    level: Level
    subject: str
    message: str
    fix: str = ""


def ok(subject: str, message: str, fix: str = "") -> Finding:
    return Finding("ok", subject, message, fix)


def warning(subject: str, message: str, fix: str = "") -> Finding:
    return Finding("warning", subject, message, fix)


def error(subject: str, message: str, fix: str = "") -> Finding:
    return Finding("error", subject, message, fix)
