"""Stores of earlier versions, and stores that lack a part: brought up to date, or left as they are."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.commands.conftest import Hook, Run, hook, place, run
from tests.playback import Playback
from tests.store import earlier
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.project import Project
from vectr_hooks.store import backups, derived, upkeep
from vectr_hooks.store.create import create_store, open_store
from vectr_hooks.store.schema import VERSION

__all__ = ["hook", "place", "run"]

ROOT = Path(__file__).resolve().parents[2]
ID = "0123456789abcdef" * 2
#: how many columns each table got since a version
ADDED = {
    1: {"event": 5, "working_set": 1, "delivery": 1, "revision": 5, "conversation": 4},
    2: {"conversation": 4},
}
SINCE = sorted(ADDED)


def connected(path: Path) -> closing[sqlite3.Connection]:
    con = sqlite3.connect(path, isolation_level=None)
    con.row_factory = sqlite3.Row
    return closing(con)


def version(path: Path) -> int:
    with connected(path) as con:
        found: int = con.execute("PRAGMA user_version").fetchone()[0]
        return found


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, sequences included; the search index by its rows."""
    with connected(path) as con:
        names = con.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'note_fts_*'"
        )
        return {name: earlier.rows(con, name) for (name,) in names.fetchall()}


def kept(before: dict[str, list[tuple[object, ...]]], path: Path, since: int = 1) -> None:
    """Every row of an earlier version is in the store still, in every column that it had."""
    after = contents(path)
    for table, rows in before.items():
        added = ADDED[since].get(table, 0)
        there = [row[: len(row) - added] for row in after[table]]
        assert sorted(there, key=repr) == sorted(rows, key=repr), table


