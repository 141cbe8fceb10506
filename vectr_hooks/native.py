"""The C modules under `sqlite3` and `signal`, which cost a hook less than their Python wrappers.

Measured on Linux: the wrappers add 0.2 of a bare interpreter start each. Where a build lacks the C name, the
public module offers the same calls.
"""

try:
    import _sqlite3 as sqlite
except ImportError:
    import sqlite3 as sqlite  # type: ignore[no-redef]

try:
    import _signal as signals
except ImportError:
    import signal as signals

__all__ = ["signals", "sqlite"]
