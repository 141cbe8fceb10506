"""What the documentation shows is what the program does."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import get_args

import click
import pytest

from docs import generated
from vectr_hooks.cli import program
from vectr_hooks.core import model, settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md")]
PAGES = [page for page in [*PAGES, *sorted((ROOT / "docs").glob("*.md"))] if page.exists()]
PACKAGE = ROOT / "vectr_hooks"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(vectr-hooks [^`]+)`")
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")


def blocks(text: str) -> Iterator[str]:
    """The lines of blocks for a shell."""
    for block in SHELL.findall(text):
        yield from re.sub(r"\\\n *", " ", block).splitlines()


def mentions(text: str) -> Iterator[str]:
    """What stands between backquotes in a sentence."""
    yield from (" ".join(line.split()) for line in INLINE.findall(FENCED.sub("", text)))


def named_in(module: Path) -> Iterator[str]:
    """What stands between backquotes in the texts of `module`, with `X` for what is filled in."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts = [
            str(part.value) if isinstance(part, ast.Constant) else "X"
            for part in parts
            if isinstance(part, (ast.Constant, ast.FormattedValue))
        ]
        yield from (" ".join(line.split()) for line in INLINE.findall("".join(texts)))


def shown(find: Callable[[str], Iterator[str]]) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for line in find(page.read_text(encoding="utf-8")):
            if line.startswith("vectr-hooks "):
                yield page.name, line


def leaf(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that a command line is for, and what is left of the line."""
    command: click.Command = program
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            break
        command, words = found, words[1:]
    assert command is not program, f"there is no command {words[:1]}"
    return command, words


@pytest.mark.parametrize(("page", "line"), list(dict.fromkeys(shown(blocks))))
def test_every_command_line_in_a_block_can_be_typed(
    page: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = list(takewhile(lambda word: word not in ("|", "&&", ">"), shlex.split(line, comments=True)[1:]))
    for word in words:
        # Files and folders that the line is about.
        if re.fullmatch(r"[\w./-]+\.(md|json|db)", word):
            (tmp_path / word.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / word.lstrip("/")).touch()
        elif word.endswith("/") or word == ".cursor/rules":
            (tmp_path / word).mkdir(parents=True, exist_ok=True)
    command, rest = leaf([word.replace("~", str(tmp_path)) for word in words])
    (tmp_path / ".claude/projects/-home-ann-shop").mkdir(parents=True, exist_ok=True)
    command.make_context("vectr-hooks", rest)


@pytest.mark.parametrize(("page", "line"), list(dict.fromkeys(shown(mentions))))
def test_every_command_and_option_that_is_named_exists(page: str, line: str) -> None:
    command, rest = leaf(line.split()[1:])
    options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    named = {word.partition("=")[0] for word in rest if word.startswith("--")}
    assert named <= {*options, "--help", "--version"}


def test_every_command_and_option_that_the_program_names_exists() -> None:
    lines = {line for module in PACKAGE.rglob("*.py") for line in named_in(module)}
    # Others stand for any command.
    lines = {line for line in lines if re.match("vectr-hooks [a-z]", line)}
    assert len(lines) > 50
    for line in sorted(lines):
        command, rest = leaf(line.split()[1:])
        options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        named = {word.partition("=")[0] for word in rest if word.startswith("--")}
        assert named <= {*options, "--help", "--version"}, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        found = (page.parent / target).resolve()
        assert found.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            ids = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert anchor[1:] in ids, anchor


def test_every_condition_has_cases_that_fire_and_cases_that_nearly_do() -> None:
    for condition in (*generated.conditions(), "unless"):
        assert len(generated.trigger_cases(condition).splitlines()) > 3, condition


def test_the_outcomes_that_are_explained_are_those_there_are() -> None:
    text = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    table = text.partition("| outcome | it means |")[2].partition("\n\n")[0]
    explained = re.findall(r"^\| ([a-z ]+) \|", table, re.MULTILINE)
    assert sorted(explained) == sorted(set(get_args(model_statuses())) - {"matched"})


def model_statuses() -> object:
    namespace: dict[str, object] = {}
    source = Path(model.__file__).read_text(encoding="utf-8")
    (found,) = re.findall(r"^    Status = (Literal\[.*?\])", source, re.MULTILINE | re.DOTALL)
    exec(f"from typing import Literal\nStatus = {found}", namespace)
    return namespace["Status"]


def test_every_setting_is_explained() -> None:
    assert set(settings.DOCUMENTED) == set(settings.DEFAULTS)
    assert all(f"`{key}`" in generated.setting_table() for key in settings.DEFAULTS)
