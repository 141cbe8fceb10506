"""What is installed from the wheel works as the checkout does, and needs nothing of it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
FACT = "The parser keeps line ends as they are."
START = ROOT / "tests/payloads/claude/2.1.332/SessionStart.startup.json"

# One worker builds and installs for all of these.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


class Story(NamedTuple):
    """What a program answered, in order, and what the hook it registered printed."""

    help: str
    init: str
    remember: str
    dry_run: str
    command: str
    delivered: str


def run(words: Sequence[str | Path], folder: Path, **variables: str) -> str:
    """Run a program in `folder`, hold it to exit status 0 and return what it printed."""
    done = subprocess.run(
        words, cwd=folder, env={**os.environ, **variables}, capture_output=True, encoding="utf-8", timeout=240
    )
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel built from that archive alone."""
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], folder)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console script of a fresh environment that holds the wheel and what it depends on."""
    environment = tmp_path_factory.mktemp("an environment")
    run([sys.executable, "-m", "venv", environment], environment)
    python = environment / "bin/python"
    (wheel,) = built.glob("*.whl")
    run([python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", wheel], environment)
    return environment / "bin/vectr-hooks"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The program as this checkout runs it, under the name of the console script."""
    script = tmp_path / "vectr-hooks"
    root, python = shlex.quote(str(ROOT)), shlex.quote(sys.executable)
    script.write_text(f'#!/bin/sh\nPYTHONPATH={root} exec {python} -m vectr_hooks "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


def play(program: Path, project: Path) -> Story:
    """Set the program up in `project`, store a note, and start a session through the registered hook."""

    def ask(*words: str) -> str:
        return run([program, *words], project)

    answers = {
        "help": ask("--help"),
        "init": ask("init"),
        "remember": ask("remember", FACT, "--kind", "directive"),
        "dry_run": ask("install", "--dry-run"),
    }
    assert not (project / ".claude").exists(), "a dry run wrote something"
    ask("install")
    settings = json.loads((project / ".claude/settings.json").read_text(encoding="utf-8"))
    (entry,) = settings["hooks"]["SessionStart"]
    (hook,) = entry["hooks"]
    payload = json.loads(START.read_text(encoding="utf-8")) | {"cwd": str(project)}
    delivered = subprocess.run(
        ["sh", "-c", hook["command"]],
        cwd="/",
        # The client's environment, of which the command must need nothing but the store's place.
        env={name: os.environ[name] for name in ("HOME", "VECTR_HOOKS_HOME")},
        input=json.dumps(payload),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert (delivered.returncode, delivered.stderr) == (0, "")
    return Story(**answers, command=hook["command"], delivered=delivered.stdout)


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("hooks", "templates"):
        ours = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
        expected = {f"vectr_hooks/{path.as_posix()}" for path in ours if path.suffix != ".pyc"}
        assert expected
        assert expected <= names
    assert "vectr_hooks/CLAUDE.md.template" in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"vectr_hooks"}
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]


def test_the_source_archive_can_build_and_test_itself(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    wanted = {
        "Makefile",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "hooks/hooks.json",
        "benchmarks/hook_latency.py",
    }
    assert wanted <= names
    assert {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("*.json")} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".venv")]


def test_the_installed_program_works_as_the_checkout_does(
    installed: Path, checkout: Path, project: Path, home: Path
) -> None:
    ours, theirs = (play(program, fresh(project, home)) for program in (checkout, installed))
    assert FACT in json.loads(theirs.delivered)["hookSpecificOutput"]["additionalContext"]
    assert theirs.delivered == ours.delivered
    assert (theirs.help, theirs.remember) == (ours.help, ours.remember)
    assert within(ROOT, ours.command)
    assert within(installed.parent.parent, theirs.command)
    assert not within(ROOT, theirs.command)
    assert str(installed.parent.parent) in theirs.dry_run


def within(folder: Path, command: str) -> bool:
    """Whether a shell command names a file in `folder`."""
    return any(word.startswith(f"{folder}/") for word in shlex.split(command))


def fresh(project: Path, home: Path) -> Path:
    """`project` again as it was before a program was set up in it."""
    for leftover in (home / "vectr-hooks", project / ".claude", project / ".vectr"):
        shutil.rmtree(leftover, ignore_errors=True)
    (project / ".git/vectr-hooks").unlink(missing_ok=True)
    return project


def test_the_installed_program_names_its_version(installed: Path, tmp_path: Path) -> None:
    from vectr_hooks import __version__

    assert run([installed, "--version"], tmp_path).strip().endswith(__version__)