def sound(path: Path) -> bool:
    with connected(path) as con:
        con.execute("INSERT INTO note_fts(note_fts) VALUES ('integrity-check')")
        return backups.faults(con) == []


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The committed store of version 1."""
    path = tmp_path / "old" / "notes.db"
    earlier.write(path, earlier.script(1))
    return path


@pytest.fixture
def old_place(place: Project) -> Project:
    """The project with the committed store of version 1 for its own."""
    earlier.write(Path(place.store_path), earlier.script(1), place.root, place.workspace.id)
    return place


def made(path: Path) -> list[Path]:
    return sorted((path.parent / "backups").glob("*"))


@pytest.mark.parametrize("since", SINCE)
@pytest.mark.parametrize("script", [earlier.script, earlier.tables], ids=["committed", "empty"])
def test_a_migrated_store_has_the_schema_of_a_fresh_one(
    tmp_path: Path, script: Callable[[int], str], since: int
) -> None:
    path, fresh = tmp_path / "old" / "notes.db", tmp_path / "fresh" / "notes.db"
    earlier.write(path, script(since))
    create_store(str(fresh), ID, "/project", 0)
    open_store(str(path)).close()
    with connected(path) as migrated, connected(fresh) as new:
        assert earlier.shape(migrated) == earlier.shape(new)
    assert version(path) == VERSION


@pytest.mark.parametrize("since", SINCE)
def test_every_row_is_there_after_migrating_and_a_backup_is_beside_the_store(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], since: int
) -> None:
    old = tmp_path / "old" / "notes.db"
    earlier.write(old, earlier.script(since))
    before = contents(old)
    open_store(str(old)).close()
    kept(before, old, since)
    assert sound(old)
    (backup,) = made(old)
    told = capfd.readouterr()
    assert told.out == ""
    assert (
        told.err == f"{old} was brought from schema {since} to {VERSION}; as it was, it is kept at {backup}\n"
    )
    assert contents(backup) == before
    assert backup.name.startswith(f"notes-schema{since}-2")
    assert backup.name.endswith("Z.db")
    open_store(str(old)).close()
    assert capfd.readouterr().err == ""
    assert made(old) == [backup]


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_only_the_owner_can_read_a_backup(old: Path) -> None:
    before = os.umask(0o002)
    try:
        open_store(str(old)).close()
    finally:
        os.umask(before)
    (backup,) = made(old)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700


def test_creating_where_an_older_store_is_migrates_it(old: Path) -> None:
    before = contents(old)
    create_store(str(old), ID, "/elsewhere", 9)
    assert version(old) == VERSION
    kept(before, old)


def test_what_older_events_knew_is_computed_from_the_rows_before_them(old: Path) -> None:
    with closing(open_store(str(old))) as con:
        found = con.execute(
            "SELECT id, turn_number, turn_spent, boundary_spent, epoch_spent, told_held_back FROM event"
            " WHERE id IN (1, 2, 9, 10, 13, 17, 18, 22, 25, 38) ORDER BY id"
        )
        assert [tuple(row) for row in found] == [
            (1, 0, 0, 0, 0, -1),
            (2, 1, 0, 0, 136, -1),
            (9, 1, 124, 0, 260, -1),
            (10, 2, 0, 0, 292, -1),
            (13, 2, 0, 0, 0, -1),  # after a compaction
            (17, 3, 0, 0, 0, -1),
            (18, 3, 0, 411, 411, -1),  # the boundary is apart from the turn
            (22, 0, 28, 0, 28, -1),  # a subagent
            (25, 5, 0, 0, 0, -1),  # a fork counts on from its parent's turns
            (38, 3, 0, 0, 182, -1),  # a duplicate
        ]
        held = con.execute("SELECT * FROM working_set WHERE note IN (3, 4, 8) ORDER BY session, note")
        assert [tuple(row) for row in held] == [
            ("session-1", 3, 0, 0, 4),
            ("session-1", 4, 0, 0, 7),
            ("session-1", 8, 0, 2, 19),
            ("session-2", 3, 0, 2, 26),
            ("session-2", 4, 0, 0, 0),  # inherited: no event of its own
            ("session-2", 8, 0, 2, 25),
            ("session-3", 3, 0, 0, 35),
            ("session-3", 8, 0, 0, 34),
        ]
        assert con.execute("SELECT max(lost) FROM delivery").fetchone()[0] == 0


def as_version_1(path: Path, target: Path) -> None:
    """Write what version 1 would hold of the store at `path`."""
    earlier.write(target, earlier.tables(1))
    with connected(target) as con:
        con.execute("ATTACH ? AS new", (str(path),))
        names = [row[0] for row in con.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")]
        for name in (name for name in names if not name.startswith(("note_fts", "sqlite_"))):
            columns = ", ".join(row["name"] for row in con.execute(f"PRAGMA main.table_info({name})"))
            con.execute(f"INSERT OR REPLACE INTO main.{name} SELECT {columns} FROM new.{name}")


def test_events_come_out_as_this_version_would_have_recorded_them(
    project: Path, store_path: Path, write: Callable[..., int], tmp_path: Path
) -> None:
    for n in range(5):
        write(f"Rule {n}: " + "word " * 30, kind="directive")
        write(f"Place {n}: " + "word " * 40, trigger=[{"path": f"src/{n}/**"}, {"keyword": f"word{n}"}])
    for number in range(2):
        session = Playback(project, store_path, f"session-{number}")
        session.start()
        for turn in range(6):
            session.prompt(f"about word{turn}")
            session.edit(f"src/{turn}/a.py")
            session.read(f"src/{turn + 1}/a.py")
            if turn % 3 == number:
                session.compact("auto" if number else "manual")
            session.edit(f"src/{turn}/b.py")
        session.connection.close()
    old = tmp_path / "old" / "notes.db"
    as_version_1(store_path, old)
    with connected(store_path) as con:
        events = [tuple(row)[:-1] for row in con.execute("SELECT * FROM event ORDER BY id")]
    open_store(str(old)).close()
    with connected(old) as con:
        assert [tuple(row)[:-1] for row in con.execute("SELECT * FROM event ORDER BY id")] == events
        spent = con.execute(
            "SELECT max(turn_spent), max(boundary_spent), max(turn_number) FROM event"
        ).fetchone()
        assert min(spent) > 0


def test_turns_are_right_where_the_oldest_events_were_pruned(old: Path) -> None:
    with connected(old) as con:
        con.execute("DELETE FROM event WHERE id < 15")
    with closing(open_store(str(old))) as con:
        assert con.execute("SELECT turn_number FROM event WHERE id = 15").fetchone()[0] == 3


def test_ids_of_pruned_events_are_not_given_again(old: Path) -> None:
    with connected(old) as con:
        con.execute("DELETE FROM event")
    with closing(open_store(str(old))) as con:
        assert con.execute("SELECT seq FROM sqlite_sequence WHERE name = 'event'").fetchone()[0] == 38


def test_commands_and_hooks_work_on_a_migrated_store(old_place: Project, run: Run, hook: Hook) -> None:
    listed = run("list", "--json")
    assert f"was brought from schema 1 to {VERSION}" in listed.stderr
    notes = json.loads(listed.stdout)["notes"]
    assert sorted(note["id"] for note in notes) == [*range(1, 16), 18]
    assert {note["kind"] for note in notes} == {
        "directive", "task", "gotcha", "operational", "finding", "decision", "reference"
    }  # fmt: skip
    shown = run("show", "2", "5", "18")
    assert shown.stderr == ""
    assert "nearly done" in shown.stdout
    assert "数据库连接在空闲五分钟后断开。" in shown.stdout
    assert "Prices are cents" in run("recall", "cents").stdout
    assert json.loads(run("config", "get", "budget.turn", "--json").stdout)["value"] == 300
    assert run("audit").exit_code == 0
    why = run("audit", "why", "8", "10")
    assert (why.exit_code, why.stderr) == (0, "")
    assert "deploy" in why.stdout
    assert "canary" in hook("SessionStart", "new", source="startup")
    assert "#8" in hook("UserPromptSubmit", "new", prompt="deploy", prompt_id="p")
    # What the sessions were given before is in the ledger still.
    assert hook("UserPromptSubmit", "session-2", prompt="deploy", prompt_id="again") == ""
    assert run("remember", "The next one.").stdout.startswith("#19 ")


@pytest.mark.parametrize("since", SINCE)
def test_what_is_derived_agrees_with_the_revisions_after_migrating(tmp_path: Path, since: int) -> None:
    old = tmp_path / "old" / "notes.db"
    earlier.write(old, earlier.script(since))
    with closing(open_store(str(old))) as con:
        assert derived.disagreements(con) == []


def test_a_hook_on_an_older_store_prints_nothing_and_changes_nothing(
    old_place: Project, run: Run, hook: Hook
) -> None:
    path = Path(old_place.store_path)
    before = contents(path)
    assert hook("SessionStart", source="startup") == ""
    assert contents(path) == before
    assert version(path) == 1
    assert not (path.parent / "backups").exists()
    assert "schema 1" in (path.parent / "errors.log").read_text(encoding="utf-8")
    run("list")
    assert "canary" in hook("SessionStart", source="startup")


def test_many_commands_at_once_migrate_once(old: Path) -> None:
    script = "import sys; from vectr_hooks.store.create import open_store; open_store(sys.argv[1]).close()"
    before = contents(old)
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(old)], stderr=subprocess.PIPE) for _ in range(4)
    ]
    told = sorted(process.communicate()[1] for process in running)
    assert [process.returncode for process in running] == [0] * 4
    assert told[:3] == [b""] * 3
    assert f"was brought from schema 1 to {VERSION}".encode() in told[3]
    assert len(made(old)) == 1
    kept(before, old)


# Counts the statements of every connection, and kills the process before the one asked for.
KILLED = """
import os, signal, sqlite3, sys
left = int(sys.argv[2])
def step(statement):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
def connect(*arguments, **options):
    con = plain(*arguments, **options)
    con.set_trace_callback(step)
    return con
