"""Searches with a user's regular expressions, which may take for ever, for a limited time."""

import re
import time

from vectr_hooks.native import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class TimeIsUp(Exception):
    """The patterns' share of time is used up."""


def search(patterns: "Sequence[str]", text: str, seconds: float) -> "tuple[set[str], set[str]]":
    """Find which of `patterns` match somewhere in `text`, and which were not done within `seconds` for all.

    The search itself looks for signals as it goes, so that a timer can end it. Where there are no timers, no
    pattern is searched for: one that never ends would take the hook with it.
    """
    if not hasattr(signals, "setitimer"):
        return set(), set(patterns)
    found: "set[str]" = set()
    open_patterns = list(patterns)
    before = signals.signal(signals.SIGALRM, _end)
    began = time.monotonic()
    left, _ = signals.setitimer(signals.ITIMER_REAL, seconds)
    try:
        while open_patterns:
            if re.search(open_patterns[0], text):
                found.add(open_patterns[0])
            del open_patterns[0]
    except TimeIsUp:
        pass
    finally:
        # The hook's own deadline goes on from where it stood.
        signals.signal(signals.SIGALRM, before)
        signals.setitimer(signals.ITIMER_REAL, max(0.001, left - (time.monotonic() - began)) if left else 0)
    return found, set(open_patterns)


def _end(number: int, frame: object) -> None:
    raise TimeIsUp
