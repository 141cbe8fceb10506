"""`fetch` gives lines verbatim, and only of files of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.search.conftest import Tree
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.search.excerpt import Excerpt, excerpt

TEXT = "\ufeffone\r\n\ttwo \r\nthrée\rstill\n\n\x0cfive"


@pytest.fixture
def filled(tree: Tree) -> Tree:
    tree.fill(
        {
            "src/a.py": TEXT,
            "b.py:2": "odd\n",
            "empty.py": "",
            "c:1-2/d.py": "x\ny\nz\n",
            "latin.py": b"\xe9\n",
        }
    )
    return tree


def fetch(tree: Tree, place: str, here: Path | None = None) -> Excerpt:
    return excerpt(str(tree.root), place, str(here or tree.root), str(tree.folder))


@pytest.mark.parametrize(
    ("place", "lines", "text"),
    [
        ("src/a.py", (1, 5), TEXT),
        ("src/a.py:1-5", (1, 5), TEXT),
        ("src/a.py:2", (2, 2), "\ttwo \r\n"),
        ("src/a.py:2-3", (2, 3), "\ttwo \r\nthrée\rstill\n"),
        ("src/a.py:4-", (4, 5), "\n\x0cfive"),
        ("src/a.py:5-900", (5, 5), "\x0cfive"),
        ("b.py:2", (1, 1), "odd\n"),
        ("b.py:2:1", (1, 1), "odd\n"),
        ("c:1-2/d.py:2-2", (2, 2), "y\n"),
        ("empty.py", (1, 0), ""),
        ("empty.py:1", (1, 0), ""),
        ("./src/../src/a.py:5", (5, 5), "\x0cfive"),
        ("latin.py", (1, 1), "é\n"),
    ],
)
def test_lines_are_verbatim(filled: Tree, place: str, lines: tuple[int, int], text: str) -> None:
    found = fetch(filled, place)
    assert (found.first, found.last) == lines
    assert found.text == text
    assert found.is_utf8 == (not place.startswith("latin"))


def test_a_path_may_be_absolute_or_from_the_current_folder(filled: Tree) -> None:
    assert fetch(filled, str(filled.root / "src/a.py")).path == "src/a.py"
    assert fetch(filled, "a.py:2", filled.root / "src").path == "src/a.py"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("nothing.py", "there is no file nothing.py"),
        ("nothing.py:3", "there is no file nothing.py"),
        ("src", "not a regular file"),
        ("src/a.py:6", "has only 5 lines"),
        ("src/a.py:0", "names no lines"),
        ("src/a.py:3-2", "names no lines"),
        ("../secret.py", "lies outside"),
        ("src/../../secret.py:1", "lies outside"),
        ("link.py", "lies outside"),
        ("folder/secret.py", "lies outside"),
        ("/etc/passwd", "lies outside"),
        (".", "lies outside"),
        ("binary", "not a text"),
        ("fifo", "not a regular file"),
    ],
)
def test_what_is_no_text_of_the_project_is_refused(filled: Tree, place: str, message: str) -> None:
    outside = filled.root.parent / "secret.py"
    outside.write_text("KEY = 1\n")
    (filled.root / "link.py").symlink_to(outside)
    (filled.root / "folder").symlink_to(filled.root.parent)
    (filled.root / "binary").write_bytes(b"\0\1")
    os.mkfifo(filled.root / "fifo")
    with pytest.raises(VectrHooksError, match=message) as caught:
        fetch(filled, place)
    assert caught.value.hint


def test_a_link_within_the_project_keeps_its_name(filled: Tree) -> None:
    (filled.root / "alias.py").symlink_to(filled.root / "src/a.py")
    assert fetch(filled, "alias.py:2").path == "alias.py"


def test_it_says_whether_the_file_has_changed_since_it_was_indexed(filled: Tree) -> None:
    assert fetch(filled, "src/a.py").changed is None
    filled.index()
    assert fetch(filled, "src/a.py").changed is False
    filled.write("src/a.py", "new\n", age_s=5)
    assert fetch(filled, "src/a.py").changed is True
    filled.write("new.py", "x\n")
    assert fetch(filled, "new.py").changed is None
    (filled.folder / "code.db").write_bytes(b"damaged" * 1000)
    assert fetch(filled, "src/a.py").changed is None
