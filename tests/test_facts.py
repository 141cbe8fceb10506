"""What triggers can see of an occurrence."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from vectr_hooks.core.model import Facts
from vectr_hooks.core.occurrence import RUN, TOOL_AFTER, TOOL_BEFORE, TOOL_FAILED, Occurrence
from vectr_hooks.core.settings import DEFAULTS
from vectr_hooks.facts import gather, observe
from vectr_hooks.store.workspace import Workspace

See = Callable[..., Facts]


@pytest.fixture
def see(store: sqlite3.Connection, project: Path) -> See:
    """The facts of a Bash command that is about to run in a folder of the project, or has run there."""
    place = Workspace(str(project.resolve()), "", "")
    (project / "src/db").mkdir(parents=True)

    def see(command: str, what: str = TOOL_BEFORE, folder: str = ".") -> Facts:
        event = Occurrence(what, "", mode=RUN, tool="Bash", command=command)
        event.folder = str((project / folder).resolve())
        moment = "post-failure" if what == TOOL_FAILED else f"{what}-run"
        return gather(observe(store, event, place, DEFAULTS), event, (moment,), frozenset(), "")

    return see


def test_a_command_is_also_a_read_and_an_edit_of_the_files_it_names(see: See) -> None:
    facts = see("cp src/a.py src/b.py && cat src/a.py ./src/a.py")
    assert facts.moments == ("pre-run", "pre-read", "pre-edit")
    assert facts.targets == (("pre-read", "src/a.py"), ("pre-edit", "src/b.py"))


def test_a_command_that_names_no_file_only_runs(see: See) -> None:
    facts = see('echo "src/db/pool.py"; cat /etc/passwd ../x')
    assert facts.moments == ("pre-run",)
    assert facts.targets == ()


def test_a_commit_may_read_and_edit_too(see: See) -> None:
    facts = see("git add a && git commit -F b > c")
    assert facts.moments == ("pre-run", "pre-commit", "pre-edit")


def test_a_command_that_failed_is_neither_a_read_nor_an_edit_but_has_its_files(see: See) -> None:
    facts = see("cp a b; cat b", TOOL_FAILED)
    assert facts.moments == ("post-failure",)
    assert facts.targets == (("post-failure", "a"), ("post-failure", "b"))


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cat src/db", "src/db/"),
        ("cat src/db/", "src/db/"),
        ("rm -r gone/", "gone/"),
        ("rm src/db/*.pyc", "src/db/"),
        ("rm gone/*.pyc", "gone/"),
        ("cat src/db/../x", "src/x"),
    ],
)
def test_a_folder_has_a_slash(see: See, command: str, path: str) -> None:
    assert [target for _, target in see(command).targets] == [path]


def test_paths_start_where_the_session_is(see: See, project: Path) -> None:
    assert see("cat pool.py ../x", folder="src/db").targets == (
        ("pre-read", "src/db/pool.py"),
        ("pre-read", "src/x"),
    )
    assert see(f"cat {project.resolve()}/x", folder="src/db").targets == (("pre-read", "x"),)


@pytest.mark.parametrize(
    ("command", "folder", "path"),
    [
        pytest.param("cd src && cat db/a", "src", "src/db/a", id="in the folder it changed to"),
        pytest.param("cat src/db/a; cd src", "src", "src/db/a", id="before it changed folders"),
        pytest.param("cd src/db && cat a", "src/db", "src/db/a", id="two folders down"),
        pytest.param("cd src/./db/ && cat a", "src/db", "src/db/a", id="written otherwise"),
        pytest.param("cd src; cat db/a", ".", "src/db/a", id="in a shell that is taken back"),
        pytest.param("(cd src; cat db/a)", ".", "src/db/a", id="in a subshell"),
        pytest.param("cd .. && cat db/a", "src", "src/db/a", id="one folder up"),
        pytest.param("cd ../src && cat db/a", "src", "src/db/a", id="up and down"),
        pytest.param("cd src && cat db/a && cd ..", ".", "src/db/a", id="there and back"),
        pytest.param("cd . && cat src/db/a", ".", "src/db/a", id="where it was"),
        pytest.param("cd $D && cat /x src/db/a", ".", "", id="nobody knows where"),
    ],
)
def test_a_command_that_has_run_names_its_files_from_where_it_began(
    see: See, command: str, folder: str, path: str
) -> None:
    """The host's folder is the one that the command left the shell in."""
    assert [target for _, target in see(command, TOOL_AFTER, folder).targets] == [path] * bool(path)


def test_a_command_that_failed_is_seen_from_the_folder_it_began_in(see: See) -> None:
    assert see("cd src/db && cat a && false", TOOL_FAILED, ".").targets == (("post-failure", "src/db/a"),)
