"""The index is what the files are, however it came about."""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.search.conftest import DIMENSIONS, Tree, embedder
from tests.search.samples import SAMPLES
from vectr_hooks import embedding
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.search import build as building
from vectr_hooks.search.index_file import NAME, used_slots
from vectr_hooks.search.location import at_work, make_folder
from vectr_hooks.search.query import Hit, Index
from vectr_hooks.search.vectors import open_rows, vectors_path

ROOT = Path(__file__).resolve().parents[2]
FILES: dict[str, str | bytes] = {path: text for path, (text, _) in SAMPLES.items()}
QUERIES = ("cart total", "Server.Run", "Ring", "what is to be bought", "port", "view title handler")


def content(con: sqlite3.Connection) -> list[object]:
    """All that an index says, without the numbers of its rows."""
    tables = (
        "SELECT path, digest, language, left_out FROM file ORDER BY path",
        "SELECT path, first, last, shown_first, shown_last, name, kind, rank, text,"
        " chunk.digest, slot IS NULL FROM chunk JOIN file ON file.id = chunk.file ORDER BY path, first",
        "SELECT path, name, qualified, kind, first, last, line"
        " FROM symbol JOIN file ON file.id = symbol.file ORDER BY path, line, qualified",
        "SELECT path, name, lines FROM reference JOIN file ON file.id = reference.file ORDER BY path, name",
        "SELECT key, value FROM about ORDER BY key",
    )
    return [con.execute(statement).fetchall() for statement in tables]


def answers(tree: Tree, folder: Path) -> list[list[Hit]]:
    with tree.open(folder) as con:
        index = Index(str(folder), str(tree.root), con)
        return [index.search(query, 10, embedder()) for query in QUERIES]


def sound(con: sqlite3.Connection) -> None:
    assert con.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    (chunks,) = con.execute("SELECT count(*) FROM chunk").fetchone()
    assert con.execute("SELECT count(*) FROM chunk_fts").fetchone() == (chunks,)
    for table in ("chunk", "symbol", "reference"):
        assert con.execute(f"SELECT 1 FROM {table} WHERE file NOT IN (SELECT id FROM file)").fetchall() == []


def test_a_first_run_counts_what_it_did_and_the_next_does_nothing(tree: Tree) -> None:
    tree.fill(FILES)
    first = tree.index(embedder)
    assert (first.added, first.changed, first.removed, first.unchanged) == (len(FILES), 0, 0, 0)
    assert first.counts["embedded"] == first.counts["to_embed"] == first.new_vectors > len(FILES)

    def never() -> None:
        raise AssertionError("there is nothing to embed")

    second = tree.index(never)  # type: ignore[arg-type]
    assert (second.added, second.changed, second.removed, second.unchanged) == (0, 0, 0, len(FILES))
    assert second.counts == first.counts


