import os
import pathlib
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from vectr_hooks.core.grammar import parse_trigger
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.store.create import create_store, open_store
from vectr_hooks.store.notes import NoteDraft, add_note
from vectr_hooks.store.schema import APPLICATION_ID, VERSION

ID = "0123456789abcdef" * 2


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "data" / "workspaces" / ID / "notes.db")


def test_a_created_store_opens_in_wal_mode_with_our_marks(path):
    create_store(path, ID, "/project", 5)
    with closing(open_store(path)) as con:
        assert con.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert con.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        assert con.execute("PRAGMA user_version").fetchone()[0] == VERSION
        assert tuple(con.execute("SELECT id, root, created FROM workspace").fetchone()) == (ID, "/project", 5)


def test_creating_again_keeps_what_is_there(path):
    create_store(path, ID, "/project", 5)
    with closing(open_store(path)) as con:
        con.execute("INSERT INTO error(at, event, message) VALUES (1, 'e', 'm')")
    create_store(path, ID, "/elsewhere", 9)
    with closing(open_store(path)) as con:
        assert con.execute("SELECT count(*) FROM error").fetchone()[0] == 1
        assert [tuple(row) for row in con.execute("SELECT root FROM workspace")] == [("/project",)]


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_only_the_owner_can_read_the_store(path, tmp_path):
    before = os.umask(0o002)
    try:
        create_store(path, ID, "/project", 5)
        folder = os.path.dirname(path)
        with closing(open_store(path)) as con:
            con.execute("INSERT INTO error(at, event, message) VALUES (1, 'e', 'm')")
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in os.scandir(folder)}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["notes.db", "notes.db-wal", "notes.db-shm"], 0o600)
    while folder != str(tmp_path):
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        folder = os.path.dirname(folder)


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_store_folder_that_others_could_read_is_closed_to_them(path):
    os.makedirs(os.path.dirname(path), mode=0o755)
    create_store(path, ID, "/project", 5)
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


def test_many_processes_may_create_the_same_store_at_once(path):
    script = "import sys; from vectr_hooks.store.create import create_store; create_store(*sys.argv[1:4], 5)"
    command = [sys.executable, "-c", script, path, ID, "/project"]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(6)]
    assert [process.communicate()[1] for process in running] == [b""] * 6
    with closing(open_store(path)) as con:
        assert con.execute("SELECT count(*) FROM workspace").fetchone()[0] == 1


def test_a_store_whose_creation_was_cut_short_is_finished_by_the_next(path):
    os.makedirs(os.path.dirname(path))
    pathlib.Path(path).touch()
    with pytest.raises(VectrHooksError, match="not finished") as refused:
        open_store(path)
    assert "vectr-hooks init" in refused.value.hint
    create_store(path, ID, "/project", 5)
    open_store(path).close()


def test_a_missing_store_is_refused_and_not_created(path):
    with pytest.raises(VectrHooksError, match="no store") as refused:
        open_store(path)
    assert "vectr-hooks init" in refused.value.hint
    assert not os.path.exists(os.path.dirname(path))


def _folder(path):
    os.makedirs(path)


def _text(path):
    pathlib.Path(path).write_text("not a database, " * 100)


def _other_program(path):
    with closing(sqlite3.connect(path)) as con:
        con.execute("CREATE TABLE t(x)")


def _version(number):
    def write(path):
        create_store(path, ID, "/project", 5)
        with closing(sqlite3.connect(path)) as con:
            con.execute(f"PRAGMA user_version = {number}")

    return write


@pytest.mark.parametrize(
    ("write", "message", "hint"),
    [
        (_folder, "is a folder", "move it away"),
        (_text, "not a database", "move it away"),
        (_other_program, "another program", "move it away"),
        (_version(VERSION + 1), "newer version", "upgrade"),
        (_version(0), "which no version had", "brings one back"),
    ],
)
def test_what_is_not_a_store_of_this_version_is_refused_with_a_way_out(path, write, message, hint):
    os.makedirs(os.path.dirname(path))
    write(path)
    with pytest.raises(VectrHooksError, match=message) as refused:
        open_store(path)
    assert hint in refused.value.hint


@pytest.mark.parametrize("write", [_folder, _text, _other_program, _version(VERSION + 1), _version(0)])
def test_creation_never_writes_over_something_else(path, write):
    os.makedirs(os.path.dirname(path))
    write(path)
    file = pathlib.Path(path)
    before = file.is_file() and file.read_bytes()
    with pytest.raises(VectrHooksError):
        create_store(path, ID, "/project", 5)
    assert (file.is_file() and file.read_bytes()) == before


def test_odd_characters_in_the_path_are_no_problem(tmp_path):
    path = str(tmp_path / "a b?c#d%20é" / "notes.db")
    create_store(path, ID, "/project", 5)
    assert os.path.isfile(path)
    open_store(path).close()


def test_sqlite_finds_nothing_wrong_with_a_store_in_use(con):
    trigger = parse_trigger([{"path": "src/**", "unless": {"branch": "main"}}])
    draft = NoteDraft(
        title="t", body="b", kind="finding", priority="medium", provenance="agent", trigger=trigger
    )
    add_note(con, draft, lambda id, draft: ("text", "line"), 1)
    assert [row[0] for row in con.execute("PRAGMA quick_check")] == ["ok"]
