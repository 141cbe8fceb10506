"""Makes the index and keeps it up to date; may be ended at any moment and goes on from there."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.search import index_file, sources, vectors
from vectr_hooks.search.chunks import AFTER_OTHERS, chunks
from vectr_hooks.search.index_file import Known, transaction
from vectr_hooks.search.languages import SECTION, Language, is_test, language_of
from vectr_hooks.search.location import at_work, make_folder
from vectr_hooks.search.outline import all_of, outline
from vectr_hooks.search.walk import Found, files_below

if TYPE_CHECKING:
    from vectr_hooks.embedding import Embedder

#: told what is being done, how far it has come, and how far it has to go
Told = Callable[[str, int, int], object]

READING = "reading files"
EMBEDDING = "making vectors"

# What a killed run loses at most, and how long a search may have to wait.
_COMMIT_SECONDS = 1.0
_COMMIT_FILES = 200
_VECTORS_AT_ONCE = 64
_MOST_WORKERS = 4
# File systems keep times as coarse as this.
_COARSE_NS = 2_000_000_000


@dataclass
class Summary:
    """What a run has done, and what the index holds after it."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    new_vectors: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)


def build(
    folder: str,
    root: str,
    load_model: Callable[[], Embedder | None] | None,
    told: Told,
    *,
    force: bool = False,
) -> Summary:
    """Bring the index in `folder` up to date with the files below `root`: words first, then vectors.

    Without `load_model`, or where it gives None, vectors are left as they are. It is called when the words
    are done.
    """
    make_folder(folder, root)
    with at_work(folder):
        try:
            with closing(index_file.write_index(folder, anew=force)) as con:
                return _Run(con, folder, root, told).bring_up_to_date(load_model)
        except sqlite3.OperationalError as error:
            raise VectrHooksError(
                f"the code index cannot be written: {error}", f"check the room and the rights in {folder}"
            ) from error
        except sqlite3.DatabaseError as error:
            raise index_file.damaged(error) from error
        except OSError as error:
            raise VectrHooksError(
                f"the code index cannot be written: {error.strerror or error}",
                f"check the room and the rights in {folder}",
            ) from error


