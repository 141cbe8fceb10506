"""Finds notes by the words of a question."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from vectr_hooks.core.states import SUPERSEDED
from vectr_hooks.core.terms import query_terms
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

_NAMED_NOTE = re.compile(r"#([0-9]{1,18})\b")
_ONLY_A_NUMBER = re.compile(r"\s*([0-9]{1,18})\s*")
_MOST_NAMED = 100

_TAGS = "iif(json_valid(revision.tags), revision.tags, '[]')"


def search(
    con: sqlite3.Connection,
    query: str,
    limit: int = 10,
    tags: Sequence[str] = (),
    kinds: Sequence[str] = (),
    superseded: bool = False,
    told: damage.Told = damage.refuse,
) -> list[tuple[Note, float]]:
    """The notes that best answer `query`, each with its score, best first.

    Only notes that have all of `tags` and one of `kinds`, where given, and those that were `superseded` only
    where asked for. Any word of the query may be missing;
    notes with none of them are not answers. A note named by its id comes first. A blank query gives the notes
    in order of precedence.
    """
    where, values = _narrowed(tags, kinds, superseded)
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
    scores = dict(_ranked(con, query, where, values, limit + len(found)))
    others = (id for id in scores if id not in there)
    ranked = damage.readable(others, lambda id: get_note(con, id), told)
    found.extend((note, scores[note.id]) for note in ranked if note)
    return found[:limit]


def _ranked(
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


def _narrowed(tags: Sequence[str], kinds: Sequence[str], superseded: bool) -> tuple[str, list[object]]:
    """The condition on revisions for `tags`, `kinds` and `superseded`, and its values."""
    conditions = [f"EXISTS (SELECT 1 FROM json_each({_TAGS}) WHERE value = ?)" for _ in tags]
    if kinds:
        conditions.append(f"revision.kind IN ({', '.join('?' * len(kinds))})")
    if not superseded:
        conditions.append(f"revision.state <> '{SUPERSEDED}'")
    return " AND ".join(conditions) or "1", [*tags, *kinds]