plain, sqlite3.connect = sqlite3.connect, connect
from vectr_hooks.store.create import open_store
open_store(sys.argv[1]).close()
print(-left)
"""


def killed_at(path: Path, statement: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", KILLED, str(path), str(statement)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_process_killed_in_mid_migration_leaves_a_sound_store_that_the_next_finishes(
    old: Path, tmp_path: Path
) -> None:
    before = contents(old)
    shutil.copytree(old.parent, tmp_path / "counted")
    statements = int(killed_at(tmp_path / "counted" / "notes.db", 0).stdout)
    found = set()
    for share in (0.2, 0.5, 0.75, 0.95):
        folder = tmp_path / f"killed{share}"
        shutil.copytree(old.parent, folder)
        path = folder / "notes.db"
        assert killed_at(path, int(statements * share)).returncode == -signal.SIGKILL
        found.add(version(path))
        if version(path) == 1:
            assert contents(path) == before
        assert sound(path)
        open_store(str(path)).close()
        assert version(path) == VERSION
        kept(before, path)
        # What it had of a backup then was the same.
        assert len([backup for backup in made(path) if backup.suffix == ".db"]) == 1
    assert 1 in found


def test_a_store_is_of_this_version_only_once_all_is_derived_again(old: Path, tmp_path: Path) -> None:
    with connected(old) as con:
        con.execute("DELETE FROM trigger_key")
    shutil.copytree(old.parent, tmp_path / "counted")
    statements = int(killed_at(tmp_path / "counted" / "notes.db", 0).stdout)
    for before_last in (1, 10, 60):
        folder = tmp_path / f"killed{before_last}"
        shutil.copytree(old.parent, folder)
        path = folder / "notes.db"
        assert killed_at(path, statements - before_last).returncode == -signal.SIGKILL
        if version(path) == 1:
            open_store(str(path)).close()
        with connected(path) as con:
            assert derived.disagreements(con) == []


@pytest.mark.parametrize(
    "harm",
    [
        "ALTER TABLE event RENAME COLUMN facts TO other",
        "DROP TABLE outcome",
        "CREATE TABLE lookup(x)",
        "DROP TABLE revision",
        "DROP TABLE watched_path",
    ],
)
def test_a_store_that_cannot_be_migrated_stays_as_it_was_and_the_backup_is_named(
    old: Path, harm: str
) -> None:
    with connected(old) as con:
        con.execute(harm)
    before = contents(old)
    for _ in range(2):
        with pytest.raises(VectrHooksError, match="could not be brought from schema 1 to") as refused:
            open_store(str(old))
        assert contents(old) == before
        assert version(old) == 1
    # An attempt that fails again makes no other one.
    (backup,) = made(old)
    assert str(backup) in refused.value.hint
    assert contents(backup) == before


def test_a_damaged_older_store_is_refused_and_not_written(old: Path) -> None:
    with connected(old) as con:
        con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = con.execute("SELECT rootpage FROM sqlite_master WHERE name = 'event'").fetchone()
    content = bytearray(old.read_bytes())
    content[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
    old.write_bytes(content)
    with pytest.raises(VectrHooksError, match="is damaged") as refused:
        open_store(str(old))
    assert "vectr-hooks restore" in refused.value.hint
    assert old.read_bytes() == content
    assert made(old) == []


@pytest.mark.parametrize(
    ("mode", "refusal"),
    [
        ("DELETE", "has to be brought up to date, and may not be written"),
        # Not even read, without the files that lie beside it.
        ("WAL", "cannot be read: attempt to write a readonly database"),
    ],
)
def test_an_older_store_that_cannot_be_written_is_refused_with_what_to_do(mode: str, refusal: str) -> None:
    script = """
