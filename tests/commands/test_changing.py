"""`forget`, `pin`, `unpin` and `config`: changing what is stored."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Run
from vectr_hooks.project import Project

ROOT = Path(__file__).resolve().parents[2]
Stored = Callable[..., int]


def listed(run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("list", "--json").stdout)["notes"]
    return found


def ids(run: Run) -> list[int]:
    return sorted(note["id"] for note in listed(run))


def test_forget_deletes_the_notes_named(run: Run, stored: Stored) -> None:
    for text in "abc":
        stored(text)
    done = run("forget", "1", "3", "3", "--yes")
    assert done.stdout == "#1 finding forgotten: a\n#3 finding forgotten: c\n"
    assert ids(run) == [2]


def test_forget_all_deletes_all_and_ids_are_not_reused(run: Run, stored: Stored) -> None:
    stored("a")
    stored("b")
    assert json.loads(run("forget", "--all", "--yes", "--json").stdout) == {"version": 1, "forgotten": [1, 2]}
    assert ids(run) == []
    assert stored("c") == 3


def test_forget_names_the_file_of_the_team_that_still_says_it(run: Run, stored: Stored) -> None:
    stored("The canary goes first.")
    stored("Run make lint.")
    run("share", "1")
    assert "git rm" not in run("forget", "2", "--yes").stderr
    done = run("forget", "1", "--yes")
    path = ".vectr/notes/the-canary-goes-first.md"
    assert done.stderr == f"{path} still says it, and so do git and who has it: `git rm {path}`\n"


def test_forget_is_all_or_nothing(run: Run, stored: Stored) -> None:
    stored("a")
    done = run("forget", "1", "2", "--yes")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: there is no note #2\nhint: ")
    assert ids(run) == [1]


def test_forget_refuses_where_nobody_can_be_asked(run: Run, stored: Stored) -> None:
    stored("a")
    done = run("forget", "1", input="y\n")
    assert done.exit_code == 1
    assert done.stderr.endswith("hint: give --yes\n")
    assert ids(run) == [1]


@pytest.mark.parametrize(("answer", "left"), [(b"y\n", []), (b"n\n", [1]), (b"\n", [1])])
def test_forget_asks_at_a_terminal(
    run: Run, place: Project, stored: Stored, answer: bytes, left: list[int]
) -> None:
    stored("a")
    controller, terminal = pty.openpty()
    os.write(controller, answer)
    done = subprocess.run(
        [sys.executable, "-m", "vectr_hooks", "forget", "1"],
        stdin=terminal,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )
    os.close(controller)
    os.close(terminal)
    assert b"#1 finding: a" in done.stderr
    assert ids(run) == left


@pytest.mark.parametrize("arguments", [[], ["1", "--all"], ["x"], ["0"], ["-1"]])
def test_forget_takes_ids_or_all(run: Run, stored: Stored, arguments: list[str]) -> None:
    stored("a")
    assert run("forget", *arguments, "--yes").exit_code == 2
    assert ids(run) == [1]


def test_a_pinned_note_arrives_at_every_boundary_until_it_is_unpinned(run: Run, stored: Stored) -> None:
    stored("a", "--keyword", "deploy")
    pinned = run("pin", "1").stdout
    assert pinned.startswith("#1 finding pinned: a\narrives at session start and after every compaction")
    assert listed(run)[0]["pinned"] is True
    unpinned = run("unpin", "1").stdout
    assert unpinned.startswith("#1 finding not pinned: a\narrives when the prompt says deploy")
    assert listed(run)[0]["pinned"] is False


def test_pinning_again_writes_no_revision(run: Run, stored: Stored) -> None:
    stored("a")
    first = json.loads(run("pin", "1", "--json").stdout)["notes"]
    assert json.loads(run("pin", "1", "--json").stdout)["notes"] == first


def test_pinning_is_all_or_nothing(run: Run, stored: Stored) -> None:
    stored("a")
    assert run("pin", "1", "2").exit_code == 1
    assert listed(run)[0]["pinned"] is False


def test_settings_are_listed_as_yaml_with_what_they_are_for(run: Run) -> None:
    import yaml

    run("config", "set", "budget.turn", "1200")
    text = run("config").stdout
    settings = yaml.safe_load(text)
    assert settings["budget.turn"] == 1200
    assert settings["enabled"] is True
    assert "# changed from 800; tokens all events of one turn may deliver" in text
    assert "# default; " in text


def test_a_setting_is_got_set_and_unset(run: Run) -> None:
    assert run("config", "get", "budget.turn").stdout == "800\n"
    assert run("config", "set", "budget.turn", "1200").stdout == "budget.turn: 1200\n"
    assert json.loads(run("config", "get", "budget.turn", "--json").stdout) == {
        "version": 1,
        "key": "budget.turn",
        "value": 1200,
        "default": 800,
    }
    assert run("config", "unset", "budget.turn").stdout == "budget.turn: 800\n"
    assert json.loads(run("config", "--json").stdout)["settings"]["budget.turn"]["value"] == 800


def test_the_options_of_config_may_stand_before_its_subcommand(run: Run, place: Project) -> None:
    done = run("config", "--project", place.root, "--json", "set", "enabled", "off")
    assert json.loads(done.stdout)["value"] is False
    assert run("config", "get", "enabled").stdout == "false\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["get", "budget.trun"],
        ["set", "budget.trun", "1"],
        ["unset", "budget.trun"],
        ["set", "budget.turn", "much"],
        ["set", "budget.units", "99999"],
        ["set", "enabled", "maybe"],
    ],
)
def test_a_wrong_setting_is_refused_and_changes_nothing(run: Run, arguments: list[str]) -> None:
    before = run("config", "--json").stdout
    done = run("config", *arguments)
    error, hint = done.stderr.splitlines()
    assert done.exit_code == 1
    assert (error[:7], hint[:6]) == ("error: ", "hint: ")
    assert run("config", "--json").stdout == before
