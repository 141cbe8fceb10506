"""The notes an event could match, found through the keys their triggers were compiled to."""

import sys

from vectr_hooks.core.model import POST_COMPACTION, SUPERSEDED, UNPINNED, Candidate, Clause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from sqlite3 import Connection

# Below SQLite's least limit on bound values (999), with room for a statement's others.
BOUND_VALUES = 900

# Asked for one by one: a token may have very many needles.
FEW_TOKENS = 8

# Completed by as many marks as there are tokens; a trial leaves out those that no note has.
OF_TOKENS = "SELECT DISTINCT text FROM needle WHERE token IN ("


def any_trigger(connection: "Connection", keys: "Sequence[str]") -> bool:
    """Tell whether some note's trigger holds one of `keys`."""
    statement = "SELECT 1 FROM trigger_key WHERE key = ? LIMIT 1"
    return any(connection.execute(statement, (key,)).fetchone() for key in keys)


def by_trigger(connection: "Connection", keys: "Sequence[str]", most: int) -> "tuple[list[int], int]":
    """Find the notes whose triggers hold one of `keys`: the first `most` in precedence, and how many more.

    Each key gives its first ones in order, so that a key of very many notes costs no more than one of `most`.
    Among those that are only counted, a note found by two keys counts twice.
    """
    found: "set[tuple[int, int]]" = set()
    beyond = 0
    for key in keys:
        rows = connection.execute(
            "SELECT precedence, note FROM trigger_key WHERE key = ? ORDER BY precedence LIMIT ?", (key, most)
        ).fetchall()
        found.update(rows)
        if len(rows) == most:
            (all_of_it,) = connection.execute(
                "SELECT count(*) FROM trigger_key WHERE key = ?", (key,)
            ).fetchone()
            beyond += all_of_it - most
    ordered = [note for _, note in sorted(found)]
    return ordered[:most], beyond + max(0, len(ordered) - most)


def by_boundary(
    connection: "Connection",
    session: str,
    epoch: int,
    event: int,
    moments: "Sequence[str]",
    whole_epochs: int,
) -> "dict[int, tuple[str, tuple[int, ...]]]":
    """Find what a boundary, `event`, brings beyond triggers: per note its origin and the clauses that had
    matched before.

    The working set of the last `whole_epochs` epochs comes in full, an older one as index lines.
    """
    pinned = connection.execute("SELECT id FROM note WHERE precedence < ?", (UNPINNED,))
    found: "dict[int, tuple[str, tuple[int, ...]]]" = {note: ("pinned", ()) for (note,) in pinned}
    if POST_COMPACTION not in moments:
        return found
    written = connection.execute(
        "SELECT DISTINCT note FROM revision WHERE session = ? AND session <> ''", (session,)
    )
    for (note,) in written:
        found.setdefault(note, ("written", ()))
    held = connection.execute(
        "SELECT note, max(epoch), group_concat(DISTINCT clause) FROM working_set"
        " WHERE session = ? AND event < ? GROUP BY note",
        (session, event),
    )
    for note, last, clauses in held:
        origin = "working set" if last >= epoch - whole_epochs else "older working set"
        if note in found:
            origin = found[note][0]
        found[note] = (origin, tuple(int(clause) for clause in clauses.split(",")))
    return found


def read(
    connection: "Connection", notes: "Sequence[int]", beyond: "dict[int, tuple[str, tuple[int, ...]]]"
) -> "list[Candidate]":
    """Read `notes` as candidates, with their clauses; `beyond` says why those came that no key led to.

    A note that was superseded is none.
    """
    clauses = _clauses(connection, notes)
    candidates = []
    for part in _parts(notes):
        rows = connection.execute(
            "SELECT n.id, n.revision, n.precedence, r.kind, r.cost, r.cooldown, r.max_deliveries,"
            " r.not_before, r.expires, r.scope, r.scope_value, r.at, r.provenance = 'team'"
            " FROM note n JOIN revision r ON r.id = n.revision"
            " WHERE n.precedence < ? AND n.id IN (" + _marks(part) + ")"
            # Else one damaged note would silence all others.
            " AND typeof(r.cost) = 'integer' AND typeof(r.at) = 'integer'",
            [SUPERSEDED, *part],
        )
        for note, revision, *fields, scope, scope_value, at, is_team in rows:
            origin, held = beyond.get(note, ("trigger", ()))
            precedence, kind, cost, cooldown, limit, not_before, expires = fields
            candidates.append(
                Candidate(
                    note,
                    revision,
                    precedence,
                    kind,
                    cost,
                    clauses.get(note, ()),
                    cooldown,
                    limit,
                    not_before,
                    expires,
                    scope,
                    scope_value,
                    origin,
                    held,
                    at,
                    is_team,
                )
            )
    return candidates


def texts(connection: "Connection", revisions: "Iterable[int]") -> "dict[int, tuple[str, str]]":
    """Read the rendered text and the index line of `revisions`, by note, without secrets."""
    found: "dict[int, tuple[str, str]]" = {}
    for part in _parts(list(revisions)):
        rows = connection.execute(
            "SELECT note, text, line FROM revision WHERE id IN (" + _marks(part) + ")", part
        )
        for note, text, line in rows:
            found[note] = (text, line)
    from vectr_hooks.core.secret_forms import may_hold_secret

    # They are refused when a note is written, but a store may have been written by other means.
    if may_hold_secret("\n".join([part for both in found.values() for part in both])):
        from vectr_hooks.core.secrets import redact

        found = {note: (redact(text), redact(line)) for note, (text, line) in found.items()}
    return found


