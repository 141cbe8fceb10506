-- A store written by version 2 of the schema. README.md says how it was made.
PRAGMA application_id = 1986356084;
PRAGMA user_version = 2;
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
CREATE VIRTUAL TABLE note_fts USING fts5(title, body, tags, words, bigrams, tokenize = 'unicode61');
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
INSERT INTO note VALUES(1,1,11821949021847550);
INSERT INTO note VALUES(2,2,9288674231451645);
INSERT INTO note VALUES(3,3,14073748835532796);
INSERT INTO note VALUES(4,15,3940649673949168);
INSERT INTO note VALUES(6,13,14073748835532786);
INSERT INTO note VALUES(7,9,11821949021847542);
INSERT INTO note VALUES(8,11,34339947158700020);
INSERT INTO note VALUES(9,10,14073748835532789);
INSERT INTO revision VALUES(1,1,1796079105019,'acquire_lock() must be called before touching workspace metadata: the watcher races with it','acquire_lock() must be called before touching workspace metadata: the watcher races with it.','gotcha','medium','[]','[]','{"clauses": [{"path": ["src/db/**"]}]}','workspace','','agent','','active',0,1796079105019,'',NULL,NULL,'','','[#1 gotcha · recorded by an agent, not reviewed]
acquire_lock() must be called before touching workspace metadata: the watcher races with it.','#1 gotcha: acquire_lock() must be called before touching workspace metadata: the watcher races with it',36,'agent','','','',0);
INSERT INTO revision VALUES(2,2,1796079105383,'Never push to main without a green canary','Never push to main without a green canary.','directive','high','[]','[]','','workspace','','agent','','active',0,1796079105383,'',NULL,NULL,'','','[#2 directive · recorded by an agent, not reviewed]
Never push to main without a green canary.','#2 directive: Never push to main without a green canary',25,'agent','','','',0);
INSERT INTO revision VALUES(3,3,1796079105757,'Deploys go through the canary first: run make canary and wait ten minutes','Deploys go through the canary first: run make canary and wait ten minutes.','finding','medium','[]','[]','{"clauses": [{"keyword": ["deploy"]}]}','workspace','','agent','','active',0,1796079105757,'',NULL,NULL,'','','[#3 finding · recorded by an agent, not reviewed]
Deploys go through the canary first: run make canary and wait ten minutes.','#3 finding: Deploys go through the canary first: run make canary and wait ten minutes',32,'agent','','','',0);
INSERT INTO revision VALUES(4,4,1796079106075,'The test database needs TZ=UTC','The test database needs TZ=UTC.','operational','medium','[]','[]','{"clauses": [{"command": ["make test"]}]}','workspace','','agent','','active',0,1796079106075,'',NULL,NULL,'','','[#4 operational · recorded by an agent, not reviewed]
The test database needs TZ=UTC.','#4 operational: The test database needs TZ=UTC',22,'agent','','','',0);
INSERT INTO revision VALUES(6,6,1796079107569,'The watcher races with writers','The watcher races with writers.','finding','medium','["race"]','["src/db/conn.py"]','','workspace','','agent','','active',1,1796079107569,'',NULL,NULL,'','','[#6 finding · recorded by an agent, not reviewed]
The watcher races with writers.','#6 finding: The watcher races with writers',21,'agent','','','',0);
INSERT INTO revision VALUES(7,7,1796079107983,'Retry three times','Retry three times.','gotcha','medium','[]','[]','{"clauses": [{"output": ["ECONNRESET"]}], "cooldown": 3, "max_deliveries": 4}','workspace','','agent','','active',0,1796079107983,'',3,4,'','','[#7 gotcha · recorded by an agent, not reviewed]
Retry three times.','#7 gotcha: Retry three times',18,'agent','','','',0);
INSERT INTO revision VALUES(8,8,1796079108424,'Old way of deploying','Old way of deploying.','reference','medium','[]','[]','{"clauses": [{"keyword": ["rollout"]}]}','workspace','','agent','','active',0,1796079108424,'',NULL,NULL,'','','[#8 reference · recorded by an agent, not reviewed]
Old way of deploying.','#8 reference: Old way of deploying',19,'agent','','','',0);
INSERT INTO revision VALUES(9,7,1796079108742,'Retry three times','Retry three times.','gotcha','medium','[]','[]','{"clauses": [{"output": ["ECONNRESET"]}], "cooldown": 3, "max_deliveries": 4}','workspace','','agent','','revoked',0,1796079107983,'',3,4,'','','[#7 gotcha · REVOKED by an agent, do not rely on it]
Revoked because: the client retries by itself
What was believed (recorded by an agent, not reviewed):
Retry three times.','#7 revoked gotcha, do not rely on it: Retry three times (revoked because: the client retries by itself)',44,'agent','','the client retries by itself','agent',0);
INSERT INTO revision VALUES(10,9,1796079109131,'Deploys use the blue lane','Deploys use the blue lane.','finding','medium','[]','[]','{"clauses": [{"keyword": ["rollout"]}]}','workspace','','agent','','active',0,1796079109131,'',NULL,NULL,'','','[#9 finding · recorded by an agent, not reviewed]
Deploys use the blue lane.','#9 finding: Deploys use the blue lane',20,'agent','','','',0);
INSERT INTO revision VALUES(11,8,1796079109131,'Old way of deploying','Old way of deploying.','reference','medium','[]','[]','{"clauses": [{"keyword": ["rollout"]}]}','workspace','','agent','','superseded',0,1796079108424,'',NULL,NULL,'','','[#8 reference · recorded by an agent, not reviewed]
Old way of deploying.','#8 reference: Old way of deploying',19,'agent','','','agent',9);
INSERT INTO revision VALUES(12,4,1796079109987,'The test database needs TZ=UTC','The test database needs TZ=UTC.','operational','medium','[]','[]','{"clauses": [{"command": ["make test"]}]}','workspace','','agent','','active',1,1796079106075,'',NULL,NULL,'','','[#4 operational · recorded by an agent, not reviewed]
The test database needs TZ=UTC.','#4 operational: The test database needs TZ=UTC',22,'agent','','','',0);
INSERT INTO revision VALUES(13,6,1796079110314,'The watcher races with writers','The watcher races with writers.','finding','medium','["race"]','["src/db/conn.py"]','','workspace','','agent','','active',0,1796079107569,'',NULL,NULL,'','','[#6 finding · recorded by an agent, not reviewed]
The watcher races with writers.','#6 finding: The watcher races with writers',21,'agent','','','',0);
INSERT INTO revision VALUES(14,4,1796079110631,'The test database needs TZ=UTC','The test database needs TZ=UTC.','operational','medium','[]','[]','{"clauses": [{"command": ["make test"]}]}','workspace','','agent','','revoked',1,1796079106075,'',NULL,NULL,'','','[#4 operational · REVOKED by an agent, do not rely on it]
Revoked because: wrong zone
What was believed (recorded by an agent, not reviewed):
The test database needs TZ=UTC.','#4 revoked operational, do not rely on it: The test database needs TZ=UTC (revoked because: wrong zone)',44,'agent','','wrong zone','agent',0);
INSERT INTO revision VALUES(15,4,1796079110953,'The test database needs TZ=UTC','The test database needs TZ=UTC.','operational','medium','[]','[]','{"clauses": [{"command": ["make test"]}]}','workspace','','agent','','active',1,1796079106075,'',NULL,NULL,'','','[#4 operational · recorded by an agent, not reviewed]
The test database needs TZ=UTC.','#4 operational: The test database needs TZ=UTC',22,'agent','','','agent',0);
INSERT INTO watched_path VALUES(6,'src/db/conn.py',4,2247413504);
INSERT INTO clause_condition VALUES(1,0,0,0,'path','src/db/**');
INSERT INTO clause_condition VALUES(2,0,0,0,'event','session-start');
INSERT INTO clause_condition VALUES(2,0,0,1,'event','post-compaction');
INSERT INTO clause_condition VALUES(3,0,0,0,'keyword','deploy');
INSERT INTO clause_condition VALUES(4,0,0,0,'command','make test');
INSERT INTO clause_condition VALUES(7,0,0,0,'output','ECONNRESET');
INSERT INTO clause_condition VALUES(9,0,0,0,'keyword','rollout');
INSERT INTO trigger_key VALUES('=src/db',11821949021847550,1);
INSERT INTO trigger_key VALUES('@post-compaction',9288674231451645,2);
INSERT INTO trigger_key VALUES('@session-start',9288674231451645,2);
INSERT INTO trigger_key VALUES('wdeploy',14073748835532796,3);
INSERT INTO trigger_key VALUES('$make',3940649673949168,4);
INSERT INTO trigger_key VALUES('oECONNRESET',11821949021847542,7);
INSERT INTO trigger_key VALUES('wrollout',14073748835532789,9);
INSERT INTO needle VALUES('wdeploy','wdeploy',3);
INSERT INTO needle VALUES('oECONNRESET','oECONNRESET',7);
INSERT INTO needle VALUES('wrollout','wrollout',9);
INSERT INTO recall_term VALUES('iconn.py',6,0);
INSERT INTO recall_term VALUES('isrc/db/conn.py',6,0);
INSERT INTO recall_term VALUES('trace',6,3);
INSERT INTO recall_term VALUES('twatcher',6,3);
INSERT INTO recall_term VALUES('twriter',6,3);
INSERT INTO recall_frequency VALUES('iconn.py',1);
INSERT INTO recall_frequency VALUES('isrc/db/conn.py',1);
INSERT INTO recall_frequency VALUES('trace',1);
INSERT INTO recall_frequency VALUES('twatcher',1);
INSERT INTO recall_frequency VALUES('twriter',1);
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES(1,'acquire_lock() must be called before touching workspace metadata: the watcher races with it','acquire_lock() must be called before touching workspace metadata: the watcher races with it.','','acquire lock acquirelock acquire lock acquirelock','');
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES(2,'Never push to main without a green canary','Never push to main without a green canary.','','','');
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES(3,'Deploys go through the canary first: run make canary and wait ten minutes','Deploys go through the canary first: run make canary and wait ten minutes.','','','');
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES(4,'The test database needs TZ=UTC','The test database needs TZ=UTC.','','','');
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES(6,'The watcher races with writers','The watcher races with writers.','race','src db conn py srcdbconnpy','');
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES(7,'Retry three times','Retry three times.','','','');
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES(8,'Old way of deploying','Old way of deploying.','','','');
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES(9,'Deploys use the blue lane','Deploys use the blue lane.','','','');
INSERT INTO conversation VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','claude','','/home/ann/shop',2,'p6',5,0,255,255,0,1,1,0,-1,0,'prompt','p6',26,1796079111902);
INSERT INTO conversation VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','a1','claude','','/home/ann/shop',0,'p2',0,0,0,0,0,0,0,0,-1,0,'post','p2',12,1796079106976);
INSERT INTO conversation VALUES('77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','claude','','/home/ann/shop',0,'q1',1,37,0,67,0,1,1,0,-1,0,'prompt','q1',19,1796079107238);
INSERT INTO conversation VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','claude','','/home/ann/shop',1,'p5',4,104,0,277,0,1,2,0,-1,0,'session:fork','',23,1796079111811);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PostToolUse:t1',4);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PostToolUse:t2',6);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PostToolUse:t3',8);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PostToolUse:t4',17);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PostToolUseFailure:t7',22);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PreToolUse:t1',3);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PreToolUse:t2',5);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PreToolUse:t3',7);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','PreToolUse:t4',16);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','prompt:p1:20696214763330528',2);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','prompt:p2:2286545064717466103',9);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','prompt:p3:474310799207',15);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','prompt:p5:32780218781919971',21);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','prompt:p6:32784012434451067',26);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','a1','PostToolUse:t9',12);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','a1','PreToolUse:t9',11);
INSERT INTO claim VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','a1','a1',10);
INSERT INTO claim VALUES('77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','','prompt:q1:133519467636068',19);
INSERT INTO turn_needle VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','p1','wdeploy');
INSERT INTO turn_needle VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','p2','wdeploy');
INSERT INTO turn_needle VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','p5','wrollout');
INSERT INTO turn_needle VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','p6','wrollout');
INSERT INTO turn_needle VALUES('77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','q1','wdeploy');
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,1,0,3,'p1',1,'full',1,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,2,0,1,'#0',0,'full',1,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,3,0,2,'p1',1,'full',1,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,4,0,7,'p1',1,'full',1,21);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,1,0,14,'p2',2,'full',0,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,2,0,14,'p2',2,'full',0,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,3,0,14,'p2',2,'full',0,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,4,0,14,'p2',2,'full',0,21);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,4,0,22,'p5',4,'full',1,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,7,0,22,'p5',4,'full',1,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,9,0,21,'p5',4,'full',1,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',2,1,0,26,'p6',5,'full',0,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',2,2,0,26,'p6',5,'full',0,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',2,3,0,26,'p6',5,'full',0,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',2,4,0,26,'p6',5,'full',0,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',2,7,0,26,'p6',5,'full',0,0);
INSERT INTO delivery VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',2,9,0,26,'p6',5,'full',0,0);
INSERT INTO delivery VALUES('77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,2,0,18,'#0',0,'full',1,0);
INSERT INTO delivery VALUES('77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,3,0,19,'q1',1,'full',1,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,1,0,3,'p1',1,'full',1,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,2,0,1,'#0',0,'full',1,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,3,0,2,'p1',1,'full',1,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,4,0,7,'p1',1,'full',1,21);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,1,0,14,'p2',2,'full',0,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,2,0,14,'p2',2,'full',0,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,3,0,14,'p2',2,'full',0,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,4,0,14,'p2',2,'full',0,21);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,4,0,22,'p5',4,'full',1,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,7,0,22,'p5',4,'full',1,0);
INSERT INTO delivery VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,9,0,21,'p5',4,'full',1,0);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',1,0,0,3);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',1,0,1,16);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',2,0,0,1);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',2,0,1,14);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',2,0,2,26);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',3,0,0,2);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',4,0,0,7);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',4,0,1,22);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',7,0,1,22);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',9,0,1,21);
INSERT INTO working_set VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa',9,0,2,26);
INSERT INTO working_set VALUES('77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',2,0,0,18);
INSERT INTO working_set VALUES('77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',3,0,0,19);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',1,0,0,3);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',1,0,1,16);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',2,0,0,1);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',2,0,1,14);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',3,0,0,2);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',4,0,0,7);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',4,0,1,22);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',7,0,1,22);
INSERT INTO working_set VALUES('88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa',9,0,1,21);
INSERT INTO work VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','edited','src/db/conn.py',6);
INSERT INTO work VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','failed','make test',22);
INSERT INTO work VALUES('5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','passed','make test',8);
INSERT INTO event VALUES(1,1796079106579,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'#0','SessionStart',5,0,'{"what":"session","source":"startup","moments":["session-start"],"branch":"main","today":"2026-11-30","worktree":"/home/ann/shop"}','',1717171901785910003,191,30,0,15408,0,0,0,0,0);
INSERT INTO event VALUES(2,1796079106618,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p1','UserPromptSubmit',5,0,'{"what":"prompt","moments":["prompt-submit"],"needles":["wdeploy"],"fresh":["wdeploy"],"branch":"main","today":"2026-11-30","prompt_id":"p1","worktree":"/home/ann/shop"}','',1908728328169821592,226,37,0,10994,1,0,0,30,0);
INSERT INTO event VALUES(3,1796079106657,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p1','PreToolUse',5,0,'{"what":"pre","moments":["pre-read"],"targets":["pre-read","src/db/conn.py"],"needles":["wdeploy"],"tool":"Read","branch":"main","today":"2026-11-30","prompt_id":"p1","worktree":"/home/ann/shop"}','',1750927975279523982,237,42,0,12539,1,37,0,67,0);
INSERT INTO event VALUES(4,1796079106692,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p1','PostToolUse',5,0,'{"what":"post","moments":["post-read"],"targets":["post-read","src/db/conn.py"],"needles":["wdeploy"],"tool":"Read","branch":"main","today":"2026-11-30","prompt_id":"p1","worktree":"/home/ann/shop","result_tokens":826}','',0,0,0,0,10189,1,79,0,109,0);
INSERT INTO event VALUES(5,1796079106727,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p1','PreToolUse',5,0,'{"what":"pre","moments":["pre-edit"],"targets":["pre-edit","src/db/conn.py"],"needles":["wdeploy"],"tool":"Edit","branch":"main","today":"2026-11-30","prompt_id":"p1","worktree":"/home/ann/shop","input":1}','',0,0,0,0,10000,1,79,0,109,0);
INSERT INTO event VALUES(6,1796079106762,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p1','PostToolUse',5,0,'{"what":"post","moments":["post-edit"],"targets":["post-edit","src/db/conn.py"],"needles":["wdeploy"],"tool":"Edit","branch":"main","today":"2026-11-30","prompt_id":"p1","worktree":"/home/ann/shop","input":1}','',0,0,0,0,13376,1,79,0,109,0);
INSERT INTO event VALUES(7,1796079106802,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p1','PreToolUse',5,0,'{"what":"pre","moments":["pre-run"],"needles":["wdeploy"],"command":"make test","tool":"Bash","branch":"main","today":"2026-11-30","prompt_id":"p1","worktree":"/home/ann/shop","input":1}','',738812145944420738,184,28,0,11351,1,79,0,109,0);
INSERT INTO event VALUES(8,1796079106843,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p1','PostToolUse',5,0,'{"what":"post","moments":["post-run"],"needles":["wdeploy"],"command":"make test","tool":"Bash","branch":"main","today":"2026-11-30","prompt_id":"p1","worktree":"/home/ann/shop","input":1}','',0,0,0,0,16408,1,107,0,137,0);
INSERT INTO event VALUES(9,1796079106880,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p2','UserPromptSubmit',5,0,'{"what":"prompt","moments":["prompt-submit"],"needles":["wdeploy"],"fresh":["wdeploy"],"branch":"main","today":"2026-11-30","prompt_id":"p2","worktree":"/home/ann/shop"}','',0,0,0,0,11707,2,0,0,137,0);
INSERT INTO event VALUES(10,1796079106914,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','a1',0,'#0','SubagentStart',5,0,'{"what":"subagent","moments":["subagent-start"],"subagent":"Explore","branch":"main","today":"2026-11-30","worktree":"/home/ann/shop"}','',0,0,0,0,6393,0,0,0,0,0);
INSERT INTO event VALUES(11,1796079106944,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','a1',0,'p2','PreToolUse',5,0,'{"what":"pre","moments":["pre-read"],"targets":["pre-read","src/db/conn.py"],"needles":["wdeploy"],"tool":"Read","subagent":"Explore","branch":"main","today":"2026-11-30","prompt_id":"p2","worktree":"/home/ann/shop"}','',0,0,0,0,9994,0,0,0,0,0);
INSERT INTO event VALUES(12,1796079106976,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','a1',0,'p2','PostToolUse',5,0,'{"what":"post","moments":["post-read"],"targets":["post-read","src/db/conn.py"],"needles":["wdeploy"],"tool":"Read","subagent":"Explore","branch":"main","today":"2026-11-30","prompt_id":"p2","worktree":"/home/ann/shop","result_tokens":837}','',0,0,0,0,9819,0,0,0,0,0);
INSERT INTO event VALUES(13,1796079107009,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'p2','PreCompact',5,0,'{"what":"compaction","source":"manual","announced":[1,2,3,4]}','',1987174861401459607,162,0,0,7469,2,0,0,137,0);
INSERT INTO event VALUES(14,1796079107039,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p2','SessionStart',5,0,'{"what":"session","source":"compact","moments":["post-compaction"],"needles":["wdeploy"],"branch":"main","today":"2026-11-30","worktree":"/home/ann/shop","work":{"edited":["src/db/conn.py"],"passed":"make test"}}','',707325363660981923,753,173,0,13139,2,0,0,0,0);
INSERT INTO event VALUES(15,1796079107090,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p3','UserPromptSubmit',5,0,'{"what":"prompt","moments":["prompt-submit"],"branch":"main","today":"2026-11-30","prompt_id":"p3","worktree":"/home/ann/shop"}','',0,0,0,0,11086,3,0,0,173,0);
INSERT INTO event VALUES(16,1796079107127,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p3','PreToolUse',5,0,'{"what":"pre","moments":["pre-read"],"targets":["pre-read","src/db/conn.py"],"tool":"Read","branch":"main","today":"2026-11-30","prompt_id":"p3","worktree":"/home/ann/shop"}','',0,0,0,0,10204,3,0,0,173,0);
INSERT INTO event VALUES(17,1796079107163,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p3','PostToolUse',5,0,'{"what":"post","moments":["post-read"],"targets":["post-read","src/db/conn.py"],"tool":"Read","branch":"main","today":"2026-11-30","prompt_id":"p3","worktree":"/home/ann/shop","result_tokens":826}','',0,0,0,0,10913,3,0,0,173,0);
INSERT INTO event VALUES(18,1796079107200,'claude','77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'#0','SessionStart',5,0,'{"what":"session","source":"startup","moments":["session-start"],"branch":"main","today":"2026-11-30","worktree":"/home/ann/shop"}','',1717171901785910003,191,30,0,13133,0,0,0,0,0);
INSERT INTO event VALUES(19,1796079107238,'claude','77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'q1','UserPromptSubmit',5,0,'{"what":"prompt","moments":["prompt-submit"],"needles":["wdeploy"],"fresh":["wdeploy"],"branch":"main","today":"2026-11-30","prompt_id":"q1","worktree":"/home/ann/shop"}','',1908728328169821592,226,37,0,12344,1,0,0,30,0);
INSERT INTO event VALUES(20,1796079107275,'claude','77aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',0,'q1','UserPromptSubmit',5,0,'{"what":"prompt","prompt_id":"q1"}','duplicate',0,0,0,0,10661,1,37,0,67,0);
INSERT INTO event VALUES(21,1796079111743,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p5','UserPromptSubmit',15,2,'{"what":"prompt","moments":["prompt-submit"],"needles":["wrollout"],"fresh":["wrollout"],"branch":"main","today":"2026-11-30","prompt_id":"p5","worktree":"/home/ann/shop"}','',1095292801405668113,179,26,0,8261,4,0,0,173,0);
INSERT INTO event VALUES(22,1796079111772,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p5','PostToolUseFailure',15,2,'{"what":"failure","moments":["post-failure"],"needles":["oECONNRESET","wrollout"],"fresh":["oECONNRESET"],"command":"make test","tool":"Bash","branch":"main","today":"2026-11-30","prompt_id":"p5","worktree":"/home/ann/shop","input":1}','',365704836684243727,392,78,0,11476,4,26,0,199,0);
INSERT INTO event VALUES(23,1796079111811,'claude','88aac94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p5','SessionStart',15,2,'{"what":"session","source":"fork","moments":["session-start"],"branch":"main","today":"2026-11-30","worktree":"/home/ann/shop","parent":"5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa"}','',0,0,0,0,13975,4,104,0,277,0);
INSERT INTO event VALUES(24,1796079111842,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p5','SessionStart',15,2,'{"what":"session","source":"resume","moments":["session-start"],"needles":["wrollout"],"branch":"main","today":"2026-11-30","worktree":"/home/ann/shop"}','',0,0,0,0,8054,4,104,0,277,0);
INSERT INTO event VALUES(25,1796079111877,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',1,'p5','PreCompact',15,2,'{"what":"compaction","source":"auto","announced":[1,2,3,4,7,9]}','',1439039336241544135,168,0,0,7991,4,104,0,277,0);
INSERT INTO event VALUES(26,1796079111902,'claude','5bffc94d-1111-4e0e-9d5c-aaaaaaaaaaaa','',2,'p6','UserPromptSubmit',15,2,'{"what":"prompt","moments":["post-compaction","prompt-submit"],"needles":["wrollout"],"fresh":["wrollout"],"branch":"main","today":"2026-11-30","prompt_id":"p6","worktree":"/home/ann/shop","work":{"edited":["src/db/conn.py"],"failed":"make test","passed":"make test"}}','',760943400721253899,1078,255,0,11713,5,0,0,0,0);
INSERT INTO outcome VALUES(1,0,2,2,'delivered','','full','0','trigger',30);
INSERT INTO outcome VALUES(2,0,3,3,'delivered','','full','0','trigger',37);
INSERT INTO outcome VALUES(3,0,1,1,'delivered','','full','0','trigger',42);
INSERT INTO outcome VALUES(4,0,1,1,'suppressed','turn: already delivered in this turn','','0','trigger',0);
INSERT INTO outcome VALUES(5,0,1,1,'suppressed','turn: already delivered in this turn','','0','trigger',0);
INSERT INTO outcome VALUES(6,0,1,1,'suppressed','turn: already delivered in this turn','','0','trigger',0);
INSERT INTO outcome VALUES(7,0,4,4,'delivered','','full','0','trigger',28);
INSERT INTO outcome VALUES(8,0,4,4,'suppressed','turn: already delivered in this turn','','0','trigger',0);
INSERT INTO outcome VALUES(9,0,3,3,'suppressed','ledger: already delivered in this epoch','','0','trigger',0);
INSERT INTO outcome VALUES(11,0,1,1,'unmatched','subagent','','','trigger',0);
INSERT INTO outcome VALUES(12,0,1,1,'unmatched','subagent','','','trigger',0);
INSERT INTO outcome VALUES(14,0,2,2,'delivered','','full','0','working set',30);
INSERT INTO outcome VALUES(14,1,1,1,'delivered','','full','','working set',45);
INSERT INTO outcome VALUES(14,2,4,4,'delivered','','full','','working set',31);
INSERT INTO outcome VALUES(14,3,3,3,'delivered','','full','','working set',41);
INSERT INTO outcome VALUES(16,0,1,1,'suppressed','ledger: already delivered in this epoch','','0','trigger',0);
INSERT INTO outcome VALUES(17,0,1,1,'suppressed','ledger: already delivered in this epoch','','0','trigger',0);
INSERT INTO outcome VALUES(18,0,2,2,'delivered','','full','0','trigger',30);
INSERT INTO outcome VALUES(19,0,3,3,'delivered','','full','0','trigger',37);
INSERT INTO outcome VALUES(21,0,9,10,'delivered','','full','0','trigger',26);
INSERT INTO outcome VALUES(22,0,4,15,'delivered','','full','0','trigger',28);
INSERT INTO outcome VALUES(22,1,7,9,'delivered','','full','0','trigger',50);
INSERT INTO outcome VALUES(23,0,4,15,'suppressed','turn: already delivered in this turn','','','pinned',0);
INSERT INTO outcome VALUES(23,1,2,2,'suppressed','ledger: already delivered in this epoch','','0','trigger',0);
INSERT INTO outcome VALUES(24,0,4,15,'suppressed','turn: already delivered in this turn','','','pinned',0);
INSERT INTO outcome VALUES(24,1,2,2,'suppressed','ledger: already delivered in this epoch','','0','trigger',0);
INSERT INTO outcome VALUES(26,0,4,15,'delivered','','full','','pinned',26);
INSERT INTO outcome VALUES(26,1,2,2,'delivered','','full','0','working set',30);
INSERT INTO outcome VALUES(26,2,7,9,'delivered','','full','','working set',53);
INSERT INTO outcome VALUES(26,3,1,1,'delivered','','full','','working set',45);
INSERT INTO outcome VALUES(26,4,9,10,'delivered','','full','0','working set',26);
INSERT INTO outcome VALUES(26,5,3,3,'delivered','','full','','working set',41);
INSERT INTO event_text VALUES(21,'prompt','rollout now');
INSERT INTO event_text VALUES(22,'input','make test');
INSERT INTO event_text VALUES(22,'result','read ECONNRESET');
INSERT INTO event_text VALUES(26,'prompt','rollout again');
INSERT INTO lookup VALUES(1,1796079111538,'recall','agent','','[3, 2]');
INSERT INTO lookup VALUES(2,1796079111690,'show','agent','','[3]');
INSERT INTO setting VALUES(1,1796079111247,'budget.turn','700');
INSERT INTO setting VALUES(2,1796079111382,'audit.texts','true');
INSERT INTO workspace VALUES('ed2e6bdee0068637968de3d5c6a92442','/home/ann/shop',1796079104594);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('revision',15);
INSERT INTO sqlite_sequence VALUES('note',9);
INSERT INTO sqlite_sequence VALUES('event',26);
INSERT INTO sqlite_sequence VALUES('setting',2);
INSERT INTO sqlite_sequence VALUES('lookup',2);
