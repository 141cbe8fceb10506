"""What `doctor --fix` does by itself: each puts one thing right that is ours, and tells what it did."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing

from vectr_hooks.diagnosis.finding import Finding, Repair
from vectr_hooks.diagnosis.privacy import files_in, is_private, own_mode
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.registration import change, command_line, scopes
from vectr_hooks.registration.undo import UndoFolder
from vectr_hooks.store import VERSION, backups, derived, upkeep
from vectr_hooks.store.audit import record_error
from vectr_hooks.store.create import open_store
from vectr_hooks.store.files import connect
from vectr_hooks.store.journal import HookError
from vectr_hooks.store.transaction import writing
from vectr_hooks.store.workspace import data_home


def perform(found: Sequence[Finding]) -> tuple[list[str], list[str]]:
    """Do every repair of `found`, in order; what was done, and what could not be."""
    done, failed = [], []
    # Several findings may ask for the same.
    for repair in dict.fromkeys(each.repair for each in found if each.repair):
        try:
            done.append(repair())
        except VectrHooksError as problem:
            failed.append(f"{problem.message} ({problem.hint})" if problem.hint else problem.message)
        # Whatever a damaged store or a strange machine comes up with must not hide the other findings.
        except Exception as problem:
            failed.append(f"{type(problem).__name__}: {problem}")
    return done, failed


def registration(path: str, environ: Mapping[str, str]) -> Repair | None:
    """Write our commands into the settings file at `path` anew; None where git shares it with others."""
    if scopes.is_tracked(path):
        return None
    return _Registration(path, environ)


class _Registration:
    """Equal for one file, so that it is written once."""

    def __init__(self, path: str, environ: Mapping[str, str]) -> None:
        self.path = path
        self.environ = environ

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Registration) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __call__(self) -> str:
        commands = command_line.hook_commands(
            command_line.interpreter(), command_line.hooks_folder(), command_line.set_home(self.environ)
        )
        change.install(self.path, commands, UndoFolder(data_home(self.environ)))
        return f"registered the hooks in {self.path} anew"


def private(folder: str) -> Repair:
    """Keep `folder` (0700) and what is in it (files 0600) for their owner alone."""

    def repair() -> str:
        # Looked up again: a store that was looked at may have files beside it that it had not before.
        wrong = [path for path in files_in(folder) if not is_private(path)]
        for path in wrong:
            os.chmod(path, own_mode(path))
        return f"kept for you alone: {', '.join(wrong)}"

    return repair


def log_written_back(store_path: str) -> Repair:
    def repair() -> str:
        with closing(open_store(store_path)) as con:
            # Whoever reads for longer than this will not be done in a few seconds.
            con.execute("PRAGMA busy_timeout = 1000")
            busy = con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise VectrHooksError(
                f"another program holds the write-ahead log of {store_path}", "end it and try again"
            )
        return f"wrote the write-ahead log back into {store_path}"

    return repair


def search_index_merged(store_path: str) -> Repair:
    def repair() -> str:
        with closing(open_store(store_path)) as con, writing(con):
            con.execute("INSERT INTO note_fts(note_fts) VALUES ('optimize')")
        return "merged the pieces of the search index"

    return repair


def brought_up_to_date(store_path: str) -> Repair:
    return lambda: upkeep.bring_up_to_date(store_path) or f"{store_path} is up to date already"


def derived_again(store_path: str) -> Repair:
    def repair() -> str:
        with upkeep.exclusive(store_path), closing(connect(store_path)) as con:
            # Not verified: what is wrong with it is known.
            backup = backups.save(con, backups.new_path(store_path, VERSION), verify=False).path
            notes = derived.rebuild(con)
        return (
            f"derived triggers and search index of {notes} notes from their revisions again; as it was, "
            f"the store is kept at {backup}"
        )

    return repair


def errors_moved(store_path: str, log: str, errors: Sequence[HookError]) -> Repair:
    """Move what hooks wrote beside the store into it, where it is kept as long as the rest."""

    def repair() -> str:
        with closing(open_store(store_path)) as con, writing(con):
            for each in errors:
                record_error(con, each.event, each.message, each.at)
        os.unlink(log)
        return f"moved {len(errors)} errors from {log} into the store"

    return repair
