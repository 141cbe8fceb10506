"""Other projects' stores: those whose project is gone, and a copy of this one that shares its notes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping

from vectr_hooks.diagnosis.finding import Finding, ok, warning
from vectr_hooks.store import inspection
from vectr_hooks.store.files import DELETED
from vectr_hooks.store.workspace import Workspace, home_folder, locate, store_path

SUBJECT = "projects"
MOST_SHOWN = 3


def check_orphans(data_home: str, own_id: str) -> Iterator[Finding]:
    """Name stores whose project is not where it was."""
    orphans = sorted(_orphans(os.path.join(data_home, "workspaces"), own_id))
    for root, folder in orphans[:MOST_SHOWN]:
        yield ok(
            SUBJECT,
            f"{root} is gone; its notes are in {folder}",
            "if it was moved they are still its own; if it was deleted, delete them",
        )
    if len(orphans) > MOST_SHOWN:
        yield ok(SUBJECT, f"so are {len(orphans) - MOST_SHOWN} other projects with notes in {data_home}")
    for folder in _half_deleted(os.path.join(data_home, "workspaces")):
        yield warning(SUBJECT, f"{folder} still holds what `uninstall --purge` was to delete", "delete it")


def check_copy(place: Workspace, store: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Say when another folder has this project's id, as one that was copied with it has."""
    root = inspection.owner(store)[1]
    other = locate(root, home_folder(environ)) if os.path.isdir(root) else None
    if other and other.id == place.id and not os.path.samefile(other.id_file, place.id_file):
        yield warning(
            SUBJECT,
            f"{other.root} and {place.root} share one id and so their notes",
            f"if one is a copy, delete its id ({other.id_file} or {place.id_file})"
            " and run `vectr-hooks init` there",
        )


def _half_deleted(folder: str) -> list[str]:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in sorted(names) if DELETED in name]


def _orphans(folder: str, own_id: str) -> Iterator[tuple[str, str]]:
    for id in os.listdir(folder) if os.path.isdir(folder) else ():
        path = store_path(os.path.dirname(folder), id)
        if id == own_id or DELETED in id or not os.path.isfile(path):
            continue
        try:
            root = inspection.owner(path)[1]
        except sqlite3.Error:
            continue
        if root and not os.path.isdir(root):
            yield root, os.path.dirname(path)
