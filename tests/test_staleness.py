from __future__ import annotations

import os
from pathlib import Path

import pytest

from vectr_hooks.staleness import CRC_BYTES, checksum, marks


@pytest.fixture
def watched(tmp_path: Path) -> tuple[str, int, int]:
    file = tmp_path / "a.py"
    file.write_text("one\n")
    return "a.py", 4, checksum(str(file))


def test_a_file_as_it_was_has_no_mark(tmp_path: Path, watched: tuple[str, int, int]) -> None:
    os.utime(tmp_path / "a.py", (0, 0))
    assert marks(str(tmp_path), [watched]) == []


@pytest.mark.parametrize("text", ["two\n", "one\none\n", ""])
def test_a_file_of_other_content_is_marked(tmp_path: Path, watched: tuple[str, int, int], text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    assert marks(str(tmp_path), [watched]) == ["changed since"]


def test_case_30_a_file_that_is_gone_is_marked(tmp_path: Path, watched: tuple[str, int, int]) -> None:
    (tmp_path / "a.py").unlink()
    assert marks(str(tmp_path), [watched]) == ["STALE: path gone"]


def test_of_a_path_the_body_names_only_the_existence_counts(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("anything")
    assert marks(str(tmp_path), [("a.py", -1, 0)]) == []
    assert marks(str(tmp_path), [("b.py", -1, 0), ("c.py", -1, 0)]) == ["STALE: path gone"]


def test_a_pipe_in_the_files_place_does_not_hang(tmp_path: Path, watched: tuple[str, int, int]) -> None:
    (tmp_path / "a.py").unlink()
    os.mkfifo(tmp_path / "a.py")
    assert marks(str(tmp_path), [watched]) == []


def test_a_large_file_is_compared_by_size(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"x" * (CRC_BYTES + 1))
    assert marks(str(tmp_path), [("a.bin", CRC_BYTES + 1, 0)]) == []
    assert marks(str(tmp_path), [("a.bin", CRC_BYTES, 0)]) == ["changed since"]
