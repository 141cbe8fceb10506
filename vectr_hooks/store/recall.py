"""Finds notes by the words of a question, and by its meaning where an embedding of it is given."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vectr_hooks.core.conditions import SCALE
from vectr_hooks.core.fusion import fuse
from vectr_hooks.core.globs import match_path
from vectr_hooks.core.states import SUPERSEDED
from vectr_hooks.core.terms import informative, query_terms
from vectr_hooks.store import damage
from vectr_hooks.store.notes import Note, get_note, read_notes

# One for each column of note_fts. A title is written to carry the fact; the last two columns repeat others.
WEIGHTS = {"title": 8.0, "body": 2.0, "tags": 4.0, "words": 1.0, "bigrams": 1.0}

#: the score of a note that the question names by its id: above that of any text
NAMED = 1000.0

# Words beyond these add cost and no evidence.
MOST_TERMS = 64
# From this length on, a word also finds those that begin with it: `deploy`, `deploys`, `deployment`.
STEM_LENGTH = 4
# Of so many notes with words of the question the place counts, where meaning counts too.
MOST_BY_WORDS = 200

_NAMED_NOTE = re.compile(r"#([0-9]{1,18})\b")
_ONLY_A_NUMBER = re.compile(r"\s*([0-9]{1,18})\s*")
_MOST_NAMED = 100

_TAGS = "iif(json_valid(revision.tags), revision.tags, '[]')"
_ANCHORS = "iif(json_valid(revision.anchors), revision.anchors, '[]')"


@dataclass(frozen=True)
class Meaning:
    """The embedding of a question, and those of notes by the same model, by note."""

    vector: bytes
    vectors: Mapping[int, bytes]


def search(
    con: sqlite3.Connection,
    query: str,
    limit: int = 10,
    tags: Sequence[str] = (),
    kinds: Sequence[str] = (),
    superseded: bool = False,
    told: damage.Told = damage.refuse,
    *,
    anchors: Sequence[str] = (),
    since_ms: int = 0,
    meaning: Meaning | None = None,
) -> list[tuple[Note, float]]:
    """The notes that best answer `query`, each with its score, best first.

    Only notes that have all of `tags`, one of `kinds`, are about all of `anchors`, and were written or
    changed since `since_ms`, where given, and those that were `superseded` only where asked for.

    Any word of the query may be missing. By words alone, notes with none of them are not answers; with
    `meaning`, those are not for which words and meaning together say little. A note named by its id comes
    first. A blank query gives the notes in order of precedence.
    """
    where, values = _narrowed(con, tags, kinds, anchors, since_ms, superseded)
    if not query.strip():
        notes = read_notes(con, f"WHERE {where} ORDER BY note.precedence LIMIT ?", (*values, limit), told)
        return [(note, 0.0) for note in notes]
    named = _named(query)
    marks = ", ".join("?" * len(named))
    notes = read_notes(
        con, f"WHERE {where} AND note.id IN ({marks}) ORDER BY note.precedence", (*values, *named), told
    )
    found = [(note, NAMED) for note in notes]
    there = {note.id for note, _ in found}
    if meaning is None:
        scores = dict(_by_words(con, query, where, values, limit + len(found)))
    else:
        scores = dict(_fused(con, query, where, values, meaning)[: limit + len(found)])
    others = (id for id in scores if id not in there)
    ranked = damage.readable(others, lambda id: get_note(con, id), told)
    found.extend((note, scores[note.id]) for note in ranked if note)
    return found[:limit]


def _by_words(
    con: sqlite3.Connection, query: str, where: str, values: Sequence[object], limit: int
) -> list[tuple[int, float]]:
    terms = query_terms(query)[:MOST_TERMS]
    if not terms:
        return []
    weights = ", ".join(map(str, WEIGHTS.values()))
    # bm25 is the smaller the better.
    return con.execute(
        f"SELECT note.id, -bm25(note_fts, {weights}) AS score"
        " FROM note_fts"
        " JOIN note ON note.id = note_fts.rowid"
        " JOIN revision ON revision.id = note.revision"
        f" WHERE note_fts MATCH ? AND {where}"
        " ORDER BY score DESC, note.precedence"
        " LIMIT ?",
        (_expression(terms), *values, limit),
    ).fetchall()


def _fused(
    con: sqlite3.Connection, query: str, where: str, values: Sequence[object], meaning: Meaning
) -> list[tuple[int, float]]:
    precedences = dict(
        con.execute(
            "SELECT note.id, note.precedence FROM note JOIN revision ON revision.id = note.revision"
            f" WHERE {where}",
            values,
        ).fetchall()
    )
    coverage = _coverage(con, query)
    # One that has only words that say nothing is there for the order among those that have more.
    ranked = [note for note, _ in _by_words(con, query, where, values, MOST_BY_WORDS) if note in coverage]
    near = similarities(meaning, precedences)
    return fuse(ranked, coverage, near, precedences)


def _coverage(con: sqlite3.Connection, query: str) -> dict[int, float]:
    """By note, the share that its words make up of what `query` asks, a rare word counting for more."""
    terms = query_terms(query)[:MOST_TERMS]
    telling = [term for term in terms if informative(term)] or terms
    (notes,) = con.execute("SELECT count(*) FROM note").fetchone()
    covered: dict[int, float] = {}
    total = 0.0
    for term in telling:
        holding = con.execute(
            "SELECT rowid FROM note_fts WHERE note_fts MATCH ?", (_expression([term]),)
        ).fetchall()
        weight = math.log((notes + 1) / (len(holding) + 0.5))
        total += weight
        for (note,) in holding:
            covered[note] = covered.get(note, 0.0) + weight
    return {note: weight / total for note, weight in covered.items()} if total > 0 else {}


def similarities(meaning: Meaning, notes: Mapping[int, object]) -> dict[int, int]:
    """How near each of `notes` is to the question, in ten-thousandths."""
    import numpy

    there = [note for note in meaning.vectors if note in notes]
    if not there:
        return {}
    vectors = numpy.frombuffer(b"".join(meaning.vectors[note] for note in there), "<f4")
    question = numpy.frombuffer(meaning.vector, "<f4")
    # Those of damaged bytes may be no numbers.
    cosines = numpy.nan_to_num(vectors.reshape(len(there), -1) @ question, nan=0, posinf=0, neginf=0)
    return {note: round(float(cosine) * SCALE) for note, cosine in zip(there, cosines, strict=True)}


def _expression(terms: Sequence[str]) -> str:
    """An FTS5 expression for any of `terms`: letters and digits only, and quoted, so none is an operator."""
    exact = [f'"{term}"' for term in terms]
    beginnings = [f'"{term}"*' for term in terms if len(term) >= STEM_LENGTH]
    return " OR ".join(exact + beginnings)


def _named(query: str) -> list[int]:
    """The ids that `query` names: `#12` anywhere in it, or nothing but a number."""
    alone = _ONLY_A_NUMBER.fullmatch(query)
    names = [alone[1]] if alone else _NAMED_NOTE.findall(query)
    return sorted(set(map(int, names)))[:_MOST_NAMED]


def _narrowed(
    con: sqlite3.Connection,
    tags: Sequence[str],
    kinds: Sequence[str],
    anchors: Sequence[str],
    since_ms: int,
    superseded: bool,
) -> tuple[str, list[object]]:
    """The condition on revisions that these are, and its values."""
    conditions = [f"EXISTS (SELECT 1 FROM json_each({_TAGS}) WHERE value = ?)" for _ in tags]
    values: list[object] = [*tags]
    if kinds:
        conditions.append(f"revision.kind IN ({', '.join('?' * len(kinds))})")
        values += kinds
    for anchor in anchors:
        conditions.append("note.id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(_about(con, anchor)))
    if since_ms:
        conditions.append("revision.at >= ?")
        values.append(since_ms)
    if not superseded:
        conditions.append(f"revision.state <> '{SUPERSEDED}'")
    return " AND ".join(conditions) or "1", values


def _about(con: sqlite3.Connection, asked: str) -> list[int]:
    """The notes with an anchor that is what is `asked` for, or covers it, or lies below it."""
    asked = asked.removeprefix("./")
    rows = con.execute(
        f"SELECT DISTINCT note.id, anchor.value FROM note JOIN revision ON revision.id = note.revision,"
        f" json_each({_ANCHORS}) AS anchor WHERE anchor.type = 'text'"
    )
    below = asked.rstrip("/") + "/"
    return sorted(
        {
            note
            for note, anchor in rows
            if anchor == asked or anchor.startswith(below) or _covers(anchor, asked)
        }
    )


def _covers(anchor: str, path: str) -> bool:
    return "/" in anchor + path and match_path(anchor, path)
