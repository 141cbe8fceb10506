"""From each version of the schema to the next: numbered, and never changed once released.

A migration runs inside a transaction of `upkeep.py`, which has backed the store up, counts the rows and sets
the version. It must take whatever rows it finds: people's tools have written to stores, and a NULL is no
reason to lose the row that holds it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Migration:
    """One step; of the tables in `rewrites` it may change rows and add some, never take one away."""

    version: int
    """That it leads to."""
    rewrites: frozenset[str]
    apply: Callable[[sqlite3.Connection], None]


# Written out rather than taken from `schema.py`, which moves on.
_VERSION_2 = (
    "ALTER TABLE delivery ADD COLUMN lost INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE revision ADD COLUMN changed_by TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE revision ADD COLUMN quote TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE revision ADD COLUMN reason TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE revision ADD COLUMN state_by TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE revision ADD COLUMN superseded_by INTEGER NOT NULL DEFAULT 0",
    """
CREATE TABLE event_text (
  event INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (event, name)
) WITHOUT ROWID
""",
    """
CREATE TABLE lookup (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  command TEXT NOT NULL,
  caller TEXT NOT NULL,
  session TEXT NOT NULL,
  notes TEXT NOT NULL
)
""",
    """
CREATE TABLE working_set_2 (
  session TEXT NOT NULL,
  note INTEGER NOT NULL,
  clause INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  event INTEGER NOT NULL,
  PRIMARY KEY (session, note, clause, epoch)
) WITHOUT ROWID
""",
    # The first event of the epoch at which the clause held; 0 where the audit has it no longer.
    """
INSERT INTO working_set_2
SELECT session, note, clause, coalesce(epoch, 0), coalesce((
    SELECT min(outcome.event)
    FROM outcome JOIN event ON event.id = outcome.event
    WHERE outcome.note = working_set.note
      AND event.session = working_set.session AND event.agent = '' AND event.epoch = working_set.epoch
      AND instr(',' || outcome.clauses || ',', ',' || working_set.clause || ',') > 0
  ), 0)
FROM working_set
""",
    "DROP TABLE working_set",
    "ALTER TABLE working_set_2 RENAME TO working_set",
    """
CREATE TABLE event_2 (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  host TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  turn TEXT NOT NULL,
  name TEXT NOT NULL,
  note_revision INTEGER NOT NULL,
  setting_revision INTEGER NOT NULL,
  facts TEXT NOT NULL,
  remark TEXT NOT NULL,
  printed_checksum INTEGER NOT NULL,
  printed_bytes INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  more INTEGER NOT NULL,
  took_us INTEGER NOT NULL,
  turn_number INTEGER NOT NULL,
  turn_spent INTEGER NOT NULL,
  boundary_spent INTEGER NOT NULL,
  epoch_spent INTEGER NOT NULL,
  told_held_back INTEGER NOT NULL
)
""",
    # What a conversation had spent is what its earlier events cost, in the turn for as long as that was not
    # left. Turns are counted backwards from where the conversation stands now: of the oldest events some may
    # be pruned, and a fork goes on counting from where its parent stood. Whether a line had told of what was
    # held back is not known: -1.
    """
