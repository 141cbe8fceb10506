"""`vectr-hooks demo`: a recorded session played through the real hooks, and what each event brought."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

import vectr_hooks
from vectr_hooks import caller, output
from vectr_hooks.commands.audit.listing import outcome_fields
from vectr_hooks.commands.install import compile_hook_path, first_note
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import json_option, project_option

if TYPE_CHECKING:
    from rich.console import Console

    from vectr_hooks.commands.demo_playback import Answer, Played, Scratch

PREFIX = "vectr-hooks-demo-"


@click.command("demo")
@click.option("--pause", is_flag=True, help="Wait for Enter after each step (at a terminal).")
@click.option("--keep", is_flag=True, help="Keep the scratch project and say where it is.")
@project_option
@json_option
def command(pause: bool, keep: bool, project: str | None, as_json: bool) -> None:
    """Play a recorded session and show what is delivered.

    Two days of work on a small project run through the hooks as they would be installed, in a temporary
    folder with a store of its own. Nothing else is touched, and nothing is left behind; --project only goes
    into the commands that are proposed in the end.

    \b
    Examples:
      vectr-hooks demo
      vectr-hooks demo --pause
    """
    if as_json:
        with scratch_folder(keep) as folder:
            output.json_result(recital(folder, keep))
        return
    from vectr_hooks.commands.demo_screen import PipedConsole

    console = PipedConsole(highlight=False, markup=False, emoji=False)
    pausing = pause and console.is_terminal and caller.at_terminal()
    if pause and not pausing:
        output.remark("not at a terminal: --pause is ignored")
    with scratch_folder(keep) as folder:
        if pausing:
            perform(console, folder, project, before_step=waiting(console))
        else:
            perform(console, folder, project)


def perform(
    console: Console,
    folder: str,
    project: str | None = None,
    *,
    before_step: Callable[[], None] = lambda: None,
) -> None:
    """Play the session in the empty `folder` and draw it on `console`; every note lost is an error."""
    from vectr_hooks.commands.demo_playback import play, stored_notes
    from vectr_hooks.commands.demo_screen import Screen
    from vectr_hooks.commands.demo_session import SETTINGS

    scratch = prepared(folder)
    screen = Screen(console)
    screen.opening(stored_notes(scratch), SETTINGS)
    played: list[Played] = []
    for step in play(scratch):
        before_step()
        if not played or played[-1].session != step.session:
            screen.session(step.session.title)
        screen.step(step)
        played.append(step)
    before_step()
    screen.closing(played, stored_notes(scratch))
    screen.next_steps(next_commands(project))
    refuse_loss(played)


def recital(folder: str, keep: bool) -> dict[str, object]:
    """Play the session in the empty `folder`; what each hook process did, as plain values."""
    from vectr_hooks.commands.demo_playback import play, stored_notes, totals

    scratch = prepared(folder)
    played = list(play(scratch))
    refuse_loss(played)
    return {
        "notes": [output.note_fields(note) for note in stored_notes(scratch)],
        "steps": [_answer_fields(step, answer) for step in played for answer in step.answers],
        "compactions": [asdict(step.survival) for step in played if step.survival],
        "totals": asdict(totals(played)),
        "kept": folder if keep else None,
    }


def _answer_fields(step: Played, answer: Answer) -> dict[str, object]:
    return {
        "step": step.number,
        "session": step.session.id,
        "action": f"{step.step.who}: {step.step.did}",
        "event": answer.told.name,
        "subagent": answer.told.subagent,
        "injected": answer.text,
        "tokens": answer.tokens,
        "ms": round(answer.ms, 1),
        "outcomes": [outcome_fields(outcome) for outcome in answer.event.outcomes],
    }


def prepared(folder: str) -> Scratch:
    from vectr_hooks.commands.demo_playback import set_up

    # As `install` does, so that the first hooks take no longer than the others.
    compile_hook_path(os.path.dirname(os.path.abspath(vectr_hooks.__file__)))
    return set_up(folder)


def refuse_loss(played: list[Played]) -> None:
    lost = [f"#{note}" for step in played if step.survival for note in step.survival.missing]
    if lost:
        raise VectrHooksError(
            f"the compaction lost {' '.join(lost)}",
            "`vectr-hooks demo --keep` leaves the store for a closer look",
        )


@contextmanager
def scratch_folder(keep: bool) -> Iterator[str]:
    """A new temporary folder, removed in the end unless it is to be kept."""
    from vectr_hooks.commands.demo_playback import data_home, project_root

    folder = os.path.realpath(tempfile.mkdtemp(prefix=PREFIX))
    try:
        yield folder
    finally:
        if keep:
            place = f"VECTR_HOOKS_HOME={shlex.quote(data_home(folder))}"
            output.remark(f"kept: {folder}")
            output.remark(
                f"look: {place} {caller.program_name()} audit --project {shlex.quote(project_root(folder))}"
            )
        else:
            shutil.rmtree(folder, ignore_errors=True)


def next_commands(project: str | None) -> list[tuple[str, str]]:
    """What to type next, each with what it does."""
    program = caller.program_name()
    where = f" --project {shlex.quote(project)}" if project else ""
    return [
        (
            f"{program} install{where}",
            "registers the hooks with Claude Code (`uninstall` takes them out again)",
        ),
        (first_note(project), "stores a first note"),
    ]


def waiting(console: Console) -> Callable[[], None]:
    """Wait for Enter, and take the line that asks for it away again."""
    from rich.control import Control
    from rich.segment import ControlType

    def wait() -> None:
        try:
            console.input("\n[dim]    Enter goes on[/dim]", markup=True)
        except EOFError:
            return
        console.control(
            *(Control((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2)) for _ in range(2))
        )

    return wait
