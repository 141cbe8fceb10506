"""The commands `index`, `search`, `locate` and `fetch`, as they are typed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.secret_samples import TOKENS
from tests.test_security_output import HOSTILE, OBEYED
from vectr_hooks import embedding
from vectr_hooks.cli import program
from vectr_hooks.project import Project, init_project
from vectr_hooks.search.index_file import NAME
from vectr_hooks.search.location import cache_home, index_folder

ROOT = Path(__file__).resolve().parents[2]
SECRET = next(secret for what, secret, _ in TOKENS if what == "GitHub personal")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments, catch_exceptions=False)


def document(*arguments: str, status: int = 0) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == status, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["version"] == 1
    return found


@pytest.fixture
def place(project: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(project)
    (project / "src").mkdir()
    (project / "src/lock.py").write_text("def acquire_lock(path):\n    return path\n")
    (project / "src/use.py").write_text("from lock import acquire_lock\n\nacquire_lock('a')\n")
    (project / "README.md").write_text("# Locks\n\nAcquire them in order.\n")
    return init_project()


@pytest.fixture
def indexed(place: Project) -> Project:
    assert run("index", "--lexical").exit_code == 0
    return place


def test_index_says_what_it_did_and_where_the_index_is(place: Project) -> None:
    first = document("index", "--lexical")
    assert (first["added"], first["files"], first["embedded"]) == (3, 3, 0)
    assert os.path.dirname(os.path.dirname(first["folder"])) == cache_home(dict(os.environ))
    assert first["seconds"] >= 0
    done = run("index", "--lexical")
    assert "3 files (none changed)" in done.stdout
    assert "found by its words alone" in done.stderr


def test_at_a_terminal_it_draws_how_far_it_has_come(place: Project) -> None:
    controller, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "vectr_hooks", "index", "--lexical"],
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm"},
        check=True,
    )
    drawn = os.read(controller, 1 << 16)
    os.close(controller)
    os.close(terminal)
    assert b"reading files" in drawn
    assert b"3/3" in drawn
    assert done.stdout.startswith(b"3 files (3 added): ")


def test_the_cache_is_in_the_platforms_folder_unless_all_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_home({"VECTR_HOOKS_HOME": "/moved"}) == "/moved/cache"
    monkeypatch.setattr("sys.platform", "linux")
    assert cache_home({"HOME": "/nowhere", "XDG_CACHE_HOME": "/c"}) == "/c/vectr-hooks"
    assert cache_home({"HOME": "/nowhere", "XDG_CACHE_HOME": "relative"}) == "/nowhere/.cache/vectr-hooks"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_home({"HOME": "/nowhere"}) == "/nowhere/Library/Caches/vectr-hooks"
    assert index_folder("/c", "id", "/a") != index_folder("/c", "id", "/b")


def test_with_the_model_that_is_shipped_code_is_found_by_meaning(place: Project) -> None:
    made = document("index")
    assert made["embedded"] == made["to_embed"] == made["new_vectors"] > 0
    found = document("search", "obtain mutual exclusion")
    assert found["by_meaning"] is True
    assert found["hits"]
    assert document("search", "obtain mutual exclusion", "--lexical") == {
        "version": 1,
        "hits": [],
        "by_meaning": False,
    }


def test_without_the_model_it_says_so_and_what_was_read(
    place: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedding, "SHIPPED", str(tmp_path))
    done = run("index")
    assert done.exit_code == 0
    assert "3 files (3 added)" in done.stdout
    assert "no vectors were made (the embedding model's" in done.stderr


def test_by_words_alone_nothing_heavy_is_loaded(indexed: Project) -> None:
    program = (
        "import sys; from vectr_hooks.cli import program; program(sys.argv[1:], standalone_mode=False);"
        " print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "search", "--lexical", "lock"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert "src/lock.py" in done.stdout
    assert {"numpy", "onnxruntime", "tokenizers", "tree_sitter", "rich"}.isdisjoint(done.stdout.split())


def test_search_prints_places_and_with_full_the_code(indexed: Project) -> None:
    done = run("search", "acquire_lock", "--limit", "1")
    assert done.stdout == "src/lock.py:1-2 acquire_lock: def acquire_lock(path):\n"
    assert done.stderr == "by words alone: the index has no vectors (`vectr-hooks index` makes them)\n"
    assert "    return path\n" in run("search", "acquire_lock", "--limit", "1", "--full").stdout
    (hit,) = document("search", "acquire_lock", "--path", "src/l*", "--lang", "python")["hits"]
    assert {name: hit[name] for name in ("path", "from", "to", "name", "kind", "changed")} == {
        **{"path": "src/lock.py", "from": 1, "to": 2, "name": "acquire_lock"},
        **{"kind": "function", "changed": False},
    }
    assert run("search", "acquire_lock", "--lexical").stderr == ""


def test_search_says_that_the_index_is_old_or_not_there(place: Project) -> None:
    for command in ("search", "locate"):
        done = run(command, "x")
        assert done.exit_code == 1
        assert (
            done.stderr == "error: this project has no code index yet\nhint: make it by `vectr-hooks index`\n"
        )
    run("index", "--lexical")
    Path("src/lock.py").write_text("def acquire_lock(path):\n    return None\n\n")
    done = run("search", "acquire_lock", "--lexical")
    assert "acquire_lock: def acquire_lock(path): [changed since it was indexed]" in done.stdout
    assert "`vectr-hooks index` brings it up to date" in done.stderr
    assert "nothing was found" in run("search", "qqqqzz", "--lexical").stderr


def test_locate_exits_with_1_where_nothing_is_defined(indexed: Project) -> None:
    done = run("locate", "acquire_lock", "--references")
    assert done.stdout == (
        "src/lock.py:1-2 function acquire_lock\n"
        "src/use.py:1: from lock import acquire_lock\n"
        "src/use.py:3: acquire_lock('a')\n"
    )
    missed = run("locate", "acquireLock")
    assert missed.exit_code == 1
    assert missed.stdout == "uncertain: src/lock.py:1-2 function acquire_lock\n"
    assert "nothing is defined as acquireLock" in missed.stderr
    found = document("locate", "acquireLock", status=1)
    assert (found["definitions"], len(found["uncertain"])) == ([], 1)
    assert "uses left out: 1 (" in run("locate", "acquire_lock", "--references", "--limit", "1").stderr


def test_fetch_writes_the_bytes_of_lines(indexed: Project) -> None:
    Path("crlf.txt").write_bytes("é\r\n\tb\r\nc".encode())
    assert run("fetch", "crlf.txt:2-3").stdout_bytes == b"\tb\r\nc"
    assert document("fetch", "src/lock.py:2")["text"] == "    return path\n"
    Path("src/lock.py").write_text("changed\n")
    assert "has changed since it was indexed" in run("fetch", "src/lock.py").stderr


def test_a_hostile_repository_neither_steers_a_terminal_nor_leaks_a_secret(place: Project) -> None:
    hostile = HOSTILE.replace("\r", "")
    Path("evil.py").write_text(
        f"def evil():\n    '''{hostile} {SECRET}'''\n    needle = 1\n\n", encoding="utf-8"
    )
    Path("a\u202eyp.exe").write_text("needle\n")
    Path("b\x1b[31m.py").write_text("needle = 2\n")
    Path("c\nsrc lock.py:1-2 fake: needle").write_text("needle\n")
    assert run("index", "--lexical").exit_code == 0
    for line in (
        ("search", "needle", "--lexical"),
        ("search", "needle", "--lexical", "--full"),
        ("search", "needle", "--lexical", "--json"),
        ("locate", "evil", "--references"),
        ("locate", "evil", "--json"),
        ("fetch", "evil.py", "--json"),
    ):
        done = run(*line)
        assert not OBEYED.search(done.stdout + done.stderr), line
        assert SECRET not in done.stdout + done.stderr
        assert "fake" not in done.stdout
    assert SECRET not in run("fetch", "evil.py").stdout


def test_an_index_of_another_program_is_named_and_can_be_made_anew(indexed: Project) -> None:
    folder = index_folder(cache_home(dict(os.environ)), indexed.workspace.id, indexed.root)
    Path(folder, NAME).write_bytes(b"x" * 5000)
    done = run("search", "x")
    assert done.exit_code == 1
    assert "the code index cannot be used" in done.stderr
    assert "vectr-hooks index" in done.stderr
    assert run("index", "--lexical").exit_code == 0
    assert run("search", "acquire_lock", "--lexical").exit_code == 0
