"""What is read out of a command."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from vectr_hooks.diagnosis.installed import Installed, installed_commands
from vectr_hooks.diagnosis.registrations import Settings
from vectr_hooks.registration.command_line import hook_commands, hooks_folder
from vectr_hooks.registration.hook_entries import Entry


def read(command: str) -> Installed:
    entry = Entry("PreCompact", 0, 0, command)
    (found,) = installed_commands([Settings("user", "/settings.json", (entry,))], os.environ)
    return found


@pytest.mark.parametrize("name", ["plain", "a b'c", "$(x) `y`", "[id]"])
def test_interpreter_entry_file_and_home_are_read_from_what_install_writes(name: str) -> None:
    for event, command in hook_commands(f"/{name}/python", f"/opt/{name}/hooks", f"/home/{name}").items():
        found = read(command)
        assert (found.interpreter, found.home) == (f"/{name}/python", f"/home/{name}"), event
        assert os.path.dirname(found.entry_file) == f"/opt/{name}/hooks"


@pytest.mark.parametrize(
    "command", ["", "-I", "python -I", "'", '"$HOME/python" -I -S /vectr-hooks/hooks/pre_compact.py']
)
def test_what_only_a_shell_can_tell_is_left_open(command: str) -> None:
    found = read(command)
    assert (found.interpreter, found.entry_file, found.missing_file()) == ("", "", "")


@pytest.mark.parametrize("package", ["checkout/vectr_hooks", "site-packages/vectr_hooks"])
def test_the_package_is_missed_where_the_entry_file_would_look_for_it(tmp_path: Path, package: str) -> None:
    place = tmp_path / package
    hooks = place / "hooks" if "site" in package else place.parent / "hooks"
    for file in (hooks / "pre_compact.py", place / "hook.py", tmp_path / "python"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    found = read(hook_commands(str(tmp_path / "python"), str(hooks))["PreCompact"])
    assert found.missing_file() == ""
    assert found.package_root == str(place.parent)
    (place / "hook.py").unlink()
    assert found.missing_file() == str(place / "hook.py")


PLUGIN = Settings("user", "/settings.json", plugin="vectr-hooks@market")


def test_the_commands_of_a_plugin_that_lies_nobody_knows_where_are_tried_on_this_program() -> None:
    found = installed_commands([PLUGIN], os.environ)
    assert len(found) == 7
    assert {os.path.dirname(each.entry_file) for each in found} == {hooks_folder()}


@pytest.mark.parametrize("shape", ["list", "object", "gone", "none"])
def test_the_commands_of_a_plugin_are_those_in_the_folder_that_the_client_names(
    home: Path, tmp_path: Path, shape: str
) -> None:
    folder = tmp_path / "cache/vectr-hooks/0.1.0"
    if shape != "gone":
        folder.mkdir(parents=True)
    entry: object = {"scope": "user", "installPath": str(folder), "version": "0.1.0"}
    plugins = {"vectr-hooks@market": entry if shape == "object" else [{"scope": "x"}, entry]}
    listed = home / ".claude/plugins/installed_plugins.json"
    listed.parent.mkdir(parents=True)
    listed.write_text(json.dumps({"version": 2, "plugins": {} if shape == "none" else plugins}), "utf-8")
    found = installed_commands([PLUGIN], os.environ)
    expected = hooks_folder() if shape in ("gone", "none") else str(folder / "hooks")
    assert {os.path.dirname(each.entry_file) for each in found} == {expected}