class _Run:
    def __init__(self, con: sqlite3.Connection, folder: str, root: str, told: Told) -> None:
        self._con = con
        self._folder = folder
        self._root = root
        self._told = told
        self._summary = Summary()

    def bring_up_to_date(self, load_model: Callable[[], Embedder | None] | None) -> Summary:
        used = index_file.used_slots(self._con)
        self._read_files()
        try:
            if load_model is not None and self._lacks_vectors() and (model := load_model()) is not None:
                self._embed(model, used)
        finally:
            self._summary.counts = index_file.counts(self._con)
            self._summary.left_out = index_file.left_out(self._con)
        return self._summary

    def _read_files(self) -> None:
        con, summary = self._con, self._summary
        found = files_below(self._root, summary.unreadable)
        known = index_file.known_files(con)
        ahead = [
            path for path, file in found.items() if path not in known or not _is_as_known(file, known[path])
        ]
        gone = [path for path in known if path not in found]
        summary.unchanged = len(found) - len(ahead)
        if not ahead and not gone and index_file.about(con, "finished"):
            return
        with transaction(con):
            index_file.set_about(con, "finished", "")
            for path in gone:
                index_file.remove_file(con, known[path].id)
            summary.removed = len(gone)
        at = 0
        while at < len(ahead):
            self._told(READING, at, len(ahead))
            with transaction(con):
                give_up = time.monotonic() + _COMMIT_SECONDS
                for path in ahead[at : at + _COMMIT_FILES]:
                    self._take_in(path, found[path], known.get(path))
                    at += 1
                    if time.monotonic() > give_up:
                        break
        self._told(READING, at, at)
        with transaction(con):
            index_file.set_about(con, "finished", "1")

    def _take_in(self, path: str, file: Found, before: Known | None) -> None:
        """Read a file that is new or may have changed, and put what is in it in the place of what was."""
        con, summary = self._con, self._summary
        settled = time.time_ns() - file.modified_ns > _COARSE_NS
        language = language_of(path)
        why, content, text = "", b"", ""
        try:
            if file.size > sources.LARGEST_BYTES:
                raise sources.Unfit(sources.LARGE)
            content = sources.read(self._root, path)
            text = sources.text_of(content, language)
        except sources.Unfit as unfit:
            why = str(unfit)
        digest = blake2b(content, digest_size=16).digest()
        if before and before.digest == digest and before.left_out == why:
            index_file.restamp(con, before.id, file.stamp, settled)
            summary.unchanged += 1
            return
        if why == sources.UNREADABLE:
            summary.unreadable.append(path)
        slots = index_file.remove_file(con, before.id) if before else {}
        id = index_file.add_file(con, path, file.stamp, settled, digest, language.name, why)
        if not why:
            self._cut(id, path, text, language, slots)
        if before:
            summary.changed += 1
        else:
            summary.added += 1

    def _cut(self, id: int, path: str, text: str, language: Language, slots: dict[bytes, int]) -> None:
        lines = text.split("\n")
        if not lines[-1]:
            # What follows the last line's end is no line.
            lines.pop()
        found = outline(language.name, text)
        cut = ((chunk, "\n".join(lines[chunk.first - 1 : chunk.last])) for chunk in chunks(lines, found))
        rank = (AFTER_OTHERS if is_test(path) else 0) if language.is_source else None
        index_file.add_chunks(self._con, id, path, cut, slots, rank)
        if found:
            symbols = [each for each in all_of(found.definitions) if each.kind not in (SECTION, "extension")]
            index_file.add_symbols(self._con, id, symbols, found.references)

    def _lacks_vectors(self) -> bool:
        counts = index_file.counts(self._con)
        path = self._vectors_path()
        present = vectors.rows_in(path, self._dimensions()) if path else 0
        return counts["embedded"] < counts["to_embed"] or present < counts["embedded"]

    def _vectors_path(self) -> str:
        model = index_file.about(self._con, "model")
        return vectors.vectors_path(self._folder, model) if model else ""

    def _dimensions(self) -> int:
        return int(index_file.about(self._con, "dimensions") or 1)

    def _embed(self, model: Embedder, used: list[int]) -> None:
        con, told = self._con, self._told
        path = vectors.vectors_path(self._folder, model.hash)
        with transaction(con):
            if index_file.about(con, "model") != model.hash:
                index_file.forget_vectors(con)
                used = []
            index_file.set_about(con, "model", model.hash)
            index_file.set_about(con, "dimensions", str(model.dimensions))
            # Should the file have been lost, or a part of it.
            index_file.forget_vectors(con, vectors.rows_in(path, model.dimensions))
        vectors.remove_others(self._folder, model.hash)
        counts = index_file.counts(con)
        done, total = counts["embedded"], counts["to_embed"]
        workers = min(_MOST_WORKERS, os.cpu_count() or 1)
        with (
            closing(vectors.VectorWriter(path, model.dimensions, used)) as writer,
            ThreadPoolExecutor(workers) as pool,
        ):
            while True:
                told(EMBEDDING, done, total)
                ahead = index_file.without_vectors(con, _VECTORS_AT_ONCE)
                if not ahead:
                    break
                # A vector depends on its text alone. More threads within the model would wait for each other.
                parts = [ahead[at::workers] for at in range(workers)]
                made = pool.map(model.embed, ([text for _, text in part] for part in parts))
                ahead = [each for part in parts for each in part]
                slots = writer.write([vector for part in made for vector in part])
                with transaction(con):
                    index_file.set_slots(con, zip(slots, (id for id, _ in ahead), strict=True))
                done += len(ahead)
                self._summary.new_vectors += len(ahead)


def _is_as_known(file: Found, known: Known) -> bool:
    return file.stamp == known.stamp and known.settled
