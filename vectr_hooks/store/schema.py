"""The tables of a workspace's store, each with what it is for.

`revision` is the truth about notes; `note`, `clause_condition`, `trigger_key`, `needle`, `recall_term`,
`recall_frequency`, `watched_path` and `note_fts` are derived from it at write time so that a hook reads only
what could match.

The key of a table without rowid is its first columns, in order: SQLite 3.40 misreads any other in its own
checks.
"""

from vectr_hooks.store import APPLICATION_ID, VERSION

__all__ = ["APPLICATION_ID", "TABLES", "VERSION"]

TABLES = """
CREATE TABLE note (                    -- every note that is not forgotten, with its newest revision
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused
  revision INTEGER NOT NULL,            -- revision.id
  precedence INTEGER NOT NULL           -- the total order, smallest first
);
CREATE INDEX note_precedence ON note(precedence);
CREATE TABLE revision (                -- every change of every note, appended, never overwritten
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  note INTEGER NOT NULL,
  at INTEGER NOT NULL,                  -- milliseconds since 1970, UTC
  title TEXT NOT NULL,
  body TEXT NOT NULL,                   -- verbatim
  kind TEXT NOT NULL,
  priority TEXT NOT NULL,
  tags TEXT NOT NULL,                   -- JSON list
  anchors TEXT NOT NULL,                -- JSON list of paths or symbols
  trigger TEXT NOT NULL,                -- JSON of the trigger as given; '' means the kind's default
  scope TEXT NOT NULL,
  scope_value TEXT NOT NULL,            -- the branch, session or worktree; '' for the whole workspace
  provenance TEXT NOT NULL,
  author TEXT NOT NULL,
  state TEXT NOT NULL,                  -- active, superseded, revoked
  pinned INTEGER NOT NULL,
  created INTEGER NOT NULL,             -- of the note's first revision, milliseconds
  session TEXT NOT NULL,                -- the host's session that wrote it, or ''
  cooldown INTEGER,
  max_deliveries INTEGER,
  not_before TEXT NOT NULL,             -- YYYY-MM-DD or ''
  expires TEXT NOT NULL,
  text TEXT NOT NULL,                   -- rendered for the model, with slots for condition and marks
  line TEXT NOT NULL,                   -- rendered index line
  cost INTEGER NOT NULL,                -- tokens of text
  changed_by TEXT NOT NULL DEFAULT '',  -- who made this revision: human, agent; '' is not known
  quote TEXT NOT NULL DEFAULT '',       -- what the user said in a prompt of the session; '' for nothing
  reason TEXT NOT NULL DEFAULT '',      -- why the note is revoked
  state_by TEXT NOT NULL DEFAULT '',    -- who gave it its state: human, agent; '' at first
  superseded_by INTEGER NOT NULL DEFAULT 0 -- the note in whose favour it was given up; 0: none
);
CREATE INDEX revision_note ON revision(note);
CREATE INDEX revision_session ON revision(session, note) WHERE session <> '';
CREATE TABLE watched_path (            -- files a note is about, as they were when it was written
  note INTEGER NOT NULL,
  path TEXT NOT NULL,                   -- relative to the workspace root
  size INTEGER NOT NULL,                -- bytes; -1: only its existence counts
  crc INTEGER NOT NULL,
  PRIMARY KEY (note, path)
) WITHOUT ROWID;
CREATE TABLE clause_condition (        -- the compiled triggers
  note INTEGER NOT NULL,
  clause INTEGER NOT NULL,
  veto INTEGER NOT NULL,                -- 1: part of `unless`
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (note, clause, veto, position)
) WITHOUT ROWID;
CREATE TABLE trigger_key (             -- what an event must hold for a clause to be worth reading
  key TEXT NOT NULL,
  precedence INTEGER NOT NULL,
  note INTEGER NOT NULL,
  PRIMARY KEY (key, precedence, note)
) WITHOUT ROWID;
CREATE INDEX trigger_key_note ON trigger_key(note);
CREATE TABLE needle (                  -- what to look for in texts, by one token of each
  token TEXT NOT NULL,
  text TEXT NOT NULL,
  note INTEGER NOT NULL,
  PRIMARY KEY (token, text, note)
) WITHOUT ROWID;
CREATE INDEX needle_note ON needle(note);
CREATE TABLE recall_term (             -- by what a prompt may bring up a note that has no trigger
  term TEXT NOT NULL,                   -- a letter says of which sort
  note INTEGER NOT NULL,
  words INTEGER NOT NULL,               -- informative words in the note's title; 0 for a name
  PRIMARY KEY (term, note)
) WITHOUT ROWID;
CREATE INDEX recall_term_note ON recall_term(note);
CREATE TABLE recall_frequency (        -- how many notes have a term
  term TEXT NOT NULL PRIMARY KEY,
  notes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE note_vector (             -- embeddings of notes, made by commands; can be made again
  note INTEGER NOT NULL,
  model TEXT NOT NULL,                  -- hash of the model that made it
  text_hash TEXT NOT NULL,              -- of the text that was embedded
  vector BLOB NOT NULL,                 -- float32, little-endian, of length 1
  PRIMARY KEY (note, model)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE note_fts USING fts5(title, body, tags, words, bigrams, tokenize = 'unicode61');

CREATE TABLE snapshot (                -- moments at which all notes can be read as they were
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,                  -- milliseconds
  name TEXT NOT NULL,                   -- as given; '' at a compaction
  note_revision INTEGER NOT NULL,       -- newest revision.id then
  session TEXT NOT NULL,                -- the host's session, or ''
  event INTEGER NOT NULL                -- at which it was taken; 0: by a command
);
CREATE UNIQUE INDEX snapshot_name ON snapshot(name) WHERE name <> '';
CREATE TABLE team_file (               -- files of the repository whose notes a person trusts
  path TEXT NOT NULL PRIMARY KEY,       -- relative to the workspace root
  note INTEGER NOT NULL,
  size INTEGER NOT NULL,                -- bytes, when it was trusted
  crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX team_file_note ON team_file(note);

CREATE TABLE conversation (            -- ledger: one agent's conversation and where it stands
  session TEXT NOT NULL,                -- the host's id, or one we gave
  agent TEXT NOT NULL,                  -- '' is the main conversation
  host TEXT NOT NULL,
  transcript TEXT NOT NULL,
  worktree TEXT NOT NULL,               -- root of the worktree it runs in
  epoch INTEGER NOT NULL,
  turn TEXT NOT NULL,                   -- key of the current turn
  turn_number INTEGER NOT NULL,         -- typed prompts so far
  turn_spent INTEGER NOT NULL,          -- tokens
  boundary_spent INTEGER NOT NULL,      -- tokens, in this turn
  epoch_spent INTEGER NOT NULL,         -- tokens
  told_held_back INTEGER NOT NULL,      -- the "held back" line was printed in this turn
  started INTEGER NOT NULL,             -- the session-start delivery was made
  prompts INTEGER NOT NULL,             -- typed in this epoch
  armed INTEGER NOT NULL,               -- a compaction was announced
  armed_size INTEGER NOT NULL,          -- bytes of the transcript then; -1: not readable
  kept_event INTEGER NOT NULL,          -- event whose deliveries the compaction keeps; 0: none
  last_event TEXT NOT NULL,             -- what the previous event was, and for which reason
  last_prompt TEXT NOT NULL,            -- the host's prompt id of the previous event
  last_event_id INTEGER NOT NULL,
  seen INTEGER NOT NULL,                -- milliseconds
  retrievals INTEGER NOT NULL DEFAULT 0, -- searches and reads of this epoch since a note was stored
  retrieved INTEGER NOT NULL DEFAULT 0, -- tokens of what they brought
  retrieved_since INTEGER NOT NULL DEFAULT 0, -- newest revision.id when the first of them was counted
  nudged INTEGER NOT NULL DEFAULT 0,    -- in this epoch it was told that findings can be stored
  PRIMARY KEY (session, agent)
) WITHOUT ROWID;
CREATE INDEX conversation_seen ON conversation(seen);
CREATE TABLE claim (                   -- ledger: events already answered, for those with an identity
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  key TEXT NOT NULL,
  event INTEGER NOT NULL,
  PRIMARY KEY (session, agent, key)
) WITHOUT ROWID;
CREATE TABLE turn_needle (             -- ledger: needles that the turn's prompt holds
  session TEXT NOT NULL,
  turn TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (session, turn, text)
) WITHOUT ROWID;
CREATE TABLE delivery (                -- ledger: what was delivered, clause by clause
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  note INTEGER NOT NULL,
  clause INTEGER NOT NULL,              -- -1: delivered at a boundary without a matched clause
  event INTEGER NOT NULL,
  turn TEXT NOT NULL,
  turn_number INTEGER NOT NULL,
  form TEXT NOT NULL,                   -- full, index, index:budget
  counted INTEGER NOT NULL,             -- 1: counts towards max_deliveries
  lost INTEGER NOT NULL DEFAULT 0,      -- event from which on it does not count, since it was missing from
                                        -- the conversation or the note has another state; 0: none
  PRIMARY KEY (session, agent, epoch, note, clause, event)
) WITHOUT ROWID;
CREATE INDEX delivery_note ON delivery(note, event);
CREATE TABLE working_set (             -- ledger: notes whose own trigger held in the session, in each epoch
  session TEXT NOT NULL,
  note INTEGER NOT NULL,
  clause INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  event INTEGER NOT NULL,               -- the first of the epoch at which it held; 0: not known
  PRIMARY KEY (session, note, clause, epoch)
) WITHOUT ROWID;
CREATE TABLE work (                    -- ledger: what the session did last, for the handoff
  session TEXT NOT NULL,
  what TEXT NOT NULL,                   -- edited, failed, passed
  value TEXT NOT NULL,                  -- path, or command (redacted)
  event INTEGER NOT NULL,
  PRIMARY KEY (session, what, value)
) WITHOUT ROWID;

CREATE TABLE event (                   -- audit: every event a hook answered
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,                  -- milliseconds
  host TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  turn TEXT NOT NULL,
  name TEXT NOT NULL,                   -- the host's name of the event
  note_revision INTEGER NOT NULL,       -- newest revision.id then: the notes as they were
  setting_revision INTEGER NOT NULL,    -- newest setting.id then
  facts TEXT NOT NULL,                  -- JSON
  remark TEXT NOT NULL,                 -- '', duplicate, ...
  printed_checksum INTEGER NOT NULL,
  printed_bytes INTEGER NOT NULL,
  cost INTEGER NOT NULL,                -- tokens
  more INTEGER NOT NULL,                -- candidates beyond the cap, at most
  took_us INTEGER NOT NULL,             -- microseconds inside the program
  turn_number INTEGER NOT NULL,         -- typed prompts so far
  turn_spent INTEGER NOT NULL,          -- tokens, before this event, as are the next three
  boundary_spent INTEGER NOT NULL,
  epoch_spent INTEGER NOT NULL,
  told_held_back INTEGER NOT NULL       -- the "held back" line had been printed in the turn; -1: not known
);
CREATE INDEX event_session ON event(session, id);
CREATE TABLE outcome (                 -- audit: what became of every candidate
  event INTEGER NOT NULL,
  position INTEGER NOT NULL,            -- in order of precedence
  note INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  form TEXT NOT NULL,
  clauses TEXT NOT NULL,                -- matched, comma-separated
  origin TEXT NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (event, position)
) WITHOUT ROWID;
CREATE INDEX outcome_note ON outcome(note, event);
CREATE TABLE event_text (              -- audit: texts of an event, where `audit.texts` asks for them
  event INTEGER NOT NULL,
  name TEXT NOT NULL,                   -- prompt, input, result
  text TEXT NOT NULL,                   -- redacted, its beginning
  PRIMARY KEY (event, name)
) WITHOUT ROWID;
CREATE TABLE lookup (                  -- audit: what was asked for by a command
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,                  -- milliseconds
  command TEXT NOT NULL,                -- recall, show
  caller TEXT NOT NULL,                 -- human, agent
  session TEXT NOT NULL,                -- the host's session that asked, or ''
  notes TEXT NOT NULL                   -- JSON list of the notes it was answered with
);
CREATE INDEX event_at ON event(at);
CREATE TABLE error (                   -- what went wrong in a hook
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,                  -- the host's name of the event
  message TEXT NOT NULL
);
CREATE TABLE setting (                 -- configuration as people set it; the newest row of a key holds
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT                            -- NULL: back to the default
);
CREATE TABLE workspace (               -- one row: what this store belongs to
  id TEXT NOT NULL,
  root TEXT NOT NULL,                   -- where it was last seen, for people; decides nothing
  created INTEGER NOT NULL
);
"""
