"""Searches with a user's regular expressions, which may take for ever, for a limited time."""

import re

from vectr_hooks.time_limit import HAS_TIMERS, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def search(patterns: "Sequence[str]", text: str, seconds: float) -> "tuple[set[str], set[str]]":
    """Find which of `patterns` match somewhere in `text`, and which were not done within `seconds` for all.

    The search itself looks for signals as it goes, so that a timer can end it. Where there are no timers, no
    pattern is searched for: one that never ends would take the hook with it.
    """
    if not HAS_TIMERS:
        return set(), set(patterns)
    found: "set[str]" = set()
    open_patterns = list(patterns)

    def search_all() -> None:
        while open_patterns:
            if re.search(open_patterns[0], text):
                found.add(open_patterns[0])
            del open_patterns[0]

    within(seconds, search_all)
    return found, set(open_patterns)
