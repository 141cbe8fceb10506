"""Something that may take too long, done for a limited time."""

import time

from vectr_hooks.native import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: whether there are timers here: where there are none, nothing is limited
HAS_TIMERS = hasattr(signals, "setitimer")


class TimeIsUp(Exception):
    """What had a share of time has used it up."""


def within(seconds: float, do: "Callable[[], object]") -> bool:
    """Call `do`, cut off after `seconds` between two steps of the interpreter; tell whether it ended.

    The timer that ran before, such as the hook's own deadline, goes on from where it stood.
    """
    if not HAS_TIMERS:
        do()
        return True
    before = signals.signal(signals.SIGALRM, _end)
    began = time.monotonic()
    left, again = signals.setitimer(signals.ITIMER_REAL, seconds)
    try:
        do()
    except TimeIsUp:
        return False
    finally:
        signals.signal(signals.SIGALRM, before)
        signals.setitimer(
            signals.ITIMER_REAL, max(0.001, left - (time.monotonic() - began)) if left else 0, again
        )
    return True


def _end(number: int, frame: object) -> None:
    raise TimeIsUp
