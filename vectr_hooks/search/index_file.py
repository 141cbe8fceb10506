"""The index's database: files, their chunks with the words in them, and symbols."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from vectr_hooks.errors import VectrHooksError
from vectr_hooks.search.chunks import Chunk
from vectr_hooks.search.code_terms import code_terms
from vectr_hooks.search.embedding_text import READ, embedding_text
from vectr_hooks.search.location import for_the_owner
from vectr_hooks.search.outline import Definition
from vectr_hooks.store.reading import connect

NAME = "code.db"
APPLICATION_ID = 0x76486B63
#: of the tables, and of what is derived from a file: another one is made anew
VERSION = 1

_TABLES = """
-- What holds for the index as a whole: root, finished (0 or 1), model, dimensions.
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    stamp TEXT NOT NULL,      -- size and times when it was read
    settled INTEGER NOT NULL, -- 0: read so soon after a change that another may have kept the stamp
    digest BLOB NOT NULL,     -- of the content
    language TEXT NOT NULL,
    left_out TEXT NOT NULL    -- why it has no chunks; '' where it may have some
);
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    shown_first INTEGER NOT NULL,
    shown_last INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    rank INTEGER NOT NULL,    -- vectors are made in this order; -1: none is
    text TEXT NOT NULL,
    digest BLOB NOT NULL,     -- of what the model reads it from
    slot INTEGER              -- the row of its vector; NULL while it has none
);
CREATE INDEX chunk_of_file ON chunk(file);
CREATE UNIQUE INDEX chunk_at_slot ON chunk(slot) WHERE slot IS NOT NULL;
CREATE INDEX chunk_without_vector ON chunk(rank) WHERE slot IS NULL AND rank >= 0;
CREATE TABLE symbol (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    name TEXT NOT NULL,       -- the last part of the qualified name
    qualified TEXT NOT NULL,
    kind TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    line INTEGER NOT NULL
);
CREATE INDEX symbol_by_name ON symbol(name);
CREATE INDEX symbol_of_file ON symbol(file);
CREATE TABLE reference (
    name TEXT NOT NULL,
    file INTEGER NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (name, file)
) WITHOUT ROWID;
CREATE INDEX reference_of_file ON reference(file);
-- Terms of code_terms; the text itself is in `chunk`, from which they are made again to take them out.
CREATE VIRTUAL TABLE chunk_fts USING fts5(
    name, path, body, content='', tokenize='unicode61 remove_diacritics 0'
);
"""

_BUSY_SECONDS = 5.0
_CHECKPOINT_PAGES = 8000


@dataclass(frozen=True)
class Known:
    """A file as it was when it was read."""

    id: int
    stamp: str
    settled: bool
    digest: bytes
    left_out: str


@contextmanager
def read_index(folder: str) -> Iterator[sqlite3.Connection]:
    """Open the index for reading; refuse where there is none that this version reads.

    What turns out to be wrong with it meanwhile is refused as well.
    """
    path = os.path.join(folder, NAME)
    if not os.path.isfile(path):
        raise VectrHooksError("this project has no code index yet", "make it by `vectr-hooks index`")
    try:
        with closing(_to_read(path)) as con:
            con.execute("PRAGMA query_only = ON")
            if not _is_ours(con):
                raise VectrHooksError(
                    "the code index is not one of this version", "make it anew by `vectr-hooks index`"
                )
            yield con
    except sqlite3.Error as error:
        raise damaged(error) from error


def damaged(error: sqlite3.Error) -> VectrHooksError:
    return VectrHooksError(
        f"the code index cannot be used: {error}", "make it anew by `vectr-hooks index --force`"
    )


def write_index(folder: str, *, anew: bool) -> sqlite3.Connection:
    """Open the index for writing, with `anew` or where it cannot be used an empty one in its place.

    Only for who holds the lock of the folder.
    """
    path = os.path.join(folder, NAME)
    try:
        con = _connect(path) if os.path.exists(path) else None
        if con is not None and _is_ours(con):
            if anew:
                _empty(con)
            return con
        if con is not None:
            con.close()
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise damaged(error) from error
    except sqlite3.DatabaseError:
        pass
    for name in (NAME, NAME + "-wal", NAME + "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(folder, name))
    os.close(for_the_owner(path, os.O_CREAT | os.O_RDWR))
    con = _connect(path)
    con.execute("PRAGMA journal_mode = WAL")
    con.executescript(
        f"BEGIN; {_TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
    )
    return con


def about(con: sqlite3.Connection, key: str) -> str:
    row = con.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
    return row[0] if row else ""


def set_about(con: sqlite3.Connection, key: str, value: str) -> None:
    con.execute("INSERT OR REPLACE INTO about(key, value) VALUES (?, ?)", (key, value))


def known_files(con: sqlite3.Connection) -> dict[str, Known]:
    rows = con.execute("SELECT path, id, stamp, settled, digest, left_out FROM file ORDER BY path")
    return {
        path: Known(id, stamp, bool(settled), digest, why) for path, id, stamp, settled, digest, why in rows
    }


def restamp(con: sqlite3.Connection, id: int, stamp: str, settled: bool) -> None:
    con.execute("UPDATE file SET stamp = ?, settled = ? WHERE id = ?", (stamp, settled, id))


def remove_file(con: sqlite3.Connection, id: int) -> dict[bytes, int]:
    """Take a file out; give the slots of the vectors it had, by the digest of what they were made from."""
    (path,) = con.execute("SELECT path FROM file WHERE id = ?", (id,)).fetchone()
    slots: dict[bytes, int] = {}
    for chunk, name, text, digest, slot in con.execute(
        "SELECT id, name, text, digest, slot FROM chunk WHERE file = ? ORDER BY id", (id,)
    ).fetchall():
        con.execute(
            "INSERT INTO chunk_fts(chunk_fts, rowid, name, path, body) VALUES ('delete', ?, ?, ?, ?)",
            (chunk, *_words(name, path, text)),
        )
        if slot is not None:
            slots[digest] = slot
    for table in ("chunk", "symbol", "reference"):
        con.execute(f"DELETE FROM {table} WHERE file = ?", (id,))
    con.execute("DELETE FROM file WHERE id = ?", (id,))
    return slots


def add_file(
    con: sqlite3.Connection, path: str, stamp: str, settled: bool, digest: bytes, language: str, left_out: str
) -> int:
    cursor = con.execute(
        "INSERT INTO file(path, stamp, settled, digest, language, left_out) VALUES (?, ?, ?, ?, ?, ?)",
        (path, stamp, settled, digest, language, left_out),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def add_chunks(
    con: sqlite3.Connection,
    file: int,
    path: str,
    chunks: Iterable[tuple[Chunk, str]],
    slots: dict[bytes, int],
    rank: int | None,
) -> None:
    """Add chunks with their texts; those whose text for the model is as before keep their vectors.

    Without `rank`, which is added to each of theirs, they never have vectors.
    """
    for chunk, text in chunks:
        # Not of what the model reads itself, which takes longer to make.
        read = f"{path}\0{chunk.name}\0{text[:READ]}"
        digest = blake2b(read.encode("utf-8", "replace"), digest_size=16).digest()
        cursor = con.execute(
            "INSERT INTO chunk"
            "(file, first, last, shown_first, shown_last, name, kind, rank, text, digest, slot)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(file, chunk.first, chunk.last, chunk.shown_first, chunk.shown_last),
                *(
                    chunk.name,
                    chunk.kind,
                    -1 if rank is None else chunk.rank + rank,
                    text,
                    digest,
                    slots.pop(digest, None),
                ),
            ),
        )
        con.execute(
            "INSERT INTO chunk_fts(rowid, name, path, body) VALUES (?, ?, ?, ?)",
            (cursor.lastrowid, *_words(chunk.name, path, text)),
        )


def add_symbols(
    con: sqlite3.Connection,
    file: int,
    definitions: Iterable[Definition],
    references: dict[str, set[int]],
) -> None:
    rows = {
        (each.qualified, each.line): (
            file,
            each.name,
            each.qualified,
            each.kind,
            each.first,
            each.last,
            each.line,
        )
        for each in definitions
    }
    con.executemany(
        "INSERT INTO symbol(file, name, qualified, kind, first, last, line) VALUES (?, ?, ?, ?, ?, ?, ?)",
        rows.values(),
    )
    con.executemany(
        "INSERT INTO reference(name, file, lines) VALUES (?, ?, ?)",
        ((name, file, " ".join(map(str, sorted(lines)))) for name, lines in references.items()),
    )


def without_vectors(con: sqlite3.Connection, most: int) -> list[tuple[int, str]]:
    """Chunks that still need a vector, the most useful first, with what the model is to read."""
    rows = con.execute(
        "SELECT chunk.id, file.path, chunk.name, chunk.text"
        " FROM chunk JOIN file ON file.id = chunk.file"
        " WHERE chunk.slot IS NULL AND chunk.rank >= 0"
        " ORDER BY chunk.rank, chunk.id"
        " LIMIT ?",
        (most,),
    )
    return [(id, embedding_text(path, name, text)) for id, path, name, text in rows]


def set_slots(con: sqlite3.Connection, slots: Iterable[tuple[int, int]]) -> None:
    """Say for each chunk, named second, which row its vector is in."""
    con.executemany("UPDATE chunk SET slot = ? WHERE id = ?", slots)


def forget_vectors(con: sqlite3.Connection, from_slot: int = 0) -> None:
    con.execute("UPDATE chunk SET slot = NULL WHERE slot >= ?", (from_slot,))


def used_slots(con: sqlite3.Connection) -> list[int]:
    return [slot for (slot,) in con.execute("SELECT slot FROM chunk WHERE slot IS NOT NULL ORDER BY slot")]


def counts(con: sqlite3.Connection) -> dict[str, int]:
    """How many files with chunks, chunks, symbols, chunks that are to have a vector, and that have one."""
    (files,) = con.execute("SELECT count(*) FROM file WHERE left_out = ''").fetchone()
    (symbols,) = con.execute("SELECT count(*) FROM symbol").fetchone()
    chunks, to_have, have = con.execute("SELECT count(*), sum(rank >= 0), count(slot) FROM chunk").fetchone()
    return {"files": files, "chunks": chunks, "symbols": symbols, "to_embed": to_have or 0, "embedded": have}


def left_out(con: sqlite3.Connection) -> dict[str, int]:
    return dict(con.execute("SELECT left_out, count(*) FROM file WHERE left_out <> '' GROUP BY 1 ORDER BY 1"))


@contextmanager
def transaction(con: sqlite3.Connection) -> Iterator[None]:
    con.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()


def marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _words(name: str, path: str, text: str) -> tuple[str, str, str]:
    return code_terms(name), code_terms(path), code_terms(text)


def _connect(path: str) -> sqlite3.Connection:
    con = sqlite3.connect(
        Path(path).as_uri() + "?mode=rw", timeout=_BUSY_SECONDS, isolation_level=None, uri=True
    )
    con.execute("PRAGMA synchronous = NORMAL")
    # A first run writes a lot, and a sync takes long on a busy disk.
    con.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    return con


def _to_read(path: str) -> sqlite3.Connection:
    try:
        # Reads the file's head, and so opens the log.
        return _connect(path)
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise
    # Where the log cannot be opened, in a folder that cannot be written, nobody writes one.
    con = connect(path, "mode=ro&immutable=1")
    con.row_factory = None
    return con


def _is_ours(con: sqlite3.Connection) -> bool:
    (application,) = con.execute("PRAGMA application_id").fetchone()
    (version,) = con.execute("PRAGMA user_version").fetchone()
    return (application, version) == (APPLICATION_ID, VERSION)


def _empty(con: sqlite3.Connection) -> None:
    with transaction(con):
        for table in ("about", "file", "chunk", "symbol", "reference"):
            con.execute(f"DELETE FROM {table}")
        con.execute("INSERT INTO chunk_fts(chunk_fts) VALUES ('delete-all')")