import os, sys
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.create import open_store
if os.geteuid() == 0:
    os.setuid(65534)
try:
    open_store(sys.argv[1])
except VectrHooksError as error:
    print(error.message, error.hint, sep="\\n")
"""
    # The test's own folders are closed to other users.
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "notes.db"
        earlier.write(path, earlier.script(1))
        with connected(path) as con:
            con.execute(f"PRAGMA journal_mode = {mode}")
        path.chmod(0o444)
        Path(name).chmod(0o555)
        before = path.read_bytes()
        done = subprocess.run(
            [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True, cwd=ROOT
        )
        Path(name).chmod(0o755)
        assert path.read_bytes() == before
    message, hint = done.stdout.splitlines()
    assert refusal in message
    assert "write" in hint


def test_a_newer_store_is_refused_and_not_written(old: Path) -> None:
    with connected(old) as con:
        con.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = old.read_bytes()
    with pytest.raises(VectrHooksError, match="newer version"):
        open_store(str(old))
    assert upkeep_refuses(old)
    assert old.read_bytes() == before
    assert made(old) == []


def upkeep_refuses(path: Path) -> bool:
    with pytest.raises(VectrHooksError):
        upkeep.bring_up_to_date(str(path))
    return True


@pytest.mark.parametrize(
    "harm",
    [
        "DROP INDEX note_precedence",
        "DROP INDEX revision_session",
        "DROP INDEX needle_note",
        "DROP TABLE needle",
        "DROP TABLE trigger_key",
        "DROP TABLE recall_frequency",
        "DROP TABLE note_fts",
        "DROP TABLE note_fts_data",
        "ALTER TABLE recall_term DROP COLUMN words",
    ],
)
@pytest.mark.parametrize("schema", [1, VERSION])
def test_a_part_that_can_be_derived_is_made_anew(old: Path, schema: int, harm: str) -> None:
    if schema == VERSION:
        open_store(str(old)).close()
    with connected(old) as con:
        con.execute(harm)
    with closing(open_store(str(old))) as con:
        assert not upkeep.is_due(con, VERSION)
        assert derived.disagreements(con) == []
        assert [row[0] for row in con.execute("SELECT rowid FROM note_fts WHERE note_fts MATCH 'cents'")] == [
            5
        ]
    assert sound(old)


@pytest.mark.parametrize(
    "harm",
    [
        "ALTER TABLE event DROP COLUMN more",
        "ALTER TABLE revision DROP COLUMN author",
        "DROP TABLE note",
        "DROP TABLE setting",
        "DROP TABLE watched_path",
    ],
)
def test_a_part_that_nothing_else_holds_is_refused_and_nothing_is_written(old: Path, harm: str) -> None:
    open_store(str(old)).close()
    with connected(old) as con:
        con.execute(harm)
    before = contents(old)
    with pytest.raises(VectrHooksError, match="is missing, and nothing else holds it") as refused:
        open_store(str(old))
    assert "vectr-hooks restore" in refused.value.hint
    assert contents(old) == before


def plant(path: Path, statements: list[str], strict: bool = True) -> None:
    """Write what version 1 itself never wrote, past its NOT NULL; `strict` declares it again."""
    earlier.write(path, earlier.tables(1).replace(" NOT NULL", ""))
    with connected(path) as con:
        con.execute("INSERT INTO workspace VALUES (?, '/project', 0)", (ID,))
        for statement in statements:
            con.execute(statement)
        if strict:
            with connected(path.parent / "strict.db") as other:
                other.executescript(earlier.tables(1))
                texts = other.execute("SELECT sql, name FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
            con.execute("PRAGMA writable_schema = ON")
            con.executemany("UPDATE sqlite_master SET sql = ? WHERE name = ?", map(tuple, texts))
            con.execute("PRAGMA writable_schema = RESET")


@pytest.mark.parametrize("strict", [True, False])
def test_odd_rows_are_all_kept(tmp_path: Path, strict: bool) -> None:
    path = tmp_path / "odd" / "notes.db"
    path.parent.mkdir()
    facts = ["NULL", "'no json'", "'[1]'", "''", "x'ff'", "5", '\'{"moments": {"a": "prompt-submit"}}\'']
    plant(
        path,
        [
            "INSERT INTO event(id) VALUES (3)",
            "INSERT INTO event(id, cost) VALUES (4, 'much')",
            f"INSERT INTO event(id, cost) VALUES (5, {2**63 - 1}), (6, {2**63 - 1}), (7, 1e300), (8, x'00')",
            *(f"INSERT INTO event(facts, session) VALUES ({each}, 's')" for each in facts),
            "INSERT INTO outcome(event, position, note) VALUES (3, 0, 1)",
            "INSERT INTO working_set VALUES ('s', 1, 0, NULL), ('s', 'x', -1, 'y')",
            "INSERT INTO delivery(session, agent, epoch, note, clause, event) VALUES ('s', '', 0, 1, 0, 3)",
            "INSERT INTO setting(key) VALUES ('enabled')",
            "INSERT INTO error(message) VALUES (NULL)",
            "INSERT INTO conversation(session, agent) VALUES ('s', '')",
        ],
        strict,
    )  # fmt: skip
    before = contents(path)
    open_store(str(path)).close()
    after = contents(path)
    assert {name: len(rows) for name, rows in before.items()} == {name: len(after[name]) for name in before}
    with connected(path) as con:
        first = con.execute("SELECT * FROM event WHERE id = 3").fetchone()
        assert None not in tuple(first)
        assert first["facts"] == "{}"
        assert con.execute("SELECT cost FROM event WHERE id = 4").fetchone()[0] == "much"


VALUES = (-2, -1, 0, 0, 1, 1, 2, 3, "", "s", "s", "t", "0", "1,2", "é", "x" * 300, 2**63 - 1, 0.5, b"\xff")
MOMENTS = ("prompt-submit", "session-start", "post-compaction", "pre-edit")


def random_value(chance: random.Random, field: sqlite3.Row, nulls: bool) -> object:
    if field["name"] == "id" and field["pk"]:
        return chance.randint(1, 50)
    if field["name"] == "facts" and chance.random() < 0.8:
        return json.dumps({"moments": chance.choices(MOMENTS, k=chance.randint(0, 2))})
    if nulls and not field["pk"] and chance.random() < 0.2:
        return None
    return chance.choice(VALUES)


@pytest.mark.parametrize("seed", range(12))
def test_no_row_of_any_store_is_lost(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "random" / "notes.db"
    nulls = seed % 2 == 1
    earlier.write(path, earlier.tables(1).replace(" NOT NULL", "") if nulls else earlier.tables(1))
    with connected(path) as con:
        fields = {
            table: con.execute(f"PRAGMA table_info({table})").fetchall()
            for (table,) in con.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
                " AND name NOT GLOB 'note_fts*' AND name NOT GLOB 'sqlite_*'"
            )
        }
        con.execute("BEGIN")
        for table, columns in fields.items():
            if table == "workspace":
                continue
            statement = f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(columns))})"
            for _ in range(chance.randint(0, 40 if table in ADDED[1] else 5)):
                with contextlib.suppress(sqlite3.IntegrityError):  # an id that is no number
                    con.execute(statement, [random_value(chance, field, nulls) for field in columns])
        con.execute("COMMIT")
    before = contents(path)
    open_store(str(path)).close()
    # Made anew from the revisions, as far as these can be read.
    for table in ("note", *derived.REMADE):
        before.pop(table, None)
    for table in ("event", "working_set"):
        # They are written anew, and take no NULL.
        defaults = ["{}" if f["name"] == "facts" else "" if f["type"] == "TEXT" else 0 for f in fields[table]]
        before[table] = [
            tuple(defaults[n] if value is None else value for n, value in enumerate(row))
            for row in before[table]
        ]
    kept(before, path)
    assert version(path) == VERSION
    assert sound(path)
