"""At which moments each host gives the model a note, and how that is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vectr_hooks.registration.hosts import HOSTS

PROVED = "proved"
"""A note was seen in what the host sent to its model."""
LIKELY = "likely"
"""Each part was seen, or read in the host's own program; the whole was not run."""
DOCUMENTED = "documented"
"""So says who makes the host, or who uses it; it was not run."""
NO = "no"
"""The host has no such event, or shows the model nothing of what is printed at it."""

MOMENTS = (
    "session-start",
    "post-compaction",
    "prompt-submit",
    "pre-tool",
    "post-tool",
    "post-failure",
    "subagent-start",
)
"""`pre-tool` and `post-tool` stand for the reading, editing and running of a tool."""


@dataclass(frozen=True)
class Support:
    """What is known of one host."""

    version: str
    """The newest that this was seen with; '' for a host that was not run."""
    moments: tuple[str, str, str, str, str, str, str]
    """PROVED, LIKELY, DOCUMENTED or NO for each of MOMENTS."""
    remark: str = ""
    """What a user of it should know."""


P, L, D = PROVED, LIKELY, DOCUMENTED
SUPPORT = {
    "claude": Support("2.1.332", (P, P, P, P, P, P, P)),
    "codex": Support("0.171.0", (P, P, P, P, P, NO, P), "a hook has to be trusted, with /hooks"),
    "gemini": Support(
        "0.61.0",
        (P, NO, P, NO, P, NO, NO),
        "it does not say when it compacts; a resumed session gets everything again",
    ),
    "copilot": Support(
        "1.0.102",
        (P, P, P, P, P, NO, D),
        "a project's hooks run in a trusted folder only; a resumed session gets everything again; "
        "of several hooks at a prompt the last alone is heard",
    ),
    "qwen": Support(
        "0.24.4",
        (P, P, P, NO, P, NO, NO),
        "a session's start is told at its first prompt, a compaction amid work with the next tool's result",
    ),
    "droid": Support("0.225.2", (L, L, D, NO, L, NO, NO), "`droid exec` runs no hook at a prompt"),
    "cursor": Support("", (D, D, L, NO, D, NO, NO)),
    "vscode": Support("", (D, D, NO, D, D, NO, D), "it shows a prompt's hooks to the user alone"),
}


def of(host: str, moment: str) -> str:
    """How it is known that `host` gives the model a note at `moment`; NO where it does not."""
    return SUPPORT[host].moments[MOMENTS.index(moment)]


def markdown() -> str:
    """The table of all hosts, without a line end."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield f"| host | `install --host` | {' | '.join(MOMENTS)} | remark |"
    yield "|---|---|" + "---|" * (len(MOMENTS) + 1)
    for name, support in SUPPORT.items():
        title = HOSTS[name].title
        known = f"{title} {support.version}" if support.version else f"{title} (not run)"
        yield f"| {known} | `{name}` | {' | '.join(support.moments)} | {support.remark} |"