@pytest.mark.parametrize("seed", range(4))
def test_after_any_changes_the_index_is_as_if_made_anew(tree: Tree, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    tree.fill(FILES)
    tree.index(embedder)
    for step in range(4):
        for path in chance.sample(sorted(FILES), 3):
            file = tree.root / path
            match chance.choice(["edit", "delete", "move", "put back", "ignore", "touch", "binary"]):
                case "edit" if file.exists():
                    lines = file.read_text(errors="replace").split("\n")
                    lines.insert(chance.randrange(len(lines)), f"changed{step}")
                    tree.write(path, "\n".join(lines), age_s=10 + step)
                case "delete" if file.exists():
                    file.unlink()
                case "move" if file.exists():
                    file.rename(file.with_name(f"moved{step}_{file.name}"))
                case "ignore":
                    tree.write(
                        ".gitignore", chance.choice(["*.py\n", "/web\n", "", "src/*.c*\n"]), age_s=10 + step
                    )
                case "touch" if file.exists():
                    os.utime(file, (time.time() - 100 - step,) * 2)
                case "binary":
                    tree.write(path, b"\0\1\2", age_s=10 + step)
                case _:
                    tree.write(path, FILES[path])
        tree.index(chance.choice([embedder, embedder, None]))
    tree.index(embedder)
    fresh = tmp_path / "cache/workspace/fresh"
    tree.index(embedder, folder=fresh)
    with tree.open() as grown, tree.open(fresh) as made:
        sound(grown)
        assert content(grown) == content(made)
        path = vectors_path(str(tree.folder), embedder().hash)
        rows = open_rows(path, DIMENSIONS)
        # Every vector is that of its chunk, whichever row it came to stand in.
        other = open_rows(vectors_path(str(fresh), embedder().hash), DIMENSIONS)
        by_place = (
            "SELECT slot FROM chunk JOIN file ON file.id = chunk.file"
            " WHERE slot IS NOT NULL ORDER BY path, first"
        )
        slots, others = ([slot for (slot,) in con.execute(by_place)] for con in (grown, made))
        assert (rows[slots] == other[others]).all()
        assert len(set(slots)) == len(slots)
    assert answers(tree, tree.folder) == answers(tree, fresh)


def test_what_is_written_again_with_the_same_size_and_time_is_noticed(tree: Tree) -> None:
    tree.write("a.py", "def one(): pass\n", age_s=0)
    before = os.stat(tree.root / "a.py")
    tree.index()
    (tree.root / "a.py").write_text("def two(): pass\n")
    os.utime(tree.root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert tree.index().changed == 1


def test_a_touched_file_is_read_and_keeps_everything(tree: Tree) -> None:
    tree.fill(FILES)
    tree.index(embedder)
    for path in FILES:
        os.utime(tree.root / path, (time.time() - 50,) * 2)
    done = tree.index(embedder)
    assert (done.changed, done.unchanged, done.new_vectors) == (0, len(FILES), 0)


def test_one_changed_function_gets_one_new_vector(tree: Tree) -> None:
    body = "def f{0}():\n" + "    x = {0}\n" * 6 + "\n\n"
    tree.write("a.py", "".join(body.format(n) for n in range(20)))
    tree.index(embedder)
    tree.write("a.py", "".join(body.format(n) for n in range(20)).replace("x = 7", "y = 7"), age_s=10)
    assert tree.index(embedder).new_vectors == 1


def test_freed_rows_are_used_again(tree: Tree) -> None:
    tree.fill(FILES)
    tree.index(embedder)
    path = vectors_path(str(tree.folder), embedder().hash)
    size = os.path.getsize(path)
    for n in range(6):
        tree.write("shop/cart.py", f"{FILES['shop/cart.py']!s}\n".replace("Cart", f"Cart{n}"), age_s=20 - n)
        tree.index(embedder)
    # The rows that a run frees are left to the next.
    assert os.path.getsize(path) <= size + 10 * DIMENSIONS * 4
    with tree.open() as con:
        assert len(used_slots(con)) == con.execute("SELECT count(*) FROM chunk WHERE rank >= 0").fetchone()[0]


def test_another_model_makes_all_vectors_anew(tree: Tree) -> None:
    tree.fill(FILES)
    first = tree.index(embedder)
    second = tree.index(lambda: embedder("other" * 8))
    # A model is only loaded where vectors are missing.
    assert second.new_vectors == 0
    tree.write("a.py", "def f(): pass\n")
    third = tree.index(lambda: embedder("other" * 8))
    assert third.new_vectors == third.counts["to_embed"] == first.counts["to_embed"] + 1
    assert [path.name for path in tree.folder.glob("vectors-*")] == ["vectors-otherotherothero.f32"]


@pytest.mark.parametrize("loss", ["removed", "cut"])
def test_lost_vectors_are_made_again(tree: Tree, loss: str) -> None:
    tree.fill(FILES)
    first = tree.index(embedder)
    path = Path(vectors_path(str(tree.folder), embedder().hash))
    if loss == "removed":
        path.unlink()
    else:
        os.truncate(path, 3 * DIMENSIONS * 4 + 5)
    lost = first.counts["to_embed"] - (0 if loss == "removed" else 3)
    assert tree.index(embedder).new_vectors == lost


def test_without_a_model_the_words_are_indexed_and_vectors_come_later(tree: Tree) -> None:
    tree.fill(FILES)
    assert tree.index().counts["embedded"] == 0
    with tree.open() as con:
        assert Index(str(tree.folder), str(tree.root), con).search("cart total", 1)[0].path == "shop/cart.py"
    assert tree.index(embedder).new_vectors > 0


def test_what_was_read_is_counted_where_there_is_no_model(tree: Tree) -> None:
    tree.fill(FILES)
    assert tree.index(lambda: None).added == len(FILES)


def test_a_disk_without_room_is_said(tree: Tree) -> None:
    """As far as a limit on the size of files is one: the vectors do not fit."""
    tree.fill(FILES)
    tree.index()
    wide = embedding.Embedder("wide", 1 << 20, lambda texts: [bytes(1 << 22) for _ in texts])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, hard))
    try:
        with pytest.raises(VectrHooksError, match="cannot be written"):
            tree.index(lambda: wide)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert tree.index(embedder).new_vectors > 0