INSERT INTO event_2
WITH seen AS (
  SELECT *,
    CASE WHEN typeof(facts) = 'text' AND json_valid(facts) THEN EXISTS (
      SELECT 1 FROM json_each(facts, '$.moments') WHERE value IN ('session-start', 'post-compaction')
    ) ELSE 0 END AS boundary,
    CASE WHEN typeof(facts) = 'text' AND json_valid(facts) THEN EXISTS (
      SELECT 1 FROM json_each(facts, '$.moments') WHERE value = 'prompt-submit'
    ) ELSE 0 END AS prompt,
    turn IS NOT lag(turn) OVER conversation_so_far AS other_turn,
    epoch IS NOT lag(epoch) OVER conversation_so_far AS other_epoch
  FROM event
  WINDOW conversation_so_far AS (PARTITION BY session, agent ORDER BY id)
), placed AS (
  SELECT *,
    sum(other_turn OR other_epoch) OVER (PARTITION BY session, agent ORDER BY id) AS stay,
    coalesce((
      SELECT conversation.turn_number FROM conversation
      WHERE conversation.session = seen.session AND conversation.agent = seen.agent
    ), sum(prompt AND other_turn) OVER (PARTITION BY session, agent)) - coalesce(
      sum(prompt AND other_turn) OVER (PARTITION BY session, agent ORDER BY id
        ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0) AS turns
  FROM seen
), spent AS (
  SELECT *,
    total(CASE WHEN boundary THEN 0 ELSE cost END) OVER stay_so_far AS turn_spent,
    total(CASE WHEN boundary THEN cost ELSE 0 END) OVER stay_so_far AS boundary_spent,
    total(cost) OVER epoch_so_far AS epoch_spent
  FROM placed
  WINDOW
    stay_so_far AS (PARTITION BY session, agent, stay ORDER BY id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    epoch_so_far AS (PARTITION BY session, agent, epoch ORDER BY id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT id, coalesce(at, 0), coalesce(host, ''), coalesce(session, ''), coalesce(agent, ''),
  coalesce(epoch, 0), coalesce(turn, ''), coalesce(name, ''), coalesce(note_revision, 0),
  coalesce(setting_revision, 0), coalesce(facts, '{}'), coalesce(remark, ''),
  coalesce(printed_checksum, 0), coalesce(printed_bytes, 0), coalesce(cost, 0), coalesce(more, 0),
  coalesce(took_us, 0), CAST(max(turns, 0) AS INTEGER), CAST(coalesce(turn_spent, 0) AS INTEGER),
  CAST(coalesce(boundary_spent, 0) AS INTEGER), CAST(coalesce(epoch_spent, 0) AS INTEGER), -1
FROM spent
ORDER BY id
""",
    # Ids of events that were pruned are not given again.
    "UPDATE sqlite_sequence SET seq = max(seq, (SELECT seq FROM sqlite_sequence WHERE name = 'event'))"
    " WHERE name = 'event_2' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'event')",
    "INSERT INTO sqlite_sequence(name, seq) SELECT 'event_2', seq FROM sqlite_sequence"
    " WHERE name = 'event' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'event_2')",
    "DROP TABLE event",
    "ALTER TABLE event_2 RENAME TO event",
    "CREATE INDEX event_session ON event(session, id)",
    "CREATE INDEX event_at ON event(at)",
)


def _to_version_2(con: sqlite3.Connection) -> None:
    """Each event knows its turn and what was spent before it; the working set, when in each epoch; a note,
    why it has its state.
    """
    for statement in _VERSION_2:
        con.execute(statement)


_VERSION_3 = (
    """
CREATE TABLE note_vector (
  note INTEGER NOT NULL,
  model TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (note, model)
) WITHOUT ROWID
""",
    """
CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  note_revision INTEGER NOT NULL,
  session TEXT NOT NULL,
  event INTEGER NOT NULL
)
""",
    "CREATE UNIQUE INDEX snapshot_name ON snapshot(name) WHERE name <> ''",
    """
CREATE TABLE team_file (
  path TEXT NOT NULL PRIMARY KEY,
  note INTEGER NOT NULL,
  size INTEGER NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID
""",
    "CREATE UNIQUE INDEX team_file_note ON team_file(note)",
    "ALTER TABLE conversation ADD COLUMN retrievals INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE conversation ADD COLUMN retrieved INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE conversation ADD COLUMN retrieved_since INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE conversation ADD COLUMN nudged INTEGER NOT NULL DEFAULT 0",
)


def _to_version_3(con: sqlite3.Connection) -> None:
    """Notes are embedded, trusted from files, kept as they were; conversations count what they retrieve."""
    for statement in _VERSION_3:
        con.execute(statement)


#: by the version that they lead from
MIGRATIONS = {
    1: Migration(2, frozenset({"working_set", "event"}), _to_version_2),
    2: Migration(3, frozenset(), _to_version_3),
}
