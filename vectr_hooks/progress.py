"""A bar that shows how far something long has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# What is done sooner needs no bar, which would only flash.
LATE_SECONDS = 0.5


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., object]]:
    """A bar on stderr where that is a terminal, gone when it is done; yields what moves it on.

    It appears when it is moved on after half a second or more.
    """
    if not sys.stderr.isatty():
        yield lambda amount=1: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total)
    began = time.monotonic()

    def seen(amount: int = 1) -> None:
        bar.advance(task, amount)
        if not bar.live.is_started and time.monotonic() - began >= LATE_SECONDS:
            bar.start()

    try:
        yield seen
    finally:
        if bar.live.is_started:
            bar.stop()