AS_NOBODY = """
import os, sys
from tests.search.conftest import embedder
from vectr_hooks.search.build import build
from vectr_hooks.search.index_file import counts, read_index
from vectr_hooks.search import symbols, tree_outline, python_outline, prose_outline, walk
import filelock, concurrent.futures, encodings.latin_1, encodings.utf_8_sig
folder, root = sys.argv[1:]
if not os.getuid():
    os.setuid(65534)
"""


@pytest.mark.skipif(os.name != "posix", reason="about the rights of users")
def test_an_index_that_cannot_be_written_can_be_searched(tree: Tree) -> None:
    tree.fill(FILES)
    tree.index()
    for name in os.listdir(tree.folder):
        os.chmod(tree.folder / name, 0o444)
    for folder in [tree.folder, *tree.folder.parents][: len(tree.folder.parts) - 2]:
        os.chmod(folder, 0o555)
    program = AS_NOBODY + "with read_index(folder) as con: print(counts(con)['files'])"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tree.folder), str(tree.root)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    os.chmod(tree.folder, 0o755)
    assert done.stdout == f"{len(FILES)}\n", done.stderr


@pytest.mark.skipif(os.name != "posix", reason="about the rights of users")
def test_a_folder_that_cannot_be_listed_is_told(tree: Tree) -> None:
    tree.fill({"open/a.py": "a = 1\n", "closed/b.py": "b = 1\n"})
    os.chmod(tree.root / "closed", 0)
    for folder in [tree.root, *tree.root.parents][: len(tree.root.parts) - 2]:
        os.chmod(folder, 0o755)
    program = AS_NOBODY + "u = []; print([*walk.files_below(root, u)], u)"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tree.folder), str(tree.root)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    os.chmod(tree.root / "closed", 0o755)
    assert done.stdout == "['open/a.py'] ['closed/']\n", done.stderr


LEFT_OUT = {
    "a.bin": (b"\x7fELF\0\0", "binary"),
    "a.dat": (b"\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f" * 20, "binary"),
    "empty.py": (b" \n\t\n", "empty"),
    "pb.go": (b"// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n", "generated"),
    "long.md": (b"# @generated\n# " + b"generated " * 50_000, "generated"),
    "a.c": (b"/*\n * @generated by a tool\n */\nint a;\n", "generated"),
    "one.js": (b"var a=1;" * 1000, "minified"),
    "mean.css": (b"\n".join([b"a{b:c}" * 100] * 5), "minified"),
    "big.py": (b"x = 1\n" * 200_000, "too large"),
    "big.json": (b'{"a": 1}\n' * 20_000, "too large"),
}


def test_what_is_no_source_is_left_out_with_its_reason(tree: Tree) -> None:
    tree.fill({path: text for path, (text, _) in LEFT_OUT.items()})
    tree.write("kept.py", '"""A code generator."""\nTEXT = "@generated, do not edit"\n')
    tree.write("kept.md", "A paragraph on one line. " * 100)
    tree.write("kept.json", '{"a": 1}\n' * 100)
    tree.write("latin.py", "# é\nx = 1\n".encode("latin-1"))
    tree.write("migration.py", "# Generated by Django 5.2 on 2026-01-01\nx = 1\n")
    tree.index()
    with tree.open() as con:
        reasons = dict(con.execute("SELECT path, left_out FROM file"))
    expected = {path: why for path, (_, why) in LEFT_OUT.items()}
    kept = ("kept.py", "kept.md", "kept.json", "latin.py", "migration.py")
    assert reasons == expected | dict.fromkeys(kept, "")


def test_data_is_searched_by_its_words_alone(tree: Tree) -> None:
    tree.fill({"a.json": '{"colour": "blue"}\n', "b.py": "x = 1\n"})
    assert tree.index(embedder).counts["to_embed"] == 1


def test_the_index_is_for_its_owner_alone(tree: Tree) -> None:
    tree.fill(FILES)
    tree.index(embedder)
    assert os.stat(tree.folder).st_mode & 0o777 == 0o700
    assert os.stat(tree.folder.parent).st_mode & 0o777 == 0o700
    modes = {path.name: os.stat(path).st_mode & 0o777 for path in tree.folder.iterdir()}
    assert set(modes.values()) == {0o600}, modes


