"""Finds code for a question: by the words in it and by its meaning, fused by rank."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from vectr_hooks.core.globs import match_path
from vectr_hooks.errors import VectrHooksError
from vectr_hooks.search import index_file, vectors
from vectr_hooks.search.code_terms import expression, names_something
from vectr_hooks.search.languages import PROSE_LANGUAGES, is_test
from vectr_hooks.search.symbols import exactly_named
from vectr_hooks.search.walk import stamp

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from vectr_hooks.embedding import Embedder

# Of name, path and text. A name is chosen to say what the code is for.
COLUMN_WEIGHTS = (6.0, 3.0, 1.0)
# The rank at which a list counts half as much as at its top.
RANK_OFFSET = 20
DEPTH = 100
# Words find what a name is about to spell better than a model does, which finds what words do not share.
LEXICAL, VECTOR, NAMED = 1.0, 1.5, 2.0
LEXICAL_FOR_NAMES = 2.0
# What a test's score is multiplied by where the question is not about tests: they say the same words as what
# they test, only more often.
TESTS = 0.6
# A text about code answers, but what is asked for is rather the code.
PROSE = 0.85
_ABOUT_TESTS = re.compile(r"(?i)(?:\b|_)tests?(?:\b|_)")


@dataclass(frozen=True)
class Hit:
    """A definition, section or stretch of a file that answers a question."""

    id: str
    """The same for the same lines in the same file, in whatever index."""
    path: str
    first: int
    last: int
    name: str
    """'' where it is no definition."""
    kind: str
    language: str
    score: float
    text: str
    """Its lines as they were indexed."""
    changed: bool
    """Whether the file has changed since."""


class Index:
    """An index opened for questions; what it holds when it is opened is what is asked."""

    def __init__(self, folder: str, root: str, con: sqlite3.Connection) -> None:
        self._con = con
        self._root = root
        self.counts = index_file.counts(con)
        self.finished = bool(index_file.about(con, "finished"))
        self.model = index_file.about(con, "model")
        self._dimensions = int(index_file.about(con, "dimensions") or 1)
        self._vectors = vectors.vectors_path(folder, self.model) if self.model else ""
        self._rows: NDArray[numpy.float32] | None = None
        self._slots: dict[tuple[int, ...] | None, NDArray[numpy.int64]] = {}

    def search(
        self,
        query: str,
        limit: int,
        embedder: Embedder | None = None,
        languages: Sequence[str] = (),
        globs: Sequence[str] = (),
    ) -> list[Hit]:
        """The best answers to `query`, best first; those of equal score by path and line.

        Only in files of one of `languages` and at one of `globs`, where given. Without an embedder of the
        index's own model by words alone.
        """
        files = self._files(languages, globs)
        ranked: list[tuple[float, list[int]]] = []
        terms = expression(query)
        if terms:
            weight = LEXICAL_FOR_NAMES if names_something(query) else LEXICAL
            ranked.append((weight, self._by_words(terms, files)))
        ranked.append((NAMED, self._by_name(query, files)))
        if embedder is not None and embedder.hash == self.model and query.strip():
            (vector,) = embedder.embed([query])
            ranked.append((VECTOR, self._by_meaning(vector, files)))
        return self._hits(_fused(ranked), limit, tests=_ABOUT_TESTS.search(query) is not None)

    def _files(self, languages: Sequence[str], globs: Sequence[str]) -> tuple[int, ...] | None:
        if not languages and not globs:
            return None
        rows = self._con.execute("SELECT id, path, language FROM file WHERE left_out = '' ORDER BY id")
        found = tuple(
            id
            for id, path, language in rows
            if (not languages or language in languages)
            and (not globs or any(match_path(glob, path) for glob in globs))
        )
        if not found:
            raise VectrHooksError(
                "no indexed file is meant by that", "leave out --path or --lang, or widen them"
            )
        return found

    def _by_words(self, terms: str, files: tuple[int, ...] | None) -> list[int]:
        where = ""
        if files is not None:
            # The sign keeps SQLite from asking the word index once for every chunk of these files.
            where = f"AND +rowid IN (SELECT id FROM chunk WHERE file IN ({','.join(map(str, files))}))"
        weights = ", ".join(map(str, COLUMN_WEIGHTS))
        # bm25 is the smaller the better. Rowids depend on the order of changes, so they do not decide between
        # equals: more are taken than are wanted.
        rows = self._con.execute(
            "SELECT chunk.id"
            f" FROM (SELECT rowid, bm25(chunk_fts, {weights}) AS score"
            f" FROM chunk_fts WHERE chunk_fts MATCH ? {where}"
            " ORDER BY score LIMIT ?) AS hit"
            " JOIN chunk ON chunk.id = hit.rowid"
            " JOIN file ON file.id = chunk.file"
            " ORDER BY round(hit.score, 9), file.path, chunk.first"
            " LIMIT ?",
            (terms, 4 * DEPTH, DEPTH),
        )
        return [id for (id,) in rows]

    def _by_name(self, query: str, files: tuple[int, ...] | None) -> list[int]:
        """The chunks of the definitions that a word of the query names, where few have that name."""
        found: list[int] = []
        for symbol in exactly_named(self._con, query):
            if files is None or symbol.file in files:
                rows = self._con.execute(
                    "SELECT id FROM chunk WHERE file = ? AND first <= ? AND last >= ?",
                    (symbol.file, symbol.line, symbol.line),
                )
                found.extend(id for (id,) in rows)
        return list(dict.fromkeys(found))

    def _by_meaning(self, vector: bytes, files: tuple[int, ...] | None) -> list[int]:
        import numpy

        if self._rows is None:
            if not vectors.rows_in(self._vectors, self._dimensions):
                return []
            self._rows = vectors.open_rows(self._vectors, self._dimensions)
        slots = self._valid_slots(files)
        if not len(slots):
            return []
        closeness = (self._rows @ numpy.frombuffer(vector, dtype="<f4"))[slots]
        most = min(DEPTH, len(slots))
        best = numpy.argpartition(-closeness, most - 1)[:most]
        order = {int(slots[at]): -float(closeness[at]) for at in best}
        rows = self._con.execute(
            "SELECT chunk.slot, chunk.id, file.path, chunk.first FROM chunk JOIN file ON file.id = chunk.file"
            f" WHERE chunk.slot IN ({','.join(map(str, order))})"
        ).fetchall()
        rows.sort(key=lambda row: (round(order[row[0]], 6), row[2], row[3]))
        return [id for _, id, _, _ in rows]

    def _valid_slots(self, files: tuple[int, ...] | None) -> NDArray[numpy.int64]:
        """The rows that hold a vector of a chunk in `files`, or in any."""
        import numpy

        if files not in self._slots:
            assert self._rows is not None
            where = f"AND file IN ({','.join(map(str, files))})" if files is not None else ""
            rows = self._con.execute(
                f"SELECT slot FROM chunk WHERE slot IS NOT NULL AND slot < ? {where} ORDER BY slot",
                (len(self._rows),),
            )
            self._slots[files] = numpy.fromiter((slot for (slot,) in rows), dtype=numpy.int64)
        return self._slots[files]

    def _hits(self, scores: Mapping[int, float], limit: int, *, tests: bool) -> list[Hit]:
        found: dict[tuple[str, int, int], Hit] = {}
        rows = {
            row[0]: row[1:]
            for row in self._con.execute(
                "SELECT chunk.id, file.path, file.language, file.stamp, file.id,"
                " chunk.shown_first, chunk.shown_last, chunk.name, chunk.kind"
                " FROM chunk JOIN file ON file.id = chunk.file"
                f" WHERE chunk.id IN ({','.join(map(str, scores))})"
            )
        }
        scores = {id: scores[id] * _worth(row[0], row[1], tests) for id, row in rows.items()}
        order = sorted(rows, key=lambda id: (-round(scores[id], 9), rows[id][0], rows[id][4]))
        for id in order:
            path, language, known, file, first, last, name, kind = rows[id]
            place = (path, first, last)
            if place in found:
                # Another part of the same function.
                continue
            if len(found) == limit:
                break
            text = self._text(file, first, last)
            digest = blake2b(f"{path}\0{first}\0{name}\0{text}".encode("utf-8", "replace"), digest_size=6)
            changed = stamp(f"{self._root}/{path}") != known
            found[place] = Hit(
                digest.hexdigest(),
                path,
                first,
                last,
                name,
                kind,
                language,
                round(scores[id], 6),
                text,
                changed,
            )
        return list(found.values())

    def _text(self, file: int, first: int, last: int) -> str:
        """The lines of a file, from the chunks that hold them."""
        rows = self._con.execute(
            "SELECT first, text FROM chunk WHERE file = ? AND last >= ? AND first <= ? ORDER BY first",
            (file, first, last),
        ).fetchall()
        lines = [line for _, text in rows for line in text.split("\n")]
        start = first - rows[0][0]
        return "\n".join(lines[start : start + last - first + 1])


def _worth(path: str, language: str, tests: bool) -> float:
    """What a score in a file is multiplied by; `tests` where they are asked for."""
    if is_test(path) and not tests:
        return TESTS
    return PROSE if language in PROSE_LANGUAGES else 1.0


def _fused(ranked: Sequence[tuple[float, Sequence[int]]]) -> dict[int, float]:
    """Weighted reciprocal ranks: what stands high in one list counts, what stands high in several more."""
    scores: dict[int, float] = {}
    for weight, ids in ranked:
        for rank, id in enumerate(ids, 1):
            scores[id] = scores.get(id, 0.0) + weight / (RANK_OFFSET + rank)
    return scores
