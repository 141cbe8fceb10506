"""The commands as a host runs them: by `/bin/sh -c`, from any place, whatever has become of ours."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration.command_line import (
    ENTRY_FILES,
    commands_for,
    hook_commands,
    hooks_folder,
    interpreter,
    is_hook_command,
    plugin_commands,
    set_home,
    starts_directly,
)

HOOKS = Path(hooks_folder())
COULD_NOT_START = {"systemMessage": "vectr-hooks could not start; run: vectr-hooks doctor"}
STUB = """
import os, sys

def main(host, event):
    print(event, os.environ.get("VECTR_HOOKS_HOME", ""), sys.stdin.read())
"""


def run(command: str, **environ: str) -> tuple[int, str]:
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input="{}",
        capture_output=True,
        encoding="utf-8",
        cwd="/",
        env={"PATH": str(Path(sys.executable).parent), **environ},
        timeout=60,
    )
    return done.returncode, done.stdout


def checkout(root: Path) -> Path:
    """A checkout whose hook prints its event."""
    (root / "vectr_hooks").mkdir(parents=True)
    (root / "vectr_hooks/__init__.py").touch()
    (root / "vectr_hooks/hook.py").write_text(STUB, encoding="utf-8")
    shutil.copytree(HOOKS, root / "hooks", ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return checkout(tmp_path / "opt/a b'c")


def installed(root: Path, home: str = "") -> dict[str, str]:
    python = root / "py thon"
    if not python.exists():
        python.symlink_to(sys.executable)
    return hook_commands(str(python), str(root / "hooks"), home)


@pytest.mark.parametrize("name", ["plain", "a b'c", '$(touch x) "`ä', "a\\b;c&d"])
def test_every_command_works_from_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    for event, command in installed(checkout(tmp_path / name)).items():
        assert run(command) == (0, f"{event}  {{}}\n")


def test_a_shell_that_is_not_one_of_posix_reads_the_whole_line() -> None:
    # Codex runs it in the user's own; fish refuses a line with `case` in it, but not in a quoted word.
    hosts = commands_for("codex", ["SessionStart"], "/usr/bin/python3", "/opt/x/hooks")
    for command in (
        *hook_commands("/python3", "/hooks").values(),
        *plugin_commands().values(),
        *hosts.values(),
    ):
        words = shlex.split(command)
        assert not {"case", "$?", "esac", "if", "["} & set(words)
        assert words[-2:] == ["exit", "0"]


def test_a_data_home_that_was_set_is_set_for_the_hook(root: Path) -> None:
    home = str(root / "the home")
    for event, command in installed(root, home).items():
        assert run(command) == (0, f"{event} {home} {{}}\n")


@pytest.mark.parametrize("gone", ["vectr_hooks", "hooks", "py thon"])
def test_what_was_deleted_is_silent_except_that_session_start_tells_the_user(root: Path, gone: str) -> None:
    commands = installed(root)
    shutil.rmtree(root / gone) if (root / gone).is_dir() else (root / gone).unlink()
    said = {event: run(command) for event, command in commands.items()}
    status, text = said.pop("SessionStart")
    assert (status, json.loads(text)) == (0, COULD_NOT_START)
    assert set(said.values()) == {(0, "")}


@pytest.mark.parametrize("ending", ["os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 15)", "os._exit(3)"])
def test_a_hook_that_is_killed_after_its_answer_adds_nothing_to_it(root: Path, ending: str) -> None:
    source = f"import os\ndef main(host, event):\n    print('answer', flush=True)\n    {ending}\n"
    (root / "vectr_hooks/hook.py").write_text(source, encoding="utf-8")
    assert {run(command) for command in installed(root).values()} == {(0, "answer\n")}


@pytest.mark.parametrize("substituted", [False, True], ids=["from the environment", "as text"])
def test_every_command_of_the_plugin_works_from_its_root(root: Path, substituted: bool) -> None:
    for event, (group,) in json.loads((HOOKS / "hooks.json").read_text("utf-8"))["hooks"].items():
        (hook,) = group["hooks"]
        command = hook["command"]
        if substituted:
            command = command.replace("${CLAUDE_PLUGIN_ROOT}", str(root))
        assert run(command, CLAUDE_PLUGIN_ROOT=str(root)) == (0, f"{event}  {{}}\n")
        gone = run(command.replace("${CLAUDE_PLUGIN_ROOT}", "/nowhere").replace(str(root), "/nowhere"))
        assert gone == (
            0,
            json.dumps(COULD_NOT_START, separators=(",", ":")) if event == "SessionStart" else "",
        )


def test_the_manifest_of_the_plugin_holds_these_commands_and_no_other_key() -> None:
    manifest = {
        event: [{"hooks": [{"type": "command", "command": command}]}]
        for event, command in plugin_commands().items()
    }
    text = (HOOKS / "hooks.json").read_text("utf-8")
    assert text == json.dumps({"hooks": manifest}, indent=2) + "\n"


def test_a_command_is_quoted_only_where_it_must_be() -> None:
    commands = hook_commands("/usr/bin/python3", "/opt/x/hooks")
    assert commands["PreCompact"] == "/usr/bin/python3 -I -S /opt/x/hooks/pre_compact.py || exit 0"


def test_a_path_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(VectrHooksError, match="UTF-8"):
        hook_commands("/usr/bin/python3", "/opt/\udcff/hooks")


OURS = [
    *hook_commands("/usr/bin/python3", "/opt/a b'c/vectr-hooks/hooks").values(),
    *hook_commands("/usr/bin/python3", "/gone/hooks", "/home/x y").values(),
    *hook_commands("/v/bin/python", "/site-packages/vectr_hooks/hooks", "/home/x y").values(),
    *hook_commands(r"C:\py\python.exe", r"C:\Users\a b\vectr_hooks\hooks").values(),
    *plugin_commands().values(),
    "python3.9 -I -S /old/vectr-hooks/hooks/pre_tool_use.py --flag 2>/dev/null; true",
]
THEIRS = [
    "python3 -I -S /opt/othertool/hooks/session_start.py || exit 0",
    "python3 -I -S /opt/othertool/hooks/session_start.py || exit 0 # not vectr-hooks",
    *hook_commands("/venvs/vectr-hooks/bin/python", "/opt/my-vectr-hooks.d/hooks").values(),
    "",
    "python3 /x/hooks/pre_tool_use.py",
    "python3 -I -S /x/hooks/other.py || exit 0",
    "python3 -I -S /x/pre_tool_use.py || exit 0",
    "cd /x && python3 -I -S /x/hooks/pre_tool_use.py || exit 0",
    "python3 -I -S /x/hooks/pre_tool_use.py || exit 1",
    "python3 -I -S /x/hooks/pre_tool_use.py",
    "python3 -I -S '/x/hooks/pre_tool_use.py || exit 0",
    "vectr-hooks status",
    "vectr_hooks -I -S /x/hooks/mine.py",
]


@pytest.mark.parametrize("command", OURS)
def test_our_command_is_recognised_whatever_its_place(command: str) -> None:
    assert is_hook_command(command)


@pytest.mark.parametrize("command", THEIRS)
def test_the_command_of_somebody_else_is_not_taken_for_ours(command: str) -> None:
    assert not is_hook_command(command)


def test_the_interpreter_of_a_virtual_environment_is_named_by_its_own_path() -> None:
    assert interpreter() == sys.executable


def test_a_shim_is_replaced_by_the_interpreter_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / "shims/python3"
    shim.parent.mkdir()
    shim.symlink_to(sys.executable)
    behind = sys.executable
    monkeypatch.setattr(sys, "executable", str(shim))
    monkeypatch.setattr(sys, "_base_executable", behind)
    assert interpreter() == behind


def test_scripts_shims_stubs_and_missing_files_do_not_start_directly(tmp_path: Path) -> None:
    script, stub = tmp_path / "python", tmp_path / "WindowsApps/python.exe"
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    stub.parent.mkdir()
    stub.write_bytes(b"")
    assert not any(map(starts_directly, map(str, (script, stub, tmp_path / "none"))))
    assert starts_directly(sys.executable)


def test_a_relative_data_home_is_written_absolute() -> None:
    assert set_home({"VECTR_HOOKS_HOME": "x"}) == str(Path("x").absolute())
    assert set_home({}) == ""


def test_every_entry_file_exists() -> None:
    assert all((HOOKS / file).is_file() for file in ENTRY_FILES.values())
