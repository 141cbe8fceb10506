from __future__ import annotations

import subprocess
import sys

import pytest

from tests.hook.session import ROOT

PROGRAM = """
import sys
sys.path.insert(0, {root!r})
sys.modules[{absent!r}] = None
from vectr_hooks.native import signals, sqlite
connection = sqlite.connect(":memory:", isolation_level=None)
assert connection.execute("SELECT json_valid('[]')").fetchone() == (1,)
assert issubclass(sqlite.OperationalError, Exception)
assert signals.SIGALRM
print(sqlite.__name__, signals.__name__)
"""


@pytest.mark.parametrize(
    ("absent", "names"),
    [("nothing", "_sqlite3 _signal"), ("_signal", "_sqlite3 signal"), ("_sqlite3", "sqlite3 _signal")],
)
def test_where_a_c_module_is_missing_the_public_one_serves(absent: str, names: str) -> None:
    if absent != "nothing":
        # The public module itself is built on the C one, so it is loaded before that is hidden.
        public = absent.lstrip("_")
        program = f"import {public}\n" + PROGRAM.format(root=str(ROOT), absent=absent)
    else:
        program = PROGRAM.format(root=str(ROOT), absent=absent)
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, encoding="utf-8", check=False
    )
    assert (done.stderr, done.stdout.split()[:1]) == ("", names.split()[:1])
    assert done.stdout.split() == names.split()


def test_what_stands_in_for_functools_is_gone_once_the_database_is_there() -> None:
    program = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
sys.modules.pop("functools", None)
from vectr_hooks.native import sqlite
assert "functools" not in sys.modules
connection = sqlite.connect(":memory:", isolation_level=None)
for number in range(300):
    assert connection.execute(f"SELECT {{number}} + ?", (1,)).fetchone() == (number + 1,)
import functools, sqlite3
assert functools.lru_cache(maxsize=2)(len)("ab") == 2
assert sqlite3.connect(":memory:").execute("SELECT 1").fetchone() == (1,)
"""
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def test_without_the_cache_of_functools_the_database_is_imported_all_the_same() -> None:
    program = f"""
import sys, types
sys.path.insert(0, {str(ROOT)!r})
import functools
sys.modules["_functools"] = types.ModuleType("_functools")
from vectr_hooks.native import sqlite
assert sqlite.connect(":memory:").execute("SELECT 1").fetchone() == (1,)
"""
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)
