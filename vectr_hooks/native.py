"""The C modules under `sqlite3` and `signal`, which cost a hook less than their Python wrappers.

Measured on Linux: the wrappers add 0.2 of a bare interpreter start each, and `functools`, of which `_sqlite3`
takes nothing but `lru_cache`, as much again. Where a build lacks a C name, the public module offers the same
calls.
"""

import sys

try:
    import _signal as signals
except ImportError:
    import signal as signals

try:
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]
except ImportError:
    _lru_cache_wrapper = None


class _OnlyLruCache:
    """Stands in for `functools` while `_sqlite3` is imported, which asks it for a cache of statements."""

    @staticmethod
    def lru_cache(maxsize: int) -> object:
        return lambda function: _lru_cache_wrapper(function, maxsize, False, None)


# A hook process is ours alone, and the stand-in is gone before anything else can ask for the real module.
_stands_in = _lru_cache_wrapper is not None and "functools" not in sys.modules
if _stands_in:
    sys.modules["functools"] = _OnlyLruCache  # type: ignore[assignment]
try:
    import _sqlite3 as sqlite
except (ImportError, AttributeError):
    if _stands_in:
        del sys.modules["functools"]
    import sqlite3 as sqlite  # type: ignore[no-redef]
else:
    if _stands_in:
        del sys.modules["functools"]

__all__ = ["signals", "sqlite"]
