"""Questions find whole definitions, in an order that depends on nothing else."""

from __future__ import annotations

import os
import time

import pytest

from tests.search.conftest import Tree, embedder
from tests.search.samples import SAMPLES
from vectr_hooks.embedding import Embedder
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.search.code_terms import code_terms, expression
from vectr_hooks.search.query import Hit, Index

FILES: dict[str, str | bytes] = {path: text for path, (text, _) in SAMPLES.items()} | {
    "docs/locks.md": "# Locks\n\n## Waiting\n\nAcquire the lock before the watcher starts.\n",
    "src/lock.py": (
        "def acquire_lock(path):\n    '''Wait for it.'''\n    while True:\n        try_it(path)\n"
        "        sleep(1)\n\n\n"
        "class HTTPServerPool:\n    def drain(self):\n        for one in self.all:\n            one.close()\n"
        "            log(one)\n"
    ),
    "tests/test_lock.py": "def test_acquire_lock():\n" + "    acquire_lock('a')\n" * 4,
    "db/query.py": "def long():\n" + "    pass\n" * 170 + "    needle_at_the_end()\n",
    "db/中文.py": "def f():\n    '''数据库连接池的大小'''\n    return 1\n    # 2\n    # 3\n    # 4\n",
}


@pytest.fixture
def filled(tree: Tree) -> Tree:
    tree.fill(FILES)
    tree.index(embedder)
    return tree


def found(
    tree: Tree,
    query: str,
    limit: int = 10,
    model: Embedder | None = None,
    languages: tuple[str, ...] = (),
    globs: tuple[str, ...] = (),
) -> list[Hit]:
    with tree.open() as con:
        return Index(str(tree.folder), str(tree.root), con).search(query, limit, model, languages, globs)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("acquire_lock", "acquire_lock"),
        ("acquireLock", "acquire_lock"),
        ("how to acquire a lock", "acquire_lock"),
        ("http server pool drain", "HTTPServerPool"),
        ("HTTPServerPool.drain", "HTTPServerPool"),
        ("Server.Run", "Server.Run"),
        ("needle at the end", "long"),
        ("连接池", "f"),
        ("drain()", "HTTPServerPool"),
    ],
)
@pytest.mark.parametrize("model", [None, embedder()])
def test_the_definition_that_is_meant_comes_first(
    filled: Tree, query: str, name: str, model: Embedder | None
) -> None:
    assert found(filled, query, 1, model)[0].name.split(", ")[0] == name


def test_a_hit_is_a_whole_definition_with_its_lines(filled: Tree) -> None:
    (hit,) = found(filled, "acquire_lock", 1)
    assert (hit.path, hit.first, hit.last, hit.kind, hit.language) == (
        "src/lock.py",
        1,
        5,
        "function",
        "python",
    )
    assert hit.text == "\n".join(str(FILES["src/lock.py"]).split("\n")[:5])
    assert not hit.changed
    (long,) = found(filled, "needle_at_the_end", 1)
    assert (long.first, long.last) == (1, 172)
    assert long.text == str(FILES["db/query.py"]).rstrip("\n")


def test_a_test_comes_after_what_it_tests_unless_tests_are_asked_for(filled: Tree) -> None:
    assert [hit.path for hit in found(filled, "acquire lock")][:1] == ["src/lock.py"]
    assert [hit.path for hit in found(filled, "test acquire lock", 1)] == ["tests/test_lock.py"]


def test_languages_and_globs_narrow_both_ways_of_searching(filled: Tree) -> None:
    for model in (None, embedder()):
        assert {hit.language for hit in found(filled, "lock", model=model, languages=("markdown",))} == {
            "markdown"
        }
        paths = {hit.path for hit in found(filled, "lock server cart", model=model, globs=("src/**", "*.go"))}
        assert paths
        assert all(path.startswith("src/") or path.endswith(".go") for path in paths)
    with pytest.raises(VectrHooksError, match="no indexed file"):
        found(filled, "lock", globs=("nowhere/**",))


def test_meaning_finds_what_shares_no_identifier_part(filled: Tree) -> None:
    vague = "wait wait wait"
    assert [hit.name for hit in found(filled, vague, 3, embedder())]
    assert found(filled, "qqqqzz", 3) == []
    assert len(found(filled, "qqqqzz", 3, embedder())) == 3


def test_another_models_vectors_are_not_compared_with(filled: Tree) -> None:
    assert found(filled, "qqqqzz", 3, embedder("other" * 8)) == []


@pytest.mark.parametrize(
    "query", ['"', "a AND", "NEAR(", "*", "''", "(", "{x}", "-", "name:x", "\0", "😀", " ", "^a", "é" * 500]
)
def test_no_query_is_taken_for_an_expression(filled: Tree, query: str) -> None:
    for model in (None, embedder()):
        found(filled, query, 5, model)


def test_a_changed_or_removed_file_is_told(filled: Tree) -> None:
    assert not any(hit.changed for hit in found(filled, "acquire lock"))
    filled.write("src/lock.py", "x = 1\n", age_s=5)
    assert {hit.path for hit in found(filled, "acquire lock") if hit.changed} == {"src/lock.py"}
    os.unlink(filled.root / "tests/test_lock.py")
    assert {hit.path for hit in found(filled, "acquire lock") if hit.changed} == {
        "src/lock.py",
        "tests/test_lock.py",
    }


def test_the_same_question_has_the_same_answer_and_ids_name_what_they_are(filled: Tree) -> None:
    before = found(filled, "lock", 10, embedder())
    assert found(filled, "lock", 10, embedder()) == before
    assert len({hit.id for hit in before}) == len(before)
    filled.index(embedder, force=True)
    assert found(filled, "lock", 10, embedder()) == before


def test_a_search_meanwhile_sees_one_state(filled: Tree) -> None:
    with filled.open() as con:
        index = Index(str(filled.folder), str(filled.root), con)
        before = index.search("acquire lock", 5, embedder())
        filled.write("src/lock.py", "y = 2\n", age_s=5)
        filled.index(embedder)
        assert [hit.path for hit in index.search("acquire lock", 5, embedder())] != []
    assert before[0].path == "src/lock.py"


def test_terms_are_the_parts_of_identifiers_and_the_whole() -> None:
    assert code_terms("acquireLock(a_b, HTTPServer2)").split() == [
        *("acquire", "lock", "acquirelock", "a", "b", "ab", "http", "server2", "httpserver2")
    ]
    assert code_terms("x" * 100 + " __init__ _") == "init"
    assert expression("the") == '"the"'
    assert '"the"' not in expression("the acquireLock")


@pytest.mark.parametrize(
    ("asked", "finds"), [("hashing", "hasher"), ("parsed", "parser"), ("locks", "lock"), ("cache", "caching")]
)
def test_a_word_finds_others_that_begin_like_it(tree: Tree, asked: str, finds: str) -> None:
    tree.write("a.py", f"def {finds}():\n    pass\n")
    tree.index()
    assert [hit.name for hit in found(tree, asked)] == [finds]


def test_a_query_is_quick(filled: Tree) -> None:
    with filled.open() as con:
        index = Index(str(filled.folder), str(filled.root), con)
        index.search("warm up", 10, embedder())
        began = time.process_time()
        for _ in range(20):
            index.search("how to acquire a lock", 10, embedder())
        assert (time.process_time() - began) / 20 < 0.15
