"""A settings file is edited whole or not at all, and comes back byte for byte."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import change, settings_file
from vectr_hooks.registration.command_line import hook_commands
from vectr_hooks.registration.undo import UndoFolder

COMMANDS = hook_commands("/v/bin/python", "/opt/x/vectr-hooks/hooks")
MOVED = hook_commands("/v/bin/python", "/opt/y/vectr-hooks/hooks")
THEIRS = '{"matcher": "", "hooks": [{"type": "command", "command": "echo"}]}'
FILES = {
    "others' hooks": f'{{\n  "hooks": {{\n    "PreToolUse": [{THEIRS}],\n    "Stop": []\n  }}\n}}\n',
    "a byte order mark": '\ufeff{"a": 1}',
    "CRLF and tabs": '{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}\r\n',
    "hooks: null": '{ "hooks" : null }',
    "hooks: {}": '{"hooks": { }, "a":1}',
    "an empty array": '{"hooks": {"PreCompact": [\n]}}',
    "an empty object": "{\n}\n",
    "an empty file": "",
    "nothing but a line end": "\r\n",
    "no line end": '{\n    "a": 1\n}',
}


@pytest.fixture
def undo(home: Path) -> UndoFolder:
    return UndoFolder(str(home / "data"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "project/.claude/settings.json"


def write(path: Path, text: str) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path.read_bytes()


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_install_twice_and_uninstall_gives_the_file_back(path: Path, undo: UndoFolder, text: str) -> None:
    original = write(path, text)
    assert change.install(str(path), COMMANDS, undo).is_needed
    installed = path.read_bytes()
    assert not change.install(str(path), COMMANDS, undo).is_needed
    assert path.read_bytes() == installed != original
    assert change.uninstall(str(path), undo).exact
    assert path.read_bytes() == original
    assert not change.uninstall(str(path), undo).is_needed


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_the_original_comes_back_after_the_installation_moved(
    path: Path, undo: UndoFolder, text: str
) -> None:
    original = write(path, text)
    for commands in (COMMANDS, MOVED, COMMANDS):
        change.install(str(path), commands, undo)
    change.uninstall(str(path), undo)
    assert path.read_bytes() == original


def test_a_file_and_folder_that_install_made_are_gone_afterwards(path: Path, undo: UndoFolder) -> None:
    path.parent.parent.mkdir()
    change.install(str(path), COMMANDS, undo)
    change.install(str(path), MOVED, undo)
    assert change.uninstall(str(path), undo).after is None
    assert list(path.parent.parent.iterdir()) == []


def test_a_folder_that_holds_something_else_by_now_stays(path: Path, undo: UndoFolder) -> None:
    path.parent.parent.mkdir()
    change.install(str(path), COMMANDS, undo)
    (path.parent / "theirs").touch()
    change.uninstall(str(path), undo)
    assert [entry.name for entry in path.parent.iterdir()] == ["theirs"]


def test_what_was_changed_since_is_kept_and_the_rest_is_as_before(path: Path, undo: UndoFolder) -> None:
    write(path, '{"hooks": { }, "a":1}')
    change.install(str(path), COMMANDS, undo)
    path.write_text(path.read_text("utf-8").replace('"a":1', '"a":2'), "utf-8")
    done = change.uninstall(str(path), undo)
    assert not done.exact
    assert path.read_text("utf-8") == '{"hooks": { }, "a":2}'


def test_a_reinstallation_over_changes_gives_back_the_changed_file(path: Path, undo: UndoFolder) -> None:
    write(path, '{"hooks": { }, "a":1}')
    change.install(str(path), COMMANDS, undo)
    path.write_text(path.read_text("utf-8").replace('"a":1', '"a":2'), "utf-8")
    change.install(str(path), MOVED, undo)
    assert change.uninstall(str(path), undo).exact
    assert path.read_text("utf-8") == '{"hooks": { }, "a":2}'


def test_without_the_record_our_entries_are_still_removed(path: Path, undo: UndoFolder, home: Path) -> None:
    original = write(path, FILES["CRLF and tabs"])
    change.install(str(path), COMMANDS, undo)
    done = change.uninstall(str(path), UndoFolder(str(home / "another")))
    assert path.read_bytes() == original
    assert not done.exact


@pytest.mark.parametrize("suffix", ["json", "original"])
@pytest.mark.parametrize("content", [None, b"", b"[]", b'{"original": 1'])
def test_a_damaged_record_counts_as_none(
    path: Path, undo: UndoFolder, suffix: str, content: bytes | None
) -> None:
    original = write(path, '{"a": 1}')
    change.install(str(path), COMMANDS, undo)
    (record,) = Path(undo.folder).glob(f"*.{suffix}")
    record.unlink() if content is None else record.write_bytes(content)
    change.uninstall(str(path), undo)
    assert path.read_bytes() == original


def test_what_is_kept_for_undoing_is_private(path: Path, undo: UndoFolder) -> None:
    write(path, '{"env": {"TOKEN": "x"}}')
    change.install(str(path), COMMANDS, undo)
    folder = Path(undo.folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_every_change_is_preceded_by_a_backup(path: Path, undo: UndoFolder) -> None:
    original = write(path, '{"a": 1}')
    change.install(str(path), COMMANDS, undo)
    (backup,) = Path(undo.folder).glob("*.previous")
    assert backup.read_bytes() == original
    edited = write(path, path.read_text("utf-8") + " ")
    change.uninstall(str(path), undo)
    assert backup.read_bytes() == edited


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_the_mode_is_kept(path: Path, undo: UndoFolder, mode: int) -> None:
    write(path, "{}")
    path.chmod(mode)
    change.install(str(path), COMMANDS, undo)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    change.uninstall(str(path), undo)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_stays_and_its_target_is_edited(path: Path, undo: UndoFolder, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles/claude.json"
    original = write(target, '{"a": 1}')
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    change.install(str(path), COMMANDS, undo)
    assert path.is_symlink()
    assert b"pre_compact.py" in target.read_bytes()
    change.uninstall(str(path), undo)
    assert path.is_symlink()
    assert target.read_bytes() == original


def test_a_link_that_leads_nowhere_leads_nowhere_again(path: Path, undo: UndoFolder, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "later.json")
    change.install(str(path), COMMANDS, undo)
    assert (tmp_path / "later.json").is_file()
    change.uninstall(str(path), undo)
    assert path.is_symlink()
    assert not path.exists()


REFUSED = {
    "a comment": (b'{\n  "a": 1 // one\n}', "line 2, column 10: a comment"),
    "a trailing comma": (b'{"a": [1,]}', "line 1, column 9: a trailing comma"),
    "a list": (b'{"hooks": []}', "hooks is a list"),
    "another encoding": ('{"ä": 1}'.encode("utf-16"), "is not UTF-8"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_refused_file_is_named_and_untouched(
    path: Path, undo: UndoFolder, content: bytes, message: str
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    before = path.stat()
    with pytest.raises(VectrHooksError) as refusal:
        change.install(str(path), COMMANDS, undo)
    assert str(path) in refusal.value.message
    assert message in refusal.value.message
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (content, before.st_mtime_ns)
    assert not list(Path(undo.folder).glob("*.json"))


def test_what_is_no_regular_file_is_refused_without_waiting(path: Path, undo: UndoFolder) -> None:
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(VectrHooksError, match="not a regular file"):
        change.install(str(path), COMMANDS, undo)


def test_a_file_in_the_place_of_the_folder_is_an_error_that_names_it(path: Path, undo: UndoFolder) -> None:
    write(path.parent, "")
    with pytest.raises(VectrHooksError, match=r"\.claude"):
        change.install(str(path), COMMANDS, undo)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_refused(path: Path, undo: UndoFolder) -> None:
    write(path, "{}")
    path.chmod(0o444)
    with pytest.raises(VectrHooksError, match="read-only"):
        change.install(str(path), COMMANDS, undo)


@pytest.mark.parametrize("before", [None, b"{}"])
def test_a_file_that_somebody_changed_meanwhile_is_left_alone(path: Path, before: bytes | None) -> None:
    written = write(path, '{"theirs": 1}')
    for after in (b"ours", None):
        with pytest.raises(VectrHooksError, match="changed by another program"):
            settings_file.replace(str(path), before, after)
    assert path.read_bytes() == written
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_a_dry_run_changes_nothing_at_all(path: Path, undo: UndoFolder, home: Path) -> None:
    original = write(path, '{"a": 1}')
    planned = change.install(str(path), COMMANDS, undo, dry_run=True)
    assert (path.read_bytes(), list(home.iterdir())) == (original, [])
    change.install(str(path), COMMANDS, undo)
    assert path.read_bytes() == planned.after
    kept = {file: file.read_bytes() for file in Path(undo.folder).iterdir()}
    assert change.uninstall(str(path), undo, dry_run=True).after == original
    assert path.read_bytes() == planned.after
    assert {file: file.read_bytes() for file in Path(undo.folder).iterdir()} == kept


def test_a_diff_shows_lines_without_marks_of_their_ends(path: Path, undo: UndoFolder) -> None:
    write(path, '{\r\n  "a": 1\r\n}')
    lines = change.install(str(path), COMMANDS, undo, dry_run=True).diff().split("\n")
    assert lines[:5] == [f"--- {path}", f"+++ {path}", "@@ -1,3 +1,82 @@", " {", '-  "a": 1']
    assert '+  "a": 1,' in lines
    assert lines[-1] == " }  (no line end)"


def test_installations_at_the_same_time_register_once(path: Path, undo: UndoFolder) -> None:
    write(path, "{}")
    runs = [
        threading.Thread(target=change.install, args=(str(path), COMMANDS, UndoFolder(str(undo.folder))))
        for _ in range(4)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert path.read_bytes() == change.install(str(path), COMMANDS, undo).after
    assert path.read_text("utf-8").count("pre_compact.py") == 1


def test_tidying_up_leaves_no_folder_but_what_somebody_is_at_work_on(path: Path, undo: UndoFolder) -> None:
    change.install(str(path), COMMANDS, undo)
    undo.tidy_up()
    assert any(Path(undo.folder).glob("*.json"))
    change.uninstall(str(path), undo)
    with undo.locked(str(path)):
        undo.tidy_up()
        assert any(Path(undo.folder).glob("*.lock"))
    undo.tidy_up()
    assert not Path(undo.folder).exists()
