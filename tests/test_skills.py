"""What skills and guidance tell an agent to type is what the program takes, and what the skill allows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

from vectr_hooks.cli import program
from vectr_hooks.core.budget import tokens
from vectr_hooks.registration import guidance

ROOT = Path(__file__).resolve().parents[1]
SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md"))
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(vectr-hooks [^`]+)`")
HEREDOC = re.compile(r"^(.*) <<'EOF'\n(.*?)^EOF$", re.MULTILINE | re.DOTALL)
LONGEST_DESCRIPTION = 1024
MOST_TOKENS = 1200


def front(text: str) -> dict[str, str]:
    found: dict[str, str] = yaml.safe_load(text.split("---\n")[1])
    return found


def lines(text: str) -> Iterator[tuple[str, str]]:
    """Each command line of a text, and what it gets on standard input."""
    for block in BLOCK.findall(text):
        for line, given in HEREDOC.findall(block):
            yield line, given
        for line in HEREDOC.sub("", block).splitlines():
            if line:
                yield line, ""
    for line in INLINE.findall(BLOCK.sub("", text)):
        yield line, ""


def shown() -> Iterator[tuple[str, str, str]]:
    texts = {path.parent.name: path.read_text(encoding="utf-8") for path in SKILLS}
    for name, text in {**texts, "guidance": guidance.render()}.items():
        for line, given in dict.fromkeys(lines(text)):
            yield name, line, given


SHOWN = list(shown())


def test_there_is_a_skill_to_remember_to_recall_and_to_search() -> None:
    assert [path.parent.name for path in SKILLS] == ["recall", "remember", "search"]
    assert {name for name, _, _ in SHOWN} == {"recall", "remember", "search", "guidance"}


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_says_what_it_is_for_and_is_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    fields = front(text)
    assert set(fields) == {"name", "description", "argument-hint", "allowed-tools"}
    assert fields["name"] == path.parent.name
    assert "Use " in fields["description"]
    assert len(fields["description"]) <= LONGEST_DESCRIPTION
    assert tokens(text) <= MOST_TOKENS


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_allows_the_commands_that_it_shows_and_no_others(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    allowed = front(text)["allowed-tools"].split(", ")
    assert all(re.fullmatch(r"Bash\(vectr-hooks [a-z]+:\*\)", tool) for tool in allowed)
    patterns = [tool.removeprefix("Bash(").removesuffix(":*)") for tool in allowed]
    used = {
        next((pattern for pattern in patterns if fnmatchcase(f"{line} ", f"{pattern} *")), line)
        for line, _ in lines(text)
    }
    assert used == set(patterns)


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, line, _ in SHOWN])
def test_each_command_line_can_be_typed(name: str, line: str) -> None:
    word, command_name, *words = shlex.split(line)
    assert word == "vectr-hooks"
    context = click.Context(program)
    command = program.get_command(context, command_name)
    assert command is not None
    command.make_context(command_name, words, parent=context)


@pytest.mark.parametrize(
    ("line", "given"),
    [
        (line, given)
        for _, line, given in SHOWN
        # These speak of a note or a prompt that is not there.
        if line.startswith("vectr-hooks remember") and not {"--supersedes", "--quote"} & set(line.split())
    ],
)
def test_the_notes_of_the_examples_are_good_ones(
    line: str, given: str, project: Path, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src/db").mkdir(parents=True)
    (project / "src/db/lock.py").write_text("retry_after = acquire_lock()\n", encoding="utf-8")
    monkeypatch.chdir(project)
    stored = CliRunner().invoke(program, [*shlex.split(line)[1:], "--strict"], input=given)
    assert stored.exit_code == 0, stored.output
