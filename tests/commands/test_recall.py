"""`recall`: found by words and by meaning, narrowed, and what happens without a model."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.hook.session import ROOT
from vectr_hooks import embedding
from vectr_hooks.commands import recall as recall_command
from vectr_hooks.project import Project, init_project
from vectr_hooks.store.create import open_store

Run = Callable[..., Result]
Stored = Callable[..., int]

LOCK = "acquire_lock() must be called before touching workspace metadata."
NODE = "The native module breaks on node 22, so the build pins node 20."
IN_OTHER_WORDS = "npm install fails to compile an addon"


def notes(run: Run, *arguments: str) -> list[int]:
    return [note["id"] for note in json.loads(run("recall", *arguments, "--json").stdout)["notes"]]


def rows(place: Project, statement: str) -> list[tuple[Any, ...]]:
    with closing(open_store(place.store_path)) as con:
        return [tuple(row) for row in con.execute(statement)]


def test_a_note_is_found_in_other_words_and_only_so_where_words_alone_do_not(
    run: Run, stored: Stored
) -> None:
    stored(LOCK)
    node = stored(NODE)
    assert notes(run, IN_OTHER_WORDS) == [node]
    assert notes(run, IN_OTHER_WORDS, "--lexical") == []


@pytest.mark.parametrize("question", ["how do I bake bread", "what is the capital of Australia"])
def test_a_question_about_something_else_has_no_answer(
    run: Run, stored: Stored, place: Project, question: str
) -> None:
    stored(LOCK)
    stored(NODE)
    done = run("recall", question)
    assert (done.stdout, done.stderr, done.exit_code) == ("", "no note was found\n", 0)
    # And that nothing was found is counted.
    assert rows(place, "SELECT command, notes FROM lookup")[-1] == ("recall", "[]")


def test_vectors_are_kept_and_go_with_their_notes(run: Run, stored: Stored, place: Project) -> None:
    lock, node = stored(LOCK), stored(NODE)
    assert rows(place, "SELECT * FROM note_vector") == []
    notes(run, "lock")
    loaded = embedding.load()
    assert rows(place, "SELECT note, model, vector FROM note_vector ORDER BY note") == [
        (lock, loaded.hash, loaded.embed([LOCK])[0]),
        (node, loaded.hash, loaded.embed([NODE])[0]),
    ]
    assert run("pin", str(lock)).exit_code == 0
    assert run("forget", str(node), "--yes").exit_code == 0
    assert rows(place, "SELECT * FROM note_vector") == []


def test_words_alone_need_no_model(run: Run, stored: Stored, place: Project) -> None:
    stored(LOCK)
    code = (
        "import sys; from vectr_hooks.cli import main; sys.argv[1:1] = ['recall', 'lock', '--lexical']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*{'numpy', 'onnxruntime', 'vectr_hooks.embedding'}.intersection(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "--project", place.root]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.startswith("#1 ")
    assert done.stderr == "\n"


def test_without_a_model_words_are_searched_for_and_a_line_says_so(
    run: Run, stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = stored(LOCK)
    monkeypatch.setattr(embedding, "SHIPPED", str(tmp_path / "nothing"))
    done = run("recall", "lock")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"#{lock} ")
    (line,) = done.stderr.splitlines()
    assert line.startswith("searched by words alone: the embedding model's ")
    assert json.loads(run("recall", "lock", "--json").stdout)["searched_by"] == "words"


def test_a_broken_vector_is_left_out(run: Run, stored: Stored, place: Project) -> None:
    lock = stored(LOCK)
    notes(run, "lock")
    with closing(open_store(place.store_path)) as con:
        con.execute("UPDATE note_vector SET vector = x'00'")
    assert notes(run, "acquire_lock") == [lock]


def test_a_vector_that_is_no_number_is_near_nothing(run: Run, stored: Stored, place: Project) -> None:
    lock = stored(LOCK)
    notes(run, "lock")
    with closing(open_store(place.store_path)) as con:
        con.execute(f"UPDATE note_vector SET vector = x'{'ff' * 1536}'")
    assert notes(run, "acquire_lock") == [lock]


def test_a_large_store_is_embedded_over_several_calls(
    run: Run, stored: Stored, place: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(5):
        stored(f"{n} is a number.")
    monkeypatch.setattr(recall_command, "_EMBEDDED_AT_ONCE", 2)
    monkeypatch.setattr(recall_command, "_EMBEDDING_SECONDS", -1)
    assert "5 notes were searched by words alone" in run("recall", "number").stderr
    monkeypatch.setattr(recall_command, "_EMBEDDING_SECONDS", 60)
    assert run("recall", "number").stderr == ""
    assert rows(place, "SELECT count(*) FROM note_vector") == [(5,)]


def test_a_store_that_others_write_to_is_searched_all_the_same(
    run: Run, stored: Stored, place: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vectr_hooks.store.files.BUSY_TIMEOUT_SECONDS", 0.05)
    node = stored(NODE)
    with closing(sqlite3.connect(place.store_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert notes(run, IN_OTHER_WORDS) == [node]
        other.execute("ROLLBACK")


def test_notes_are_narrowed_before_they_are_ranked(run: Run, stored: Stored, place: Project) -> None:
    for n in range(3):
        stored(f"The lock is taken {n} times.")
    one = stored("The lock of the pool.", "--anchor", "src/db/pool.py", "--kind", "gotcha")
    other = stored("The lock of the queue.", "--anchor", "src/net/**", "--tag", "net")
    named = stored("The lock of the queue is fair.", "--anchor", "Queue.take")
    assert notes(run, "lock", "--anchor", "src/db/pool.py", "--limit", "1") == [one]
    assert notes(run, "lock", "--anchor", "src/db") == notes(run, "lock", "--anchor", "./src/db/") == [one]
    assert notes(run, "lock", "--anchor", "src/net/socket.py") == [other]
    assert notes(run, "lock", "--anchor", "Queue.take") == [named]
    assert notes(run, "lock", "--anchor", "src/db", "--tag", "net") == []
    with closing(open_store(place.store_path)) as con:
        con.execute("UPDATE revision SET at = 1000 WHERE note <> ?", (one,))
    assert notes(run, "lock", "--since", "1d") == notes(run, "--since", "1d") == [one]


def test_many_tokens_are_warned_of(run: Run, stored: Stored) -> None:
    for n in range(6):
        stored(f"Rule {n} of the lock. " + "It is long. " * 60)
    done = run("recall", "lock")
    assert len(done.stdout.splitlines()) == 6
    assert "these 6 notes in full are about 1," in done.stderr
    assert "--limit, --kind" in run("recall", "lock", "--full").stderr
    assert run("recall", "lock", "--limit", "1").stderr == ""
    assert json.loads(run("recall", "lock", "--json").stdout)["full_tokens"] > 1000


def test_what_was_revoked_says_so(run: Run, stored: Stored) -> None:
    note = stored(NODE)
    run("revoke", str(note), "--reason", "node 22 works")
    (line,) = run("recall", IN_OTHER_WORDS).stdout.splitlines()
    assert line.startswith(f"#{note} revoked finding")
    assert "node 22 works" in line


@pytest.fixture
def another(home: Path, stored: Stored, run: Run) -> Project:
    """Another project, with a note of its own."""
    folder = home / "another"
    (folder / ".git/refs").mkdir(parents=True)
    (folder / ".git/objects").mkdir()
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    found = init_project(str(folder))
    assert run("remember", NODE, "--project", str(folder)).exit_code == 0
    return found


def test_another_projects_notes_are_read_only_where_it_is_named(
    run: Run, stored: Stored, another: Project
) -> None:
    stored(LOCK)
    assert notes(run, "node") == []
    with closing(sqlite3.connect(another.store_path)) as con:
        before = list(con.iterdump())
    found = json.loads(run("recall", IN_OTHER_WORDS, "--workspace", another.root, "--json").stdout)
    assert [note["body"] for note in found["notes"]] == [NODE]
    assert found["searched_by"] == "words and meaning"
    with closing(sqlite3.connect(another.store_path)) as con:
        assert list(con.iterdump()) == before


def test_another_project_is_refused_where_it_has_no_store_or_is_named_twice(
    run: Run, another: Project, tmp_path: Path
) -> None:
    shutil.rmtree(Path(another.store_path).parent)
    assert "there is no store" in run("recall", "x", "--workspace", another.root).stderr
    done = run("recall", "x", "--workspace", another.root, "--project", another.root)
    assert done.exit_code == 2
