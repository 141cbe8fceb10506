"""The guidance in a project's file for agents: written when asked for, and taken out byte for byte."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vectr_hooks.core.budget import tokens
from vectr_hooks.core.guidance_block import BEGINS, ENDS, with_block
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import guidance
from vectr_hooks.registration.change import Change
from vectr_hooks.registration.undo import UndoFolder

MOST_TOKENS = 400
FILES = {
    "a file of lines": "# Project\n\nRun make.\n",
    "CRLF": "# Project\r\nRun make.\r\n",
    "a byte order mark": "\ufeff# Project\n",
    "no line end": "# Project",
    "an empty file": "",
    "nothing but a line end": "\n",
    "other alphabets": "# Проект\n\n実行: make\n",
}


@pytest.fixture
def undo(home: Path) -> UndoFolder:
    return UndoFolder(str(home / "data"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def uninstall(folder: Path, undo: UndoFolder, dry_run: bool = False) -> list[Change]:
    told: list[str] = []
    changes = list(guidance.uninstall(str(folder), undo, dry_run, told.append))
    assert told == []
    return changes


def test_the_guidance_is_short_and_says_what_it_must() -> None:
    text = guidance.render()
    assert tokens(text) <= MOST_TOKENS
    assert "{{" not in text
    for said in ("search, then save", "already know", "not the pointer", "vectr-hooks remember", "grep"):
        assert said in text


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_it_is_added_once_and_the_file_comes_back(folder: Path, undo: UndoFolder, text: str) -> None:
    file = folder / "AGENTS.md"
    file.write_bytes(text.encode())
    assert guidance.install(str(folder), undo).is_needed
    added = file.read_bytes()
    assert added.decode() == with_block(text, guidance.render())
    assert not guidance.install(str(folder), undo).is_needed
    assert file.read_bytes() == added
    [done] = uninstall(folder, undo)
    assert done.exact
    assert file.read_bytes() == text.encode()
    assert uninstall(folder, undo) == []
    assert not (folder / "CLAUDE.md").exists()


def test_a_file_that_was_made_for_it_goes_again(folder: Path, undo: UndoFolder) -> None:
    guidance.install(str(folder), undo)
    assert (folder / "CLAUDE.md").read_text("utf-8").startswith(BEGINS)
    uninstall(folder, undo)
    assert os.listdir(folder) == []


def test_a_file_that_was_made_for_it_stays_with_what_somebody_added(folder: Path, undo: UndoFolder) -> None:
    guidance.install(str(folder), undo)
    with (folder / "CLAUDE.md").open("a", encoding="utf-8") as file:
        file.write("Mine.\n")
    [done] = uninstall(folder, undo)
    assert not done.exact
    assert Path(done.kept).read_text("utf-8").endswith("Mine.\n")
    assert (folder / "CLAUDE.md").read_text("utf-8") == "Mine.\n"


def test_what_changed_meanwhile_stays(folder: Path, undo: UndoFolder) -> None:
    file = folder / "CLAUDE.md"
    file.write_text("# Project", encoding="utf-8")
    guidance.install(str(folder), undo)
    file.write_text(file.read_text("utf-8").replace("# Project", "# Our project"), encoding="utf-8")
    uninstall(folder, undo)
    assert file.read_text("utf-8") == "# Our project"


def test_an_older_version_is_replaced_in_its_place(
    folder: Path, undo: UndoFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "CLAUDE.md"
    file.write_text("above\n", encoding="utf-8")
    current = guidance.render()
    monkeypatch.setattr(guidance, "render", lambda: "older\n")
    guidance.install(str(folder), undo)
    file.write_text(f"{file.read_text('utf-8')}below\n", encoding="utf-8")
    monkeypatch.setattr(guidance, "render", lambda: current)
    assert guidance.install(str(folder), undo).is_needed
    assert file.read_text("utf-8") == f"above\n\n{BEGINS}\n{current}\n{ENDS}\nbelow\n"
    uninstall(folder, undo)
    assert file.read_text("utf-8") == "above\n\nbelow\n"


@pytest.mark.parametrize(
    ("there", "written"),
    [
        ((), "CLAUDE.md"),
        (("AGENTS.md",), "AGENTS.md"),
        (("CLAUDE.md", "AGENTS.md"), "CLAUDE.md"),
    ],
)
def test_the_file_that_is_there_is_written_to(
    folder: Path, undo: UndoFolder, there: tuple[str, ...], written: str
) -> None:
    for name in there:
        (folder / name).write_text("# Project\n", encoding="utf-8")
    assert guidance.install(str(folder), undo).path == str(folder / written)


@pytest.mark.parametrize(
    ("host", "written"), [("codex", "AGENTS.md"), ("gemini", "GEMINI.md"), ("qwen", "QWEN.md")]
)
def test_another_host_gets_it_where_it_looks(folder: Path, undo: UndoFolder, host: str, written: str) -> None:
    (folder / "CLAUDE.md").write_text("# Project\n", encoding="utf-8")
    assert guidance.install(str(folder), undo, host).path == str(folder / written)
    assert [change.path for change in uninstall(folder, undo)] == [str(folder / written)]
    assert os.listdir(folder) == ["CLAUDE.md"]


def test_a_file_that_has_it_already_is_the_one(folder: Path, undo: UndoFolder) -> None:
    (folder / "AGENTS.md").write_text("# Project\n", encoding="utf-8")
    guidance.install(str(folder), undo)
    (folder / "CLAUDE.md").write_text("@AGENTS.md\n", encoding="utf-8")
    assert not guidance.install(str(folder), undo).is_needed
    assert [change.path for change in uninstall(folder, undo)] == [str(folder / "AGENTS.md")]


def test_a_link_stays_one_and_its_file_is_written_once(folder: Path, undo: UndoFolder) -> None:
    (folder / "AGENTS.md").write_text("# Project\n", encoding="utf-8")
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    guidance.install(str(folder), undo)
    assert (folder / "CLAUDE.md").is_symlink()
    assert (folder / "AGENTS.md").read_text("utf-8").count(BEGINS) == 1
    assert len(uninstall(folder, undo)) == 1
    assert (folder / "CLAUDE.md").is_symlink()
    assert (folder / "AGENTS.md").read_text("utf-8") == "# Project\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"caf\xe9\n", "not UTF-8"),
        ("# Project\n".encode("utf-16"), "not UTF-8"),
        ("# Project\n".encode("utf-16-le"), "NUL bytes"),
        (f"{BEGINS}\nhalf\n".encode(), "not one pair: line 1"),
        (f"{BEGINS}\n{ENDS}\n{BEGINS}\n{ENDS}\n".encode(), "not one pair: line 1, 2, 3, 4"),
    ],
)
def test_what_it_cannot_read_for_sure_is_refused_and_stays(
    folder: Path, undo: UndoFolder, content: bytes, why: str
) -> None:
    file = folder / "CLAUDE.md"
    file.write_bytes(content)
    with pytest.raises(VectrHooksError, match=why) as refused:
        guidance.install(str(folder), undo)
    assert str(file) in refused.value.message
    assert file.read_bytes() == content


def test_broken_markers_do_not_keep_the_rest_from_being_taken_out(folder: Path, undo: UndoFolder) -> None:
    (folder / "CLAUDE.md").write_text(f"{ENDS}\n{BEGINS}\n", encoding="utf-8")
    (folder / "AGENTS.md").write_text(f"a\n\n{BEGINS}\nx\n{ENDS}\n", encoding="utf-8")
    told: list[str] = []
    [done] = guidance.uninstall(str(folder), undo, False, told.append)
    assert done.path == str(folder / "AGENTS.md")
    assert (folder / "AGENTS.md").read_text("utf-8") == "a\n"
    [line] = told
    assert str(folder / "CLAUDE.md") in line
    assert line.endswith("It was left alone.")


def test_a_dry_run_changes_nothing(folder: Path, undo: UndoFolder, home: Path) -> None:
    change = guidance.install(str(folder), undo, dry_run=True)
    assert f"+{BEGINS}" in change.diff().splitlines()
    assert os.listdir(folder) == []
    guidance.install(str(folder), undo)
    [change] = uninstall(folder, undo, dry_run=True)
    assert f"-{BEGINS}" in change.diff().splitlines()
    assert (folder / "CLAUDE.md").exists()


def test_nothing_is_kept_once_it_is_out(folder: Path, undo: UndoFolder, home: Path) -> None:
    (folder / "CLAUDE.md").write_text("# Project\n", encoding="utf-8")
    guidance.install(str(folder), undo)
    (folder / "CLAUDE.md").write_text("# Project\n", encoding="utf-8")
    assert uninstall(folder, undo) == []
    undo.tidy_up()
    assert not (home / "data").exists()
