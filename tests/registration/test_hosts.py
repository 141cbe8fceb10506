"""Every host's settings take our entries in its own form, and give them back byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from vectr_hooks.cli import program
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import hook_entries, hosts, support
from vectr_hooks.registration.command_line import commands_for, hook_commands, is_hook_command
from vectr_hooks.registration.hosts import HOSTS

OTHERS = [host.name for host in hosts.others()]
README = Path(__file__).parents[2] / "README.md"

# Per host: its file in the project, its own file in the home folder, and an entry of it.
FILES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "codex": (".codex/hooks.json", ".codex/hooks.json", {"type": "command", "timeout": 10}),
    "gemini": (".gemini/settings.json", ".gemini/settings.json", {"type": "command", "timeout": 10_000}),
    "copilot": (
        ".github/hooks/vectr-hooks.json",
        ".copilot/hooks/vectr-hooks.json",
        {"type": "command", "timeoutSec": 10},
    ),
    "qwen": (".qwen/settings.json", ".qwen/settings.json", {"type": "command", "timeout": 10_000}),
    "droid": (".factory/settings.json", ".factory/settings.json", {"type": "command", "timeout": 10}),
    "cursor": (".cursor/hooks.json", ".cursor/hooks.json", {"timeout": 10}),
    "vscode": (".github/hooks/vectr-hooks-vscode.json", "", {"type": "command", "timeout": 10}),
}


@pytest.fixture(autouse=True)
def _in_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    for name in ("CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)


def run(*words: str | Path, status: int = 0) -> Result:
    result = CliRunner().invoke(program, [str(word) for word in words])
    assert result.exit_code == status, result.output
    return result


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def commands_in(host: str, path: Path) -> dict[str, str]:
    """The command of each event, having the form that the host reads."""
    document = json.loads(path.read_text("utf-8"))
    form, (_, _, more) = HOSTS[host].form, FILES[host]
    assert document.get("version", 0) == form.version
    found = {}
    for event, listed in document["hooks"].items():
        (item,) = listed
        if form.grouped:
            assert list(item) == ["hooks"]
            (item,) = item["hooks"]
        found[event] = item.pop("bash" if host == "copilot" else "command")
        assert item == more
    return found


@pytest.mark.parametrize("host", OTHERS)
def test_install_registers_one_command_for_each_event(host: str, project: Path) -> None:
    said = run("install", "--host", host).stdout
    commands = commands_in(host, project / FILES[host][0])
    assert tuple(commands) == HOSTS[host].events
    for event, command in commands.items():
        # A path with a space in it is quoted.
        assert f"/hooks/host.py {host} {event} || " in command.replace("host.py'", "host.py")
        assert command.endswith("exit 0")
        assert is_hook_command(command)
    assert "post-tool" in said
    assert (project / ".git/vectr-hooks").is_file()
    assert "Already installed" in run("install", "--host", host).stdout


@pytest.mark.parametrize("host", [host for host in OTHERS if FILES[host][1]])
def test_the_users_own_file_is_for_all_projects(host: str, home: Path, project: Path) -> None:
    run("install", "--host", host, "--scope", "user")
    assert commands_in(host, home / FILES[host][1])
    assert not (project / FILES[host][0]).exists()
    assert not (project / ".git/vectr-hooks").exists()


@pytest.mark.parametrize("host", OTHERS)
@pytest.mark.parametrize(
    "text", ["", '{"version": 1, "hooks": { }}', '{\r\n\t"a": [1],\r\n\t"hooks": null\r\n}\r\n']
)
def test_uninstall_gives_the_file_back_byte_for_byte(host: str, text: str, project: Path) -> None:
    path = project / FILES[host][0]
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    run("install", "--host", host)
    assert path.read_bytes() != text.encode()
    assert "byte for byte" in run("uninstall", "--host", host).stdout
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("host", OTHERS)
def test_what_others_registered_there_stays(host: str, project: Path) -> None:
    path, form = project / FILES[host][0], HOSTS[host].form
    event = HOSTS[host].events[0]
    theirs: dict[str, Any] = {form.command: "echo theirs"}
    listed = [{"hooks": [theirs]}] if form.grouped else [theirs]
    text = json.dumps({"version": 1, "hooks": {event: listed, "another": listed}}, indent=4)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    run("install", "--host", host)
    document = json.loads(path.read_text("utf-8"))
    assert document["hooks"][event][0] == listed[0]
    assert len(document["hooks"][event]) == 2
    # Somebody changes it meanwhile.
    path.write_text(path.read_text("utf-8").replace("echo theirs", "echo ours"), encoding="utf-8")
    run("uninstall")
    assert path.read_text("utf-8") == text.replace("echo theirs", "echo ours")


def test_uninstall_takes_every_host_out_or_the_one_that_is_named(home: Path) -> None:
    run("init")
    before = snapshot(home)
    for host in HOSTS:
        run("install", "--host", host)
    run("uninstall", "--host", "codex")
    assert not (home / "project/.codex").exists()
    assert (home / "project/.claude/settings.json").exists()
    run("uninstall")
    assert snapshot(home) == before
    assert sorted(path.name for path in (home / "project").iterdir()) == [".git"]


def test_a_file_with_comments_is_refused_though_the_host_may_read_it(project: Path) -> None:
    path = project / ".gemini/settings.json"
    path.parent.mkdir()
    path.write_text('{"theme": "x"} // mine\n', encoding="utf-8")
    said = run("install", "--host", "gemini", status=1).stderr
    assert "a comment, which JSON does not allow\nhint: write it as plain JSON first" in said
    assert path.read_text("utf-8") == '{"theme": "x"} // mine\n'


def test_a_dry_run_changes_nothing(home: Path) -> None:
    said = run("install", "--host", "copilot", "--dry-run").stdout
    assert '+      "bash"' in said.replace("        ", "      ")
    assert not (home / "project/.github").exists()


@pytest.mark.parametrize(("host", "scope"), [("codex", "local"), ("vscode", "user"), ("cursor", "local")])
def test_a_scope_that_a_host_does_not_have_is_refused(host: str, scope: str) -> None:
    said = run("install", "--host", host, "--scope", scope, status=1).stderr
    assert f"{HOSTS[host].title} has no settings for --scope {scope}" in said
    assert "--scope project" in said


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("codex", ".codex/plugins/cache/market/vectr-hooks"),
        ("gemini", ".gemini/extensions/vectr-hooks"),
        ("copilot", ".copilot/installed-plugins/market/vectr-hooks"),
        ("qwen", ".qwen/extensions/vectr-hooks"),
    ],
)
def test_beside_its_own_plugin_a_host_is_not_given_the_hooks_twice(host: str, place: str, home: Path) -> None:
    (home / place).mkdir(parents=True)
    said = run("install", "--host", host, status=1).stderr
    assert f"{place}) registers the hooks; nothing was changed" in said
    assert not (home / "project" / FILES[host][0]).exists()


def test_a_host_may_keep_its_settings_elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home / "elsewhere"))
    run("install", "--host", "codex", "--scope", "user")
    assert (home / "elsewhere/hooks.json").is_file()


def test_who_installs_is_told_what_the_host_asks_for_first(project: Path) -> None:
    assert "/hooks" in run("install", "--host", "codex").stderr
    assert "trusts" in run("install", "--host", "copilot").stderr
    (project / ".factory").mkdir()
    (project / ".factory/hooks.json").write_text("{}", encoding="utf-8")
    assert f"takes hooks from {project}/.factory/hooks.json" in run("install", "--host", "droid").stderr


def test_a_file_that_a_host_would_not_read_is_refused(project: Path) -> None:
    path = project / ".cursor/hooks.json"
    path.parent.mkdir()
    path.write_text('{"hooks": {"sessionStart": {}}}', encoding="utf-8")
    said = run("install", "--host", "cursor", status=1).stderr
    assert "hooks.sessionStart is an object, not a list" in said
    assert "Cursor reads" in said


def test_only_where_our_commands_may_be_does_uninstall_speak_of_a_file_that_it_cannot_read(
    project: Path,
) -> None:
    path = project / ".gemini/settings.json"
    path.parent.mkdir()
    path.write_text("{ // mine\n}", encoding="utf-8")
    assert "left alone" not in run("uninstall").stderr
    path.write_text('{ // mine\n "hooks": "/vectr-hooks/hooks/host.py gemini" }', encoding="utf-8")
    assert f"{path}: line 1, column 3: a comment" in run("uninstall").stderr


def test_in_the_home_folder_a_file_is_named_once(home: Path) -> None:
    run("install", "--host", "codex", "--scope", "user")
    assert [scope for _, scope, _ in hosts.registered(str(home), os.environ)] == ["project"]


@pytest.mark.parametrize("host", OTHERS)
def test_an_installed_command_delivers(host: str, project: Path) -> None:
    run("install", "--host", host)
    run("remember", "Run make lint.", "--kind", "directive")
    event = "UserPromptSubmit" if host == "qwen" else HOSTS[host].events[0]
    command = commands_in(host, project / FILES[host][0])[event]
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": str(project), "prompt": "hello"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], input=json.dumps(payload).encode(), capture_output=True, cwd=project
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Run make lint." in done.stdout


def test_commands_name_nothing_that_changes_from_release_to_release() -> None:
    commands = commands_for("codex", ["SessionStart", "PreCompact"], "/usr/bin/python3", "/opt/x/hooks", "/n")
    assert commands["PreCompact"] == (
        "VECTR_HOOKS_HOME=/n /usr/bin/python3 -I -S /opt/x/hooks/host.py codex PreCompact || exit 0"
    )
    start = hook_commands("/usr/bin/python3", "/opt/x/hooks", "/n")["SessionStart"]
    assert commands["SessionStart"] == start.replace("session_start.py", "host.py codex SessionStart")


def test_a_path_that_is_not_utf_8_is_refused_for_every_host() -> None:
    with pytest.raises(VectrHooksError, match="UTF-8"):
        commands_for("codex", ["PreCompact"], sys.executable, "/opt/\udcff/hooks")


def test_the_form_of_claude_code_is_the_one_for_a_host_that_says_nothing() -> None:
    commands = {"PreCompact": "x"}
    assert hook_entries.plan(None, commands) == hook_entries.plan(None, commands, HOSTS["claude"].form)


def test_every_host_has_its_row_of_support() -> None:
    assert list(support.SUPPORT) == list(HOSTS)
    lines = support.markdown().splitlines()
    assert len(lines) == 2 + len(HOSTS)
    assert {line.count("|") for line in lines} == {len(support.MOMENTS) + 4}
    assert [line for line in lines if "not run" in line] == lines[-2:]


def test_the_readme_has_the_table_of_support_as_it_is() -> None:
    assert support.markdown() in README.read_text("utf-8")
