"""One note at three distances: some turns later, after a compaction, and in another session days later."""

from __future__ import annotations

import shlex
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from .client import Client
from .lab import PACKAGE_ROOT, Lab
from .messages_api import occurrences, uses

pytestmark = pytest.mark.e2e

# The second sentence is in no title and no index line.
NOTE = (
    'Deploys go through the canary first.\nIt takes 47 minutes; `--fast` skips\tit and broke "staging" twice.'
)
HEADER = "recorded by an agent, not reviewed"
STORED_AT, ASKED_AT = 5, 15
DAYS_MS = 3 * 24 * 60 * 60 * 1000
#: what holds a point in time, in milliseconds
TIMES = ("at", "created", "seen")


@pytest.fixture(scope="module")
def lab(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(client, tmp_path_factory.mktemp("lab")) as prepared:
        prepared.vectr_hooks("install")
        prepared.write("noted.txt", NOTE)
        yield prepared


def let_days_pass(lab: Lab) -> None:
    """Move all that was recorded into the past: hooks know no clock but the machine's."""
    [store] = (lab.home / "vectr-hooks").glob("workspaces/*/notes.db")
    with closing(sqlite3.connect(store)) as con, con:
        tables = con.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for (column,) in con.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall():
                if column in TIMES:
                    con.execute(f"UPDATE {table} SET {column} = {column} - ?", (DAYS_MS,))


def test_a_note_the_agent_stored_is_there_word_for_word_at_each_of_three_horizons(lab: Lab) -> None:
    program = shlex.join(["env", f"PYTHONPATH={PACKAGE_ROOT}", sys.executable, "-m", "vectr_hooks"])
    stores = uses("Bash", command=f"{program} remember - --keyword deploy < noted.txt")
    with lab.stream("--allowedTools", "Bash") as stream:
        for turn in range(1, ASKED_AT):
            requests = stream.ask(f"Step {turn}", *([stores] if turn == STORED_AT else [])).requests
            # Nobody speaks of it, and the file that it came from was not shown.
            assert all(occurrences(request, NOTE) == 0 for request in requests), turn
        [asked] = stream.ask("How do we deploy this?").requests
        assert occurrences(asked, NOTE) == 1
        assert occurrences(asked, HEADER) == 1
        first = stream.session
        assert stream.compact().compactions == 1
        [compacted] = stream.ask("And now?").requests
        assert occurrences(compacted, NOTE) == 1
    let_days_pass(lab)
    later = lab.ask("Is it ready to deploy?")
    assert later.session != first
    [request] = later.requests
    assert occurrences(request, NOTE) == 1
    assert occurrences(request, HEADER) == 1
    assert Path(lab.project / "noted.txt").read_text("utf-8") == NOTE
