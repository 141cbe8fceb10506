"""The options that say when a note arrives, and the trigger they make."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import click

from vectr_hooks.core.grammar import CONDITIONS, Trigger, parse_trigger, trigger_value
from vectr_hooks.core.kinds import default_clauses
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.yaml_values import YamlError, read_value

# What each condition takes and when it holds.
CONDITION_OPTIONS = {
    "path": ("PATTERN", "An event's file matches, as in a .gitignore: src/db/**, migrations/, *.sql."),
    "event": ("MOMENT", "The moment is this one: pre-edit, post-read, session-start, ..."),
    "symbol": ("NAME", "This identifier is in the prompt, the tool's input or, with --path, the file."),
    "output": ("TEXT", "The tool's result or error holds this text, or matches this /regex/."),
    "keyword": ("TEXT", "The prompt holds this word or phrase."),
    "command": ("WORDS", 'A command of the Bash line starts with these words: "git push".'),
    "tool": ("GLOB", "The tool's name matches."),
    "branch": ("GLOB", "The checked-out branch matches."),
    "subagent": ("GLOB", "It happens in a subagent of a type that matches."),
    "semantic": ("NUMBER", "The prompt is as near to the note in meaning as this: 0.3 to 0.5, at most 1."),
}
STDIN = "-"
TRIGGER_BYTES = 1 << 20

_Function = TypeVar("_Function", bound=Callable[..., object])


def trigger_options(command: _Function) -> _Function:
    """Add the options; the conditions' arrive under their names, each as a tuple."""
    options = [
        click.option(f"--{name}", metavar=metavar, multiple=True, help=text)
        for name, (metavar, text) in CONDITION_OPTIONS.items()
    ]
    options += [
        click.option("--unless", metavar="YAML", help="Conditions that veto: '{branch: main}'."),
        click.option("--trigger", metavar="FILE", help="Read the whole trigger as YAML; `-` is stdin."),
        click.option(
            "--cooldown",
            type=click.IntRange(min=1),
            metavar="TURNS",
            help="Turns before it may arrive again; default: once between two compactions.",
        ),
        click.option(
            "--max-deliveries", type=click.IntRange(min=1), metavar="N", help="At most N a session."
        ),
        click.option("--not-before", metavar="DATE", help="The first day, YYYY-MM-DD in UTC."),
        click.option("--expires", metavar="DATE", help="The last day, YYYY-MM-DD in UTC."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_trigger(
    conditions: Mapping[str, Sequence[str]],
    unless: str | None,
    file: str | None,
    limits: Mapping[str, object],
    *,
    kind: str,
    priority: str,
    anchors: Sequence[str],
) -> Trigger | None:
    """The trigger that the options make; None leaves it to the note's kind.

    `limits` holds the temporal fields, None where not given. With nothing else they restrict what the kind,
    priority and anchors give by default.
    """
    clause: dict[str, object] = {name: list(conditions[name]) for name in CONDITIONS if conditions.get(name)}
    if unless is not None:
        clause["unless"] = read_yaml(unless, "--unless")
    restricting = {name: value for name, value in limits.items() if value is not None}
    if file is not None:
        if clause:
            flags = ", ".join(f"--{name}" for name in clause)
            raise click.UsageError(f"--trigger holds the whole trigger: put {flags} into its YAML.")
        return _restricted(_read_file(file), restricting)
    if clause:
        return parse_trigger({"clauses": [clause], **restricting})
    if restricting:
        return parse_trigger({"clauses": _default(kind, priority, anchors, restricting), **restricting})
    return None


def read_yaml(text: str, name: str) -> object:
    try:
        return read_value(text).plain
    except YamlError as error:
        where = f" at line {error.line}" if error.line else ""
        where += f", column {error.column}" if error.column else ""
        raise VectrHooksError(
            f"{name} is not YAML{where}: {error.problem}", "for example {branch: main}"
        ) from None


def decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise VectrHooksError(f"{name} is not UTF-8: byte {error.start + 1}", "convert it to UTF-8") from None


def _read_file(file: str) -> object:
    name = "stdin" if file == STDIN else file
    try:
        if file == STDIN:
            content = sys.stdin.buffer.read(TRIGGER_BYTES + 1) if sys.stdin else b""
        elif os.path.exists(file) and not os.path.isfile(file):
            raise VectrHooksError(f"{file} is not a regular file", "--trigger takes a file of YAML, or `-`")
        else:
            with open(file, "rb") as opened:
                content = opened.read(TRIGGER_BYTES + 1)
    except OSError as error:
        raise VectrHooksError(
            f"{file} cannot be read: {error.strerror}", "--trigger takes a file of YAML, or `-`"
        ) from None
    if len(content) > TRIGGER_BYTES:
        raise VectrHooksError(f"{name} is larger than a trigger can be", f"at most {TRIGGER_BYTES:,} bytes")
    return read_yaml(decoded(content, name), name)


def _restricted(value: object, restricting: Mapping[str, object]) -> Trigger:
    """The trigger in `value`, with temporal fields given as options beside it."""
    trigger = trigger_value(parse_trigger(value))
    for name in restricting:
        if name in trigger:
            flag = name.replace("_", "-")
            raise click.UsageError(f"--{flag} is in the YAML of --trigger as well: give it once.")
    return parse_trigger(trigger | dict(restricting))


def _default(kind: str, priority: str, anchors: Sequence[str], limits: Mapping[str, object]) -> object:
    clauses = default_clauses(kind, priority, anchors)
    if not clauses:
        flag = "--" + next(iter(limits)).replace("_", "-")
        raise VectrHooksError(
            f"{flag} restricts a trigger, and this {kind} has none",
            "give a condition as well: " + ", ".join(f"--{name}" for name in CONDITION_OPTIONS),
        )
    return trigger_value(Trigger(clauses))["clauses"]