def test_a_second_run_says_who_is_at_work(tree: Tree) -> None:
    make_folder(str(tree.folder), str(tree.root))
    with at_work(str(tree.folder)), pytest.raises(VectrHooksError, match=rf"process {os.getpid()}, since 20"):
        tree.index()
    tree.index()


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 100, "version", "zeros"])
def test_an_index_that_cannot_be_used_is_made_anew(tree: Tree, damage: bytes | str) -> None:
    tree.fill(FILES)
    counts = tree.index().counts
    path = tree.folder / NAME
    if damage == "version":
        with closing(sqlite3.connect(path)) as con:
            con.execute("PRAGMA user_version = 99")
    elif damage == "zeros":
        path.write_bytes(bytes(path.stat().st_size))
    else:
        assert isinstance(damage, bytes)
        path.write_bytes(damage)
    with pytest.raises(VectrHooksError, match="code index") as caught, tree.open():
        pass
    assert "vectr-hooks index" in caught.value.hint
    assert tree.index().counts == counts
    with tree.open() as con:
        sound(con)


def test_damage_within_is_said_and_mended_by_force(tree: Tree) -> None:
    tree.fill({f"a{n}.py": f"def f{n}():\n    return {n}\n" * 30 for n in range(30)})
    tree.index()
    path = tree.folder / NAME
    with open(path, "r+b") as file:
        file.seek(8192)
        file.write(os.urandom(path.stat().st_size - 8192))
    with pytest.raises(VectrHooksError, match="cannot be used"), tree.open() as con:
        Index(str(tree.folder), str(tree.root), con).search("f1", 10)
    tree.index(force=True)
    with tree.open() as con:
        sound(con)


def test_force_reads_everything_again(tree: Tree) -> None:
    tree.fill(FILES)
    counts = tree.index(embedder).counts
    done = tree.index(embedder, force=True)
    assert (done.added, done.new_vectors, done.counts) == (len(FILES), counts["to_embed"], counts)


def test_the_folder_of_a_worktree_that_is_gone_is_removed(tree: Tree, tmp_path: Path) -> None:
    tree.fill(FILES)
    gone = tree.folder.with_name("code-gone")
    make_folder(str(gone), str(tmp_path / "gone"))
    other = tree.folder.with_name("code-other")
    make_folder(str(other), str(tmp_path))
    tree.index()
    assert sorted(path.name for path in tree.folder.parent.iterdir()) == ["code", "code-other"]


SLOW_RUN = """
import sys, time
sys.path.insert(0, {root!r})
from tests.search.conftest import embedder
from vectr_hooks.search import build
build._COMMIT_FILES = 3
build._VECTORS_AT_ONCE = 4
def slow(what, done, total):
    print(what, flush=True)
    time.sleep(0.02)
build.build({folder!r}, {tree!r}, embedder, slow)
"""


def test_a_run_killed_at_any_moment_is_gone_on_with(tree: Tree, tmp_path: Path) -> None:
    tree.fill(FILES)
    tree.fill({f"more/m{n}.py": f"def f{n}():\n    return {n}\n" for n in range(30)})
    chance = random.Random(1)
    program = SLOW_RUN.format(root=str(ROOT), folder=str(tree.folder), tree=str(tree.root))
    kills = 0
    for _ in range(5):
        run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
        assert run.stdout is not None
        if not run.stdout.readline():
            break
        time.sleep(chance.uniform(0, 0.12))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        kills += run.returncode == -signal.SIGKILL
        with tree.open() as con:
            sound(con)
    assert kills >= 2
    last = tree.index(embedder)
    assert last.unchanged > 0
    fresh = tmp_path / "cache/workspace/fresh"
    tree.index(embedder, folder=fresh)
    with tree.open() as grown, tree.open(fresh) as made:
        assert content(grown) == content(made)
    assert answers(tree, tree.folder) == answers(tree, fresh)


def test_what_is_done_is_told_as_it_goes_on(tree: Tree) -> None:
    tree.fill(FILES)
    told: list[tuple[str, int, int]] = []
    building.build(str(tree.folder), str(tree.root), embedder, lambda *said: told.append(said))
    assert [said[0] for said in told] == sorted((said[0] for said in told), reverse=True)
    assert {said[0] for said in told} == {building.READING, building.EMBEDDING}
    assert told[-1][1] == told[-1][2] > 0
