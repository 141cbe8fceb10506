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