def watched_paths(
    connection: "Connection", notes: "Sequence[int]"
) -> "dict[int, list[tuple[str, int, int]]]":
    """Read, by note, the paths it is about, with size and CRC as they were when it was written."""
    found: "dict[int, list[tuple[str, int, int]]]" = {}
    for part in _parts(notes):
        rows = connection.execute(
            "SELECT note, path, size, crc FROM watched_path WHERE note IN (" + _marks(part) + ")", part
        )
        for note, path, size, crc in rows:
            found.setdefault(note, []).append((path, size, crc))
    return found


def of_team(connection: "Connection", notes: "Sequence[int]") -> "list[int]":
    """Tell which of `notes` are the team's."""
    found: "list[int]" = []
    for part in _parts(notes):
        rows = connection.execute(
            "SELECT n.id FROM note n JOIN revision r ON r.id = n.revision"
            " WHERE r.provenance = 'team' AND n.id IN (" + _marks(part) + ")",
            part,
        )
        found += [note for (note,) in rows]
    return found


def team_files(connection: "Connection", notes: "Sequence[int]") -> "dict[int, tuple[str, int, int]]":
    """Read, by note, the file of the repository it came from, with size and CRC as they were trusted."""
    found: "dict[int, tuple[str, int, int]]" = {}
    for part in _parts(notes):
        rows = connection.execute(
            "SELECT note, path, size, crc FROM team_file"
            " WHERE note IN (" + _marks(part) + ") AND typeof(path) = 'text'",
            part,
        )
        for note, *file in rows:
            found[note] = tuple(file)
    return found


def has_needles(connection: "Connection", sort: str = "") -> bool:
    """Tell whether any note looks for a needle of `sort`, or for any at all."""
    bounds = (sort, chr(ord(sort) + 1) if sort else chr(sys.maxunicode))
    found = connection.execute("SELECT 1 FROM needle WHERE token >= ? AND token < ? LIMIT 1", bounds)
    return found.fetchone() is not None


def few_tokens(connection: "Connection", sort: str) -> "list[str] | None":
    """List the tokens that needles of `sort` are indexed under, in order; None where they are not few.

    That of needles that have none is `sort` alone; all others have it before them.
    """
    found: "list[str]" = []
    last = ""
    for _ in range(FEW_TOKENS + 1):
        (token,) = connection.execute(
            "SELECT min(token) FROM needle WHERE token >= ? AND token > ? AND token < ?",
            (sort, last, chr(ord(sort) + 1)),
        ).fetchone()
        if token is None:
            return found
        found.append(token)
        last = token
    return None


def needles(connection: "Connection", tokens: "Iterable[str]") -> "set[str]":
    """Find the needles indexed under one of `tokens`."""
    found: "set[str]" = set()
    for part in _parts(list(tokens)):
        rows = connection.execute(OF_TOKENS + _marks(part) + ")", part)
        found.update(text for (text,) in rows)
    return found


def has_recall_terms(connection: "Connection") -> bool:
    return connection.execute("SELECT 1 FROM recall_frequency LIMIT 1").fetchone() is not None


def recall_frequencies(connection: "Connection", terms: "Sequence[str]") -> "dict[str, int]":
    """Read how many notes have each of `terms`, of those that any has."""
    found: "dict[str, int]" = {}
    for part in _parts(terms):
        found.update(
            connection.execute(
                "SELECT term, notes FROM recall_frequency WHERE term IN (" + _marks(part) + ")", part
            )
        )
    return found


def recall_hits(connection: "Connection", terms: "Sequence[str]") -> "list[tuple[str, int, int]]":
    """Read which notes have one of `terms`, with the number of informative words in their titles."""
    found: "list[tuple[str, int, int]]" = []
    for part in _parts(terms):
        found += connection.execute(
            "SELECT term, note, words FROM recall_term WHERE term IN (" + _marks(part) + ")", part
        )
    return found


def _clauses(connection: "Connection", notes: "Sequence[int]") -> "dict[int, tuple[Clause, ...]]":
    conditions: "dict[int, dict[int, tuple[dict[str, list[str]], dict[str, list[str]]]]]" = {}
    for part in _parts(notes):
        rows = connection.execute(
            "SELECT note, clause, veto, name, value FROM clause_condition"
            " WHERE note IN (" + _marks(part) + ") ORDER BY note, clause, veto, position",
            part,
        )
        for note, clause, veto, name, value in rows:
            sides = conditions.setdefault(note, {}).setdefault(clause, ({}, {}))
            sides[veto].setdefault(name, []).append(value)
    return {
        note: tuple(
            Clause(number, _frozen(holds), _frozen(vetoes), note)
            for number, (holds, vetoes) in clauses.items()
        )
        for note, clauses in conditions.items()
    }


def _frozen(conditions: "dict[str, list[str]]") -> "tuple[tuple[str, tuple[str, ...]], ...]":
    return tuple((name, tuple(values)) for name, values in conditions.items())


def _parts(values: "Sequence[object]") -> "list[list[object]]":
    return [list(values[i : i + BOUND_VALUES]) for i in range(0, len(values), BOUND_VALUES)]


def _marks(values: "Sequence[object]") -> str:
    return ",".join("?" * len(values))
