"""The program `vectr-hooks`: its commands, each loaded only when it is called, and how it fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from vectr_hooks import __version__, output
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.options import LazyGroup

# Each command's name, module (which calls its click command `command`) and one line of help. The line is
# repeated here so that `--help` need not import every command.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Set up": {
        "init": ("init", "Create the store of this project's notes."),
        "install": ("install", "Register the hooks with Claude Code, or with another host."),
        "uninstall": ("uninstall", "Take the hooks out of the settings of every host."),
        "config": ("config", "Show and change this project's settings."),
        "model": ("model", "Show the embedding model, or fetch another."),
        "status": ("status", "Say what is set up here and whether it works."),
        "doctor": ("doctor", "Find out why notes do not arrive."),
        "demo": ("demo", "Play a recorded session and show what is delivered."),
        "backup": ("backup", "Copy the project's store to a file, and check the copy."),
        "restore": ("restore", "Put a backup in the place of the project's store."),
    },
    "Notes": {
        "remember": ("remember", "Store a note and say when it will arrive."),
        "recall": ("recall", "Search the notes."),
        "list": ("list", "List the notes, and when each was last delivered."),
        "show": ("show", "Show notes whole, with their triggers."),
        "edit": ("edit", "Change notes in an editor."),
        "import": ("import_", "Store the notes in files, all or none."),
        "export": ("export", "Write the notes as files that `import` reads back."),
        "trust": ("trust", "Let the notes that come with a repository be delivered."),
        "share": ("share", "Write a note as a file of the repository, for the team."),
        "revoke": ("revoke", "Have a note delivered as a warning."),
        "reinstate": ("reinstate", "Let a note count as true again."),
        "promote": ("promote", "Raise who stands behind a note, one step."),
        "forget": ("forget", "Delete notes for good, with all their revisions."),
        "pin": ("pin", "Deliver notes at every session start and compaction."),
        "unpin": ("unpin", "Deliver notes by their triggers alone again."),
        "snapshot": ("snapshot", "Give the notes as they are now a name, to read them so later."),
        "snapshots": ("snapshots", "List the snapshots, oldest first."),
    },
    "What arrives": {
        "try": ("try_", "Print exactly what the model would get, recording nothing."),
        "audit": ("audit", "Show the newest events, and what became of every candidate."),
        "stats": ("stats", "Show what the notes cost, and whether they were of use."),
        "resume": ("resume", "Show where the last session of this worktree left off."),
    },
    "Code": {
        "index": ("index", "Make the index of the project's code, or bring it up to date."),
        "search": ("search", "Find code by words and by meaning."),
        "locate": ("locate", "Say where a name is defined, or used."),
        "fetch": ("fetch", "Print lines of a file of the project, as they are now."),
    },
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class Program(LazyGroup):
    """The group of all commands, which prints errors in our form."""

    modules = {name: f"vectr_hooks.commands.{module}" for name, (module, _) in COMMANDS.items()}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), text) for name, (_, text) in commands.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for argument in args:
            # Bytes that are not UTF-8 arrive as lone surrogates, which no store and no model takes.
            if any("\ud800" <= character <= "\udfff" for character in argument):
                raise click.UsageError(f"This argument is not UTF-8: {argument!a}")
        return super().parse_args(ctx, args)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _made_visible():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        try:
            with _made_visible():
                result: object = super().invoke(ctx)
            # Here rather than at exit, where a closed pipe could not be caught.
            click.echo(nl=False)
            return result
        except VectrHooksError as error:
            output.remark(f"error: {error.message}")
            if error.hint:
                output.remark(f"hint: {error.hint}")
            ctx.exit(1)
        except BrokenPipeError:
            # Whoever read the output has seen enough. The interpreter flushes once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(130)
        except Exception as error:
            # Not before: what needs no store does without it.
            import sqlite3

            # A wrong use of the library is a fault of ours.
            if not isinstance(error, sqlite3.DatabaseError) or isinstance(error, sqlite3.ProgrammingError):
                raise
            output.remark(f"error: the store cannot be used: {error}")
            output.remark("hint: `vectr-hooks doctor` says what is wrong with it")
            ctx.exit(1)


@contextmanager
def _made_visible() -> Iterator[None]:
    """Let click say what is wrong with a command line, which it quotes, as everything else is printed."""
    try:
        yield
    except click.UsageError as error:
        said = error.format_message()
        shown = output.visible(said)
        if shown == said:
            raise
        raise click.UsageError(shown, error.ctx) from error


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`vectr-hooks COMMAND --help` explains a command, with an example.",
)
@click.version_option(__version__, prog_name="vectr-hooks")
def program() -> None:
    """Deliver notes to a coding agent through its editor's own hooks.

    A note carries the conditions under which it matters. The hooks evaluate them as the agent works and put
    the notes that apply into its context, again after every compaction.
    """


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character must not turn a listing into a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # Patterns such as src/** are values here, also where click would expand them itself.
    program(prog_name="vectr-hooks", windows_expand_args=False)
