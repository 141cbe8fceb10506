"""The program: its help, how it fails, what it loads."""

from __future__ import annotations

import importlib
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from vectr_hooks.cli import COMMANDS, Program, program
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.project import init_project

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("jinja2", "rich", "sqlite_utils", "yaml")


def own(name: str) -> click.Command:
    command: click.Command = importlib.import_module(f"vectr_hooks.commands.{COMMANDS[name][0]}").command
    return command


def failing_with(error: BaseException) -> Program:
    """The program with a single command, which fails."""

    @click.command()
    def command() -> None:
        raise error

    class OfOne(Program):
        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
            return command

    return OfOne()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_the_program_says_of_a_command_what_the_command_says_of_itself(name: str) -> None:
    assert own(name).get_short_help_str(limit=200) == COMMANDS[name][1]
    assert own(name).name in (name, "command")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_shows_an_example_and_the_project_option(name: str) -> None:
    done = CliRunner().invoke(program, [name, "--help"])
    assert done.exit_code == 0
    assert f"vectr-hooks {name}" in done.stdout.partition("Example")[2]
    assert "--project DIR" in done.stdout


def test_the_help_of_the_program_lists_every_command_and_loads_none() -> None:
    script = (
        "import sys; from vectr_hooks.cli import program; program(['--help'], standalone_mode=False);"
        f"print([name for name in sys.modules if name.startswith(('vectr_hooks.commands.', *{HEAVY}))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines.pop() == "[]"
    for name, (_, text) in COMMANDS.items():
        assert any(re.fullmatch(rf"  {name} +{re.escape(text)}", line) for line in lines)


def test_show_loads_nothing_heavy(project: Path) -> None:
    init_project(str(project))
    runner = CliRunner()
    stored = runner.invoke(program, ["remember", "text", "--path", "src/", "--project", str(project)])
    assert stored.exit_code == 0
    script = (
        "import sys; from vectr_hooks.cli import program; program(sys.argv[1:], standalone_mode=False);"
        f"print(sorted(set(sys.modules) & set({HEAVY})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "show", "1", "--project", str(project)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_what_a_user_can_act_on_is_an_error_and_a_hint_on_stderr() -> None:
    done = CliRunner().invoke(failing_with(VectrHooksError("it broke\x1b[2J", "mend it")), ["x"])
    assert done.exit_code == 1
    assert (done.stdout, done.stderr) == ("", "error: it broke\\x1b[2J\nhint: mend it\n")


def test_anything_else_is_a_bug_and_shows_itself() -> None:
    bug = ZeroDivisionError()
    assert CliRunner().invoke(failing_with(bug), ["x"]).exception is bug


def test_an_interrupt_is_quiet() -> None:
    done = CliRunner().invoke(failing_with(KeyboardInterrupt()), ["x"])
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "")


def test_a_reader_that_has_seen_enough_is_no_error(project: Path) -> None:
    init_project(str(project))
    process = subprocess.Popen(
        [sys.executable, "-m", "vectr_hooks", "config"],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, error = process.communicate()
    assert (process.returncode, error) == (0, b"")


def test_characters_that_a_terminal_cannot_show_are_spelled_out(project: Path) -> None:
    init_project(str(project))
    CliRunner().invoke(program, ["remember", "日本 is Japan.", "--project", str(project)])
    process = subprocess.run(
        [sys.executable, "-m", "vectr_hooks", "show", "1"],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "iso8859-1"},
        capture_output=True,
        check=True,
    )
    assert b"\\u65e5\\u672c is Japan" in process.stdout


@pytest.mark.parametrize(
    "arguments", [[], ["frobnicate"], ["list", "--frobnicate"], ["show"], ["recall", "\udcff"]]
)
def test_wrong_usage_exits_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(program, arguments).exit_code == 2


@pytest.mark.parametrize("name", ["list", "status", "config", "recall", "audit", "resume"])
def test_a_folder_without_a_project_says_what_to_do(name: str, home: Path) -> None:
    folder = home / "nothing"
    folder.mkdir()
    done = CliRunner().invoke(program, [name, "--project", str(folder)])
    assert "vectr-hooks init" in done.output
    assert done.exit_code == (0 if name == "status" else 1)


HOSTILE = "\x1b]0;owned\x07"
SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", HOSTILE + " " + SECRET),
        (HOSTILE + " " + SECRET,),
        ("--" + HOSTILE + " " + SECRET,),
        ("list", "--kind", HOSTILE + " " + SECRET),
        ("show", HOSTILE + " " + SECRET),
        ("audit", HOSTILE + " " + SECRET),
    ],
)
def test_what_is_quoted_of_a_wrong_command_line_is_made_visible(arguments: tuple[str, ...]) -> None:
    done = CliRunner().invoke(program, arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith("Usage: ")
    assert "\nError: " in done.stderr
    assert "\\x1b]0;owned\\x07" in done.stderr
    assert SECRET not in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("error", [sqlite3.DatabaseError, sqlite3.OperationalError, sqlite3.IntegrityError])
def test_what_sqlite_refuses_is_an_error_that_leads_to_the_doctor(error: type[Exception]) -> None:
    done = CliRunner().invoke(failing_with(error("it is malformed")), ["x"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == (
        "error: the store cannot be used: it is malformed\n"
        "hint: `vectr-hooks doctor` says what is wrong with it\n"
    )


def test_a_fault_of_ours_is_not_blamed_on_the_store() -> None:
    for error in (sqlite3.ProgrammingError("closed"), ValueError("x")):
        assert CliRunner().invoke(failing_with(error), ["x"]).exception is error
