"""A bar that shows how far something long has come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., object]]:
    """A bar on stderr where that is a terminal, gone when it is done; yields what moves it on."""
    if not sys.stderr.isatty():
        yield lambda amount=1: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda amount=1: bar.advance(task, amount)
