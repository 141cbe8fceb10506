"""Something that may take too long, done for a limited time."""

import time

from vectr_hooks.native import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# One that rises in a callback of the interpreter's own is lost: it rises again.
_AGAIN_S = 0.05
# What comes after a step that could not be cut off takes a hundredth, and is all the more wanted.
_LEAST_LEFT_S = 0.1

#: whether there are timers here: where there are none, nothing is limited
HAS_TIMERS = hasattr(signals, "setitimer")


class TimeIsUp(BaseException):
    """What had a share of time has used it up. No `Exception`, which libraries catch as if it were theirs."""


def within(seconds: float, do: "Callable[[], object]") -> bool:
    """Call `do`, cut off after `seconds` between two steps of the interpreter; tell whether it ended.

    The timer that ran before, such as the hook's own deadline, goes on from where it stood.
    """
    if not HAS_TIMERS:
        do()
        return True
    before = signals.signal(signals.SIGALRM, _end)
    began = time.monotonic()
    left, again = signals.setitimer(signals.ITIMER_REAL, seconds, _AGAIN_S)
    ended = False
    try:
        try:
            do()
            ended = True
        finally:
            signals.signal(signals.SIGALRM, _pass)
    except TimeIsUp:
        signals.signal(signals.SIGALRM, _pass)
    signals.setitimer(
        signals.ITIMER_REAL, max(_LEAST_LEFT_S, left - (time.monotonic() - began)) if left else 0, again
    )
    signals.signal(signals.SIGALRM, before)
    return ended


def _pass(number: int, frame: object) -> None:
    """It was done just as its time was up."""


def _end(number: int, frame: object) -> None:
    raise TimeIsUp
