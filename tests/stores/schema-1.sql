-- A store written by version 1 of the schema. README.md says how it was made.
PRAGMA application_id = 1986356084;
PRAGMA user_version = 1;
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
  state TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  created INTEGER NOT NULL,             -- of the note's first revision, milliseconds
  session TEXT NOT NULL,                -- the host's session that wrote it, or ''
  cooldown INTEGER,
  max_deliveries INTEGER,
  not_before TEXT NOT NULL,             -- YYYY-MM-DD or ''
  expires TEXT NOT NULL,
  text TEXT NOT NULL,                   -- rendered for the model, with slots for condition and marks
  line TEXT NOT NULL,                   -- rendered index line
  cost INTEGER NOT NULL                 -- tokens of text
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
  PRIMARY KEY (session, agent, epoch, note, clause, event)
) WITHOUT ROWID;
CREATE INDEX delivery_note ON delivery(note, event);
CREATE TABLE working_set (             -- ledger: notes whose own trigger held in the session, and when last
  session TEXT NOT NULL,
  note INTEGER NOT NULL,
  clause INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  PRIMARY KEY (session, note, clause)
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
  took_us INTEGER NOT NULL              -- microseconds inside the program
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
INSERT INTO note(id, revision, precedence) VALUES
(1, 1, 9288674231451646),
(2, 20, 10414574138294251),
(3, 3, 11821949021847548),
(4, 4, 12947848928690171),
(5, 19, 5066549580791788),
(6, 6, 15199648742375417),
(7, 7, 16325548649218040),
(8, 8, 14073748835532791),
(9, 9, 14073748835532790),
(10, 10, 14073748835532789),
(11, 11, 14073748835532788),
(12, 12, 14073748835532787),
(13, 13, 14073748835532786),
(14, 14, 5066549580791793),
(15, 15, 14073748835532784),
(18, 18, 14073748835532781);
INSERT INTO revision(id, note, at, title, body, kind, priority, tags, anchors, trigger, scope, scope_value, provenance, author, state, pinned, created, session, cooldown, max_deliveries, not_before, expires, text, line, cost) VALUES
(1, 1, 1796069110587, 'Never push to main without a green canary', 'Never push to main without a green canary.', 'directive', 'high', '[]', '[]', '', 'workspace', '', 'agent', '', 'active', 0, 1796069110587, '', NULL, NULL, '', '', '[#1 directive · recorded by an agent, not reviewed]
Never push to main without a green canary.', '#1 directive: Never push to main without a green canary', 25),
(2, 2, 1796069111048, 'Moving the cart to the new price table; the import is half done', 'Moving the cart to the new price table; the import is half done.', 'task', 'high', '["cart"]', '[]', '', 'workspace', '', 'agent', '', 'active', 0, 1796069111048, '', NULL, NULL, '', '', '[#2 task · recorded by an agent, not reviewed]
Moving the cart to the new price table; the import is half done.', '#2 task: Moving the cart to the new price table; the import is half done', 29),
(3, 3, 1796069111439, 'acquire_lock() must be called before the order table is touched: the watcher races with it', 'acquire_lock() must be called before the order table is touched: the watcher races with it.', 'gotcha', 'medium', '[]', '["src/db/conn.py", "acquire_lock"]', '', 'workspace', '', 'agent', '', 'active', 0, 1796069111439, '', NULL, NULL, '', '', '[#3 gotcha · recorded by an agent, not reviewed]
acquire_lock() must be called before the order table is touched: the watcher races with it.', '#3 gotcha: acquire_lock() must be called before the order table is touched: the watcher races with it', 36),
(4, 4, 1796069111934, 'The test database needs TZ=UTC', 'The test database needs TZ=UTC.', 'operational', 'medium', '[]', '[]', '{"clauses": [{"command": ["make test"]}]}', 'workspace', '', 'agent', '', 'active', 0, 1796069111934, '', NULL, NULL, '', '', '[#4 operational · recorded by an agent, not reviewed]
The test database needs TZ=UTC.', '#4 operational: The test database needs TZ=UTC', 22),
(5, 5, 1796069112452, 'Prices are cents', 'Prices are integers of cents everywhere; round half even.

- never floats
- `Price.parse()` refuses more than two decimals', 'finding', 'medium', '["money", "prices"]', '[]', '', 'workspace', '', 'agent', '', 'active', 0, 1796069112452, '', NULL, NULL, '', '', '[#5 finding · recorded by an agent, not reviewed]
Prices are integers of cents everywhere; round half even.

- never floats
- `Price.parse()` refuses more than two decimals', '#5 finding: Prices are cents', 44),
(6, 6, 1796069113078, 'We chose SQLite over Postgres because the shop must run without a server', 'We chose SQLite over Postgres because the shop must run without a server.', 'decision', 'medium', '[]', '[]', '', 'workspace', '', 'agent', '', 'active', 0, 1796069113078, '', NULL, NULL, '', '', '[#6 decision · recorded by an agent, not reviewed]
We chose SQLite over Postgres because the shop must run without a server.', '#6 decision: We chose SQLite over Postgres because the shop must run without a server', 32),
(7, 7, 1796069113776, 'The tax tables are documented in docs/tax_tables.md', 'The tax tables are documented in docs/tax_tables.md.', 'reference', 'medium', '[]', '["README.md"]', '', 'workspace', '', 'agent', '', 'active', 0, 1796069113776, '', NULL, NULL, '', '', '[#7 reference · recorded by an agent, not reviewed]
The tax tables are documented in docs/tax_tables.md.', '#7 reference: The tax tables are documented in docs/tax_tables.md', 27),
(8, 8, 1796069114642, 'Deploys go through the canary first', 'Deploys go through the canary first.', 'finding', 'medium', '[]', '[]', '{"clauses": [{"keyword": ["deploy", "配布"], "unless": {"branch": ["release/*"]}}], "cooldown": 2}', 'workspace', '', 'agent', '', 'active', 0, 1796069114642, '', 2, NULL, '', '', '[#8 finding · recorded by an agent, not reviewed]
Deploys go through the canary first.', '#8 finding: Deploys go through the canary first', 23),
(9, 9, 1796069115000, 'E_LOCKED means that a watcher still runs: stop it', 'E_LOCKED means that a watcher still runs: stop it.', 'finding', 'medium', '[]', '[]', '{"clauses": [{"output": ["E_LOCKED", "/lock(ed)? by \\d+/"]}], "max_deliveries": 2}', 'workspace', '', 'agent', '', 'active', 0, 1796069115000, '', NULL, 2, '', '', '[#9 finding · recorded by an agent, not reviewed]
E_LOCKED means that a watcher still runs: stop it.', '#9 finding: E_LOCKED means that a watcher still runs: stop it', 26),
(10, 10, 1796069115327, 'legacy_total() is wrong for refunds', 'legacy_total() is wrong for refunds.', 'finding', 'medium', '[]', '[]', '{"clauses": [{"event": ["pre-edit"], "path": ["src/**"], "symbol": ["legacy_total"]}]}', 'workspace', '', 'agent', '', 'active', 0, 1796069115327, '', NULL, NULL, '', '', '[#10 finding · recorded by an agent, not reviewed]
legacy_total() is wrong for refunds.', '#10 finding: legacy_total() is wrong for refunds', 23),
(11, 11, 1796069115740, 'Browser tools are slow here', 'Browser tools are slow here.', 'finding', 'medium', '[]', '[]', '{"clauses": [{"tool": ["mcp__browser__*"], "subagent": ["Explore"]}]}', 'workspace', '', 'agent', '', 'active', 0, 1796069115740, '', NULL, NULL, '', '', '[#11 finding · recorded by an agent, not reviewed]
Browser tools are slow here.', '#11 finding: Browser tools are slow here', 21),
(12, 12, 1796069116244, 'The release branch is frozen', 'The release branch is frozen.', 'finding', 'medium', '[]', '[]', '{"clauses": [{"event": ["pre-commit"], "branch": ["release/*"]}], "not_before": "2026-01-01", "expires": "2099-01-01"}', 'workspace', '', 'agent', '', 'active', 0, 1796069116244, '', NULL, NULL, '2026-01-01', '2099-01-01', '[#12 finding · recorded by an agent, not reviewed]
The release branch is frozen.', '#12 finding: The release branch is frozen', 21),
(13, 13, 1796069116764, 'Only for this branch', 'Only for this branch.', 'finding', 'medium', '[]', '[]', '{"clauses": [{"keyword": ["branchy"]}]}', 'branch', 'main', 'agent', '', 'active', 0, 1796069116764, '', NULL, NULL, '', '', '[#13 finding · recorded by an agent, not reviewed]
Only for this branch.', '#13 finding: Only for this branch', 19),
(14, 14, 1796069117269, 'This session looks at refunds', 'This session looks at refunds.', 'finding', 'medium', '[]', '[]', '{"clauses": [{"keyword": ["refund"]}]}', 'session', 'session-1', 'agent', '', 'active', 1, 1796069117269, 'session-1', NULL, NULL, '', '', '[#14 finding · recorded by an agent, not reviewed]
This session looks at refunds.', '#14 finding: This session looks at refunds', 21),
(15, 15, 1796069117757, 'The reviewer asked for smaller commits', 'The reviewer asked for smaller commits.', 'finding', 'medium', '[]', '[]', '', 'workspace', '', 'agent', 'reviewer', 'active', 0, 1796069117757, 'session-1', NULL, NULL, '', '', '[#15 finding · recorded by agent "reviewer", not reviewed]
The reviewer asked for smaller commits.', '#15 finding: The reviewer asked for smaller commits', 26),
(18, 18, 1796069118674, '数据库连接在空闲五分钟后断开', '数据库连接在空闲五分钟后断开。', 'finding', 'medium', '[]', '[]', '{"clauses": [{"keyword": ["数据库"]}]}', 'workspace', '', 'agent', '', 'active', 0, 1796069118674, '', NULL, NULL, '', '', '[#18 finding · recorded by an agent, not reviewed]
数据库连接在空闲五分钟后断开。', '#18 finding: 数据库连接在空闲五分钟后断开', 29),
(19, 5, 1796069118939, 'Prices are cents', 'Prices are integers of cents everywhere; round half even.

- never floats
- `Price.parse()` refuses more than two decimals', 'finding', 'medium', '["money", "prices"]', '[]', '', 'workspace', '', 'agent', '', 'active', 1, 1796069112452, '', NULL, NULL, '', '', '[#5 finding · recorded by an agent, not reviewed]
Prices are integers of cents everywhere; round half even.

- never floats
- `Price.parse()` refuses more than two decimals', '#5 finding: Prices are cents', 44),
(20, 2, 1796069119837, 'Moving the cart to the new price table; the import is nearly done', 'Moving the cart to the new price table; the import is nearly done.', 'task', 'high', '["cart"]', '[]', '', 'workspace', '', 'agent', '', 'active', 0, 1796069111048, '', NULL, NULL, '', '', '[#2 task · recorded by an agent, not reviewed]
Moving the cart to the new price table; the import is nearly done.', '#2 task: Moving the cart to the new price table; the import is nearly done', 29);
INSERT INTO watched_path(note, path, size, crc) VALUES
(3, 'src/db/conn.py', 10, 1476457795),
(7, 'README.md', 7, 1775603531);
INSERT INTO clause_condition(note, clause, veto, position, name, value) VALUES
(1, 0, 0, 0, 'event', 'session-start'),
(1, 0, 0, 1, 'event', 'post-compaction'),
(2, 0, 0, 0, 'event', 'session-start'),
(2, 0, 0, 1, 'event', 'post-compaction'),
(3, 0, 0, 0, 'event', 'pre-edit'),
(3, 0, 0, 1, 'event', 'post-read'),
(3, 0, 0, 2, 'path', 'src/db/conn.py'),
(4, 0, 0, 0, 'command', 'make test'),
(8, 0, 0, 0, 'keyword', 'deploy'),
(8, 0, 0, 1, 'keyword', '配布'),
(8, 0, 1, 0, 'branch', 'release/*'),
(9, 0, 0, 0, 'output', 'E_LOCKED'),
(9, 0, 0, 1, 'output', '/lock(ed)? by \d+/'),
(10, 0, 0, 0, 'event', 'pre-edit'),
(10, 0, 0, 1, 'path', 'src/**'),
(10, 0, 0, 2, 'symbol', 'legacy_total'),
(11, 0, 0, 0, 'tool', 'mcp__browser__*'),
(11, 0, 0, 1, 'subagent', 'Explore'),
(12, 0, 0, 0, 'event', 'pre-commit'),
(12, 0, 0, 1, 'branch', 'release/*'),
(13, 0, 0, 0, 'keyword', 'branchy'),
(14, 0, 0, 0, 'keyword', 'refund'),
(18, 0, 0, 0, 'keyword', '数据库');
INSERT INTO trigger_key(key, precedence, note) VALUES
('@post-compaction', 9288674231451646, 1),
('@session-start', 9288674231451646, 1),
('@post-compaction', 10414574138294251, 2),
('@session-start', 10414574138294251, 2),
('=src/db/conn.py', 11821949021847548, 3),
('$make', 12947848928690171, 4),
('wdeploy', 14073748835532791, 8),
('w配布', 14073748835532791, 8),
('o/lock(ed)? by \d+/', 14073748835532790, 9),
('oE_LOCKED', 14073748835532790, 9),
('=src', 14073748835532789, 10),
('aExplore', 14073748835532788, 11),
('@pre-commit', 14073748835532787, 12),
('wbranchy', 14073748835532786, 13),
('wrefund', 5066549580791793, 14),
('w数据库', 14073748835532781, 18);
INSERT INTO needle(token, text, note) VALUES
('wdeploy', 'wdeploy', 8),
('w配布', 'w配布', 8),
('oE_LOCKED', 'oE_LOCKED', 9),
('oby', 'o/lock(ed)? by \d+/', 9),
('slegacy_total', 'slegacy_total', 10),
('wbranchy', 'wbranchy', 13),
('wrefund', 'wrefund', 14),
('w数据', 'w数据库', 18);
INSERT INTO recall_term(term, note, words) VALUES
('idocs/tax_tables.md', 7, 0),
('iprice.parse', 5, 0),
('itax_tables', 7, 0),
('itax_tables.md', 7, 0),
('tasked', 15, 4),
('tcent', 5, 2),
('tchose', 6, 5),
('tcommit', 15, 4),
('tdoc', 7, 5),
('tdocumented', 7, 5),
('tpostgre', 6, 5),
('tprice', 5, 2),
('treviewer', 15, 4),
('tserver', 6, 5),
('tshop', 6, 5),
('tsmaller', 15, 4),
('tsqlite', 6, 5),
('ttable', 7, 5),
('ttax', 7, 5),
('ttax_table', 7, 5);
INSERT INTO recall_frequency(term, notes) VALUES
('idocs/tax_tables.md', 1),
('iprice.parse', 1),
('itax_tables', 1),
('itax_tables.md', 1),
('tasked', 1),
('tcent', 1),
('tchose', 1),
('tcommit', 1),
('tdoc', 1),
('tdocumented', 1),
('tpostgre', 1),
('tprice', 1),
('treviewer', 1),
('tserver', 1),
('tshop', 1),
('tsmaller', 1),
('tsqlite', 1),
('ttable', 1),
('ttax', 1),
('ttax_table', 1);
INSERT INTO note_fts(rowid, title, body, tags, words, bigrams) VALUES
(1, 'Never push to main without a green canary', 'Never push to main without a green canary.', '', '', ''),
(2, 'Moving the cart to the new price table; the import is nearly done', 'Moving the cart to the new price table; the import is nearly done.', 'cart', '', ''),
(3, 'acquire_lock() must be called before the order table is touched: the watcher races with it', 'acquire_lock() must be called before the order table is touched: the watcher races with it.', '', 'acquire lock acquirelock acquire lock acquirelock src db conn py srcdbconnpy acquire lock acquirelock', ''),
(4, 'The test database needs TZ=UTC', 'The test database needs TZ=UTC.', '', '', ''),
(5, 'Prices are cents', 'Prices are integers of cents everywhere; round half even.

- never floats
- `Price.parse()` refuses more than two decimals', 'money prices', 'price parse priceparse', ''),
(6, 'We chose SQLite over Postgres because the shop must run without a server', 'We chose SQLite over Postgres because the shop must run without a server.', '', 'sq lite sq lite', ''),
(7, 'The tax tables are documented in docs/tax_tables.md', 'The tax tables are documented in docs/tax_tables.md.', '', 'docs tax tables md docstaxtablesmd docs tax tables md docstaxtablesmd readme md readmemd', ''),
(8, 'Deploys go through the canary first', 'Deploys go through the canary first.', '', '', ''),
(9, 'E_LOCKED means that a watcher still runs: stop it', 'E_LOCKED means that a watcher still runs: stop it.', '', 'e locked elocked e locked elocked', ''),
(10, 'legacy_total() is wrong for refunds', 'legacy_total() is wrong for refunds.', '', 'legacy total legacytotal legacy total legacytotal', ''),
(11, 'Browser tools are slow here', 'Browser tools are slow here.', '', '', ''),
(12, 'The release branch is frozen', 'The release branch is frozen.', '', '', ''),
(13, 'Only for this branch', 'Only for this branch.', '', '', ''),
(14, 'This session looks at refunds', 'This session looks at refunds.', '', '', ''),
(15, 'The reviewer asked for smaller commits', 'The reviewer asked for smaller commits.', '', '', ''),
(18, '数据库连接在空闲五分钟后断开', '数据库连接在空闲五分钟后断开。', '', '', '数据 据库 库连 连接 接在 在空 空闲 闲五 五分 分钟 钟后 后断 断开 数据 据库 库连 连接 接在 在空 空闲 闲五 五分 分钟 钟后 后断 断开');
INSERT INTO conversation(session, agent, host, transcript, worktree, epoch, turn, turn_number, turn_spent, boundary_spent, epoch_spent, told_held_back, started, prompts, armed, armed_size, kept_event, last_event, last_prompt, last_event_id, seen) VALUES
('session-1', '', 'claude', '/home/ann/shop/session-1.jsonl', '/home/ann/shop', 2, 'prompt-1', 6, 0, 0, 439, 0, 1, 3, 0, -1, 0, 'prompt', 'prompt-1', 31, 1796069121108),
('session-1', 'agent-1', 'claude', '/home/ann/shop/session-1.jsonl', '/home/ann/shop', 0, 'prompt-5', 0, 28, 0, 28, 0, 0, 0, 0, -1, 0, 'pre', 'prompt-5', 23, 1796069120836),
('session-2', '', 'claude', '/home/ann/shop/session-2.jsonl', '/home/ann/shop', 3, 'prompt-2', 5, 0, 324, 324, 0, 1, 0, 0, -1, 0, 'session:compact', 'prompt-2', 28, 1796069121025),
('session-3', '', 'claude', '/home/ann/shop/session-3.jsonl', '/home/ann/shop', 0, 'twice', 3, 0, 0, 182, 0, 1, 3, 0, -1, 0, 'prompt', 'twice', 37, 1796069121289);
INSERT INTO claim(session, agent, key, event) VALUES
('session-1', '', 'PostToolUse:call-2', 4),
('session-1', '', 'PostToolUse:call-4', 6),
('session-1', '', 'PostToolUse:call-7', 9),
('session-1', '', 'PostToolUse:call-8', 11),
('session-1', '', 'PostToolUseFailure:call-6', 8),
('session-1', '', 'PreToolUse:call-1', 3),
('session-1', '', 'PreToolUse:call-10', 18),
('session-1', '', 'PreToolUse:call-3', 5),
('session-1', '', 'PreToolUse:call-5', 7),
('session-1', '', 'PreToolUse:call-9', 15),
('session-1', '', 'prompt:prompt-1:133519467636068', 31),
('session-1', '', 'prompt:prompt-1:1635776847342432020', 2),
('session-1', '', 'prompt:prompt-2:1342733073598471367', 10),
('session-1', '', 'prompt:prompt-4:384071924965217053', 14),
('session-1', '', 'prompt:prompt-5:154139447683670212', 19),
('session-1', '', 'prompt:prompt-6:133519467636068', 30),
('session-1', 'agent-1', 'PostToolUse:call-1009', 22),
('session-1', 'agent-1', 'PreToolUse:call-1008', 21),
('session-1', 'agent-1', 'PreToolUse:call-1010', 23),
('session-1', 'agent-1', 'agent-1', 20),
('session-2', '', 'PreToolUse:call-1', 26),
('session-2', '', 'prompt:prompt-1:669836963258808959', 25),
('session-3', '', 'PreToolUse:call-1', 35),
('session-3', '', 'PreToolUse:call-2', 36),
('session-3', '', 'prompt:twice:388471103991110391', 37);
INSERT INTO turn_needle(session, turn, text) VALUES
('session-1', 'prompt-1', 'wdeploy'),
('session-1', 'prompt-2', 'wdeploy'),
('session-1', 'prompt-2', 'wrefund'),
('session-1', 'prompt-4', 'slegacy_total'),
('session-1', 'prompt-4', 'w数据库'),
('session-1', 'prompt-5', 'wdeploy'),
('session-1', 'prompt-6', 'wdeploy'),
('session-2', 'prompt-1', 'wdeploy'),
('session-3', '#2', 'wdeploy'),
('session-3', 'twice', 'wdeploy');
INSERT INTO delivery(session, agent, epoch, note, clause, event, turn, turn_number, form, counted) VALUES
('session-1', '', 0, 1, 0, 1, '#0', 0, 'full', 1),
('session-1', '', 0, 2, 0, 1, '#0', 0, 'full', 1),
('session-1', '', 0, 3, 0, 4, 'prompt-1', 1, 'full', 1),
('session-1', '', 0, 4, 0, 7, 'prompt-1', 1, 'full', 1),
('session-1', '', 0, 5, -1, 1, '#0', 0, 'full', 1),
('session-1', '', 0, 8, 0, 2, 'prompt-1', 1, 'full', 1),
('session-1', '', 0, 9, 0, 9, 'prompt-1', 1, 'full', 1),
('session-1', '', 0, 14, -1, 1, '#0', 0, 'full', 1),
('session-1', '', 0, 14, 0, 10, 'prompt-2', 2, 'index', 1),
('session-1', '', 0, 16, 0, 2, 'prompt-1', 1, 'full', 1),
('session-1', '', 1, 1, 0, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 2, 0, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 3, 0, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 4, 0, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 5, -1, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 8, 0, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 9, 0, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 10, 0, 15, 'prompt-4', 3, 'full', 1),
('session-1', '', 1, 14, 0, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 15, -1, 13, 'prompt-3', 2, 'full', 0),
('session-1', '', 1, 18, 0, 14, 'prompt-4', 3, 'full', 1),
('session-1', '', 2, 1, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 2, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 3, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 4, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 5, -1, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 8, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 8, 0, 30, 'prompt-6', 5, 'full', 1),
('session-1', '', 2, 9, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 10, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 14, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 15, -1, 17, 'prompt-4', 3, 'full', 0),
('session-1', '', 2, 18, 0, 17, 'prompt-4', 3, 'full', 0),
('session-1', 'agent-1', 0, 11, 0, 21, 'prompt-5', 0, 'full', 1),
('session-2', '', 0, 1, 0, 1, '#0', 0, 'full', 1),
('session-2', '', 0, 2, 0, 1, '#0', 0, 'full', 1),
('session-2', '', 0, 3, 0, 4, 'prompt-1', 1, 'full', 1),
('session-2', '', 0, 4, 0, 7, 'prompt-1', 1, 'full', 1),
('session-2', '', 0, 5, -1, 1, '#0', 0, 'full', 1),
('session-2', '', 0, 8, 0, 2, 'prompt-1', 1, 'full', 1),
('session-2', '', 0, 9, 0, 9, 'prompt-1', 1, 'full', 1),
('session-2', '', 0, 14, -1, 1, '#0', 0, 'full', 1),
('session-2', '', 0, 14, 0, 10, 'prompt-2', 2, 'index', 1),
('session-2', '', 0, 16, 0, 2, 'prompt-1', 1, 'full', 1),
('session-2', '', 1, 1, 0, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 2, 0, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 3, 0, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 4, 0, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 5, -1, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 8, 0, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 9, 0, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 10, 0, 15, 'prompt-4', 3, 'full', 1),
('session-2', '', 1, 14, 0, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 15, -1, 13, 'prompt-3', 2, 'full', 0),
('session-2', '', 1, 18, 0, 14, 'prompt-4', 3, 'full', 1),
('session-2', '', 2, 1, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 2, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 3, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 4, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 5, -1, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 8, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 8, 0, 25, 'prompt-1', 5, 'full', 1),
('session-2', '', 2, 9, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 10, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 14, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 15, -1, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 2, 18, 0, 17, 'prompt-4', 3, 'full', 0),
('session-2', '', 3, 1, 0, 28, 'prompt-2', 5, 'full', 0),
('session-2', '', 3, 2, 0, 28, 'prompt-2', 5, 'full', 0),
('session-2', '', 3, 3, 0, 28, 'prompt-2', 5, 'full', 0),
('session-2', '', 3, 4, 0, 28, 'prompt-2', 5, 'full', 0),
('session-2', '', 3, 5, -1, 28, 'prompt-2', 5, 'full', 0),
('session-2', '', 3, 8, 0, 28, 'prompt-2', 5, 'full', 0),
('session-2', '', 3, 9, 0, 28, 'prompt-2', 5, 'full', 0),
('session-2', '', 3, 10, 0, 28, 'prompt-2', 5, 'full', 0),
('session-2', '', 3, 18, 0, 28, 'prompt-2', 5, 'full', 0),
('session-3', '', 0, 1, 0, 32, '#0', 0, 'full', 1),
('session-3', '', 0, 2, 0, 32, '#0', 0, 'full', 1),
('session-3', '', 0, 3, 0, 35, 'prompt-2', 2, 'full', 1),
('session-3', '', 0, 5, -1, 32, '#0', 0, 'full', 1),
('session-3', '', 0, 8, 0, 34, '#2', 2, 'full', 1);
INSERT INTO working_set(session, note, clause, epoch) VALUES
('session-1', 1, 0, 2),
('session-1', 2, 0, 2),
('session-1', 3, 0, 0),
('session-1', 4, 0, 0),
('session-1', 8, 0, 2),
('session-1', 9, 0, 0),
('session-1', 10, 0, 1),
('session-1', 14, 0, 0),
('session-1', 16, 0, 0),
('session-1', 18, 0, 1),
('session-2', 1, 0, 3),
('session-2', 2, 0, 3),
('session-2', 3, 0, 2),
('session-2', 4, 0, 0),
('session-2', 8, 0, 2),
('session-2', 9, 0, 0),
('session-2', 10, 0, 1),
('session-2', 14, 0, 0),
('session-2', 16, 0, 0),
('session-2', 18, 0, 1),
('session-3', 1, 0, 0),
('session-3', 2, 0, 0),
('session-3', 3, 0, 0),
('session-3', 8, 0, 0);
INSERT INTO work(session, what, value, event) VALUES
('session-1', 'edited', 'src/db/conn.py', 6),
('session-1', 'passed', 'make test', 11);
INSERT INTO event(id, at, host, session, agent, epoch, turn, name, note_revision, setting_revision, facts, remark, printed_checksum, printed_bytes, cost, more, took_us) VALUES
(1, 1796069119968, 'claude', 'session-1', '', 0, '#0', 'SessionStart', 20, 4, '{"moments":["session-start"],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"startup","prompt_id":"","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 2025147926378452568, 609, 136, 0, 33988),
(2, 1796069120005, 'claude', 'session-1', '', 0, 'prompt-1', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":["wdeploy"],"slow":[],"recalled":[]}', '', 536482997607899320, 283, 53, 0, 23952),
(3, 1796069120051, 'claude', 'session-1', '', 0, 'prompt-1', 'PreToolUse', 20, 4, '{"moments":["pre-read"],"targets":["pre-read","src/db/conn.py"],"needles":["wdeploy"],"command":"","tool":"Read","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 7157),
(4, 1796069120085, 'claude', 'session-1', '', 0, 'prompt-1', 'PostToolUse', 20, 4, '{"moments":["post-read"],"targets":["post-read","src/db/conn.py"],"needles":["wdeploy"],"command":"","tool":"Read","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 380614178885863556, 242, 43, 0, 14798),
(5, 1796069120127, 'claude', 'session-1', '', 0, 'prompt-1', 'PreToolUse', 20, 4, '{"moments":["pre-edit"],"targets":["pre-edit","src/db/conn.py"],"needles":["wdeploy"],"command":"","tool":"Edit","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 15215),
(6, 1796069120165, 'claude', 'session-1', '', 0, 'prompt-1', 'PostToolUse', 20, 4, '{"moments":["post-edit"],"targets":["post-edit","src/db/conn.py"],"needles":["wdeploy"],"command":"","tool":"Edit","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 11907),
(7, 1796069120197, 'claude', 'session-1', '', 0, 'prompt-1', 'PreToolUse', 20, 4, '{"moments":["pre-run"],"targets":[],"needles":["wdeploy"],"command":"make test","tool":"Bash","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 738812145944420738, 184, 28, 0, 18508),
(8, 1796069120239, 'claude', 'session-1', '', 0, 'prompt-1', 'PostToolUseFailure', 20, 4, '{"moments":["post-failure"],"targets":[],"needles":["wdeploy"],"command":"make test","tool":"Bash","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 9818),
(9, 1796069120266, 'claude', 'session-1', '', 0, 'prompt-1', 'PostToolUse', 20, 4, '{"moments":["post-run"],"targets":[],"needles":["o/lock(ed)? by \\d+/","oE_LOCKED","wdeploy"],"command":"make lint","tool":"Bash","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":["o/lock(ed)? by \\d+/","oE_LOCKED"],"slow":[],"recalled":[]}', '', 2116607416937571384, 198, 32, 0, 19380),
(10, 1796069120444, 'claude', 'session-1', '', 0, 'prompt-2', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["wdeploy","wrefund"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-2","worktree":"/home/ann/shop","fresh":["wdeploy","wrefund"],"slow":[],"recalled":[]}', '', 1643164738383760311, 124, 11, 0, 11636),
(11, 1796069120483, 'claude', 'session-1', '', 0, 'prompt-2', 'PostToolUse', 20, 4, '{"moments":["post-run"],"targets":[],"needles":["wdeploy","wrefund"],"command":"make test","tool":"Bash","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-2","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 9944),
(12, 1796069120514, 'claude', 'session-1', '', 0, 'prompt-2', 'PreCompact', 20, 4, '{"moments":[],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"","today":"","source":"manual","prompt_id":"prompt-3","worktree":"","fresh":[],"slow":[],"recalled":[]}', '', 175927689844872002, 176, 0, 0, 5298),
(13, 1796069120540, 'claude', 'session-1', '', 1, 'prompt-3', 'SessionStart', 20, 4, '{"moments":["post-compaction"],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"compact","prompt_id":"prompt-3","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 666097053863473341, 1417, 341, 0, 9086),
(14, 1796069120565, 'claude', 'session-1', '', 1, 'prompt-4', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["slegacy_total","w数据库"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-4","worktree":"/home/ann/shop","fresh":["slegacy_total","w数据库"],"slow":[],"recalled":[]}', '', 1232531149551040565, 201, 36, 0, 8780),
(15, 1796069120593, 'claude', 'session-1', '', 1, 'prompt-4', 'PreToolUse', 20, 4, '{"moments":["pre-edit"],"targets":["pre-edit","src/cart.py"],"needles":["slegacy_total","w数据库"],"command":"","tool":"Edit","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-4","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 681037994932890532, 180, 27, 0, 7847),
(16, 1796069120622, 'claude', 'session-1', '', 1, 'prompt-4', 'PreCompact', 20, 4, '{"moments":[],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"","today":"","source":"auto","prompt_id":"prompt-4","worktree":"","fresh":[],"slow":[],"recalled":[]}', '', 1600240906085897429, 184, 0, 0, 4959),
(17, 1796069120655, 'claude', 'session-1', '', 2, 'prompt-4', 'SessionStart', 20, 4, '{"moments":["post-compaction"],"targets":[],"needles":["slegacy_total","w数据库"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"compact","prompt_id":"prompt-4","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 1327528432469087474, 1672, 411, 0, 9731),
(18, 1796069120689, 'claude', 'session-1', '', 2, 'prompt-4', 'PreToolUse', 20, 4, '{"moments":["pre-run","pre-commit"],"targets":[],"needles":["slegacy_total","w数据库"],"command":"git commit -m x","tool":"Bash","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-4","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 8692),
(19, 1796069120716, 'claude', 'session-1', '', 2, 'prompt-5', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-5","worktree":"/home/ann/shop","fresh":["wdeploy"],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 8743),
(20, 1796069120748, 'claude', 'session-1', 'agent-1', 0, 'prompt-5', 'SubagentStart', 20, 4, '{"moments":["subagent-start"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"Explore","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-5","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 10719),
(21, 1796069120779, 'claude', 'session-1', 'agent-1', 0, 'prompt-5', 'PreToolUse', 20, 4, '{"moments":["pre-run"],"targets":[],"needles":["wdeploy"],"command":"","tool":"mcp__browser__open","subagent":"Explore","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-5","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 1608805512448943779, 181, 28, 0, 6778),
(22, 1796069120809, 'claude', 'session-1', 'agent-1', 0, 'prompt-5', 'PostToolUse', 20, 4, '{"moments":["post-read"],"targets":["post-read","src/db/conn.py"],"needles":["wdeploy"],"command":"","tool":"Read","subagent":"Explore","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-5","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 7606),
(23, 1796069120836, 'claude', 'session-1', 'agent-1', 0, 'prompt-5', 'PreToolUse', 20, 4, '{"moments":["pre-edit"],"targets":["pre-edit","src/db/conn.py"],"needles":["wdeploy"],"command":"","tool":"Edit","subagent":"Explore","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-5","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 7557),
(24, 1796069120865, 'claude', 'session-2', '', 2, 'prompt-5', 'SessionStart', 20, 4, '{"moments":["session-start"],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"fork","prompt_id":"","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 6223),
(25, 1796069120934, 'claude', 'session-2', '', 2, 'prompt-1', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":["wdeploy"],"slow":[],"recalled":[]}', '', 481435517435979206, 188, 28, 0, 44858),
(26, 1796069120972, 'claude', 'session-2', '', 2, 'prompt-1', 'PreToolUse', 20, 4, '{"moments":["pre-edit"],"targets":["pre-edit","src/db/conn.py"],"needles":["wdeploy"],"command":"","tool":"Edit","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 11722),
(27, 1796069121000, 'claude', 'session-2', '', 2, 'prompt-1', 'PreCompact', 20, 4, '{"moments":[],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"","today":"","source":"manual","prompt_id":"prompt-2","worktree":"","fresh":[],"slow":[],"recalled":[]}', '', 2020335631011895764, 180, 0, 0, 4695),
(28, 1796069121025, 'claude', 'session-2', '', 3, 'prompt-2', 'SessionStart', 20, 4, '{"moments":["post-compaction"],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"compact","prompt_id":"prompt-2","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 1719737217828197431, 1328, 324, 0, 13333),
(29, 1796069121060, 'claude', 'session-1', '', 2, 'prompt-5', 'SessionStart', 20, 4, '{"moments":["session-start"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"resume","prompt_id":"","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 6190),
(30, 1796069121083, 'claude', 'session-1', '', 2, 'prompt-6', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-6","worktree":"/home/ann/shop","fresh":["wdeploy"],"slow":[],"recalled":[]}', '', 481435517435979206, 188, 28, 0, 7858),
(31, 1796069121108, 'claude', 'session-1', '', 2, 'prompt-1', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-1","worktree":"/home/ann/shop","fresh":["wdeploy"],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 11875),
(32, 1796069121145, 'claude', 'session-3', '', 0, '#0', 'SessionStart', 20, 4, '{"moments":["session-start"],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"startup","prompt_id":"","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 1463256583924007352, 514, 111, 0, 11841),
(33, 1796069121178, 'claude', 'session-3', '', 0, '#1', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 5983),
(34, 1796069121205, 'claude', 'session-3', '', 0, '#2', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"","worktree":"/home/ann/shop","fresh":["wdeploy"],"slow":[],"recalled":[]}', '', 481435517435979206, 188, 28, 0, 7909),
(35, 1796069121230, 'claude', 'session-3', '', 0, 'prompt-2', 'PreToolUse', 20, 4, '{"moments":["pre-edit"],"targets":["pre-edit","src/db/conn.py"],"needles":[],"command":"","tool":"Edit","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-2","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 1562337040573595025, 241, 43, 0, 8245),
(36, 1796069121261, 'claude', 'session-3', '', 0, 'prompt-2', 'PreToolUse', 20, 4, '{"moments":["pre-edit"],"targets":["pre-edit","src/db/conn.py"],"needles":[],"command":"","tool":"Edit","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"prompt-2","worktree":"/home/ann/shop","fresh":[],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 11649),
(37, 1796069121289, 'claude', 'session-3', '', 0, 'twice', 'UserPromptSubmit', 20, 4, '{"moments":["prompt-submit"],"targets":[],"needles":["wdeploy"],"command":"","tool":"","subagent":"","branch":"main","today":"2026-11-30","source":"","prompt_id":"twice","worktree":"/home/ann/shop","fresh":["wdeploy"],"slow":[],"recalled":[]}', '', 0, 0, 0, 0, 9694),
(38, 1796069121314, 'claude', 'session-3', '', 0, 'twice', 'UserPromptSubmit', 20, 4, '{"moments":[],"targets":[],"needles":[],"command":"","tool":"","subagent":"","branch":"","today":"","source":"","prompt_id":"twice","worktree":"","fresh":[],"slow":[],"recalled":[]}', 'duplicate', 0, 0, 0, 0, 7232);
INSERT INTO outcome(event, position, note, revision, status, reason, form, clauses, origin, cost) VALUES
(1, 0, 5, 19, 'delivered', '', 'full', '', 'pinned', 47),
(1, 1, 14, 14, 'delivered', '', 'full', '', 'pinned', 25),
(1, 2, 1, 1, 'delivered', '', 'full', '0', 'trigger', 30),
(1, 3, 2, 20, 'delivered', '', 'full', '0', 'trigger', 34),
(2, 0, 16, 16, 'delivered', '', 'full', '0', 'trigger', 25),
(2, 1, 8, 8, 'delivered', '', 'full', '0', 'trigger', 28),
(3, 0, 3, 3, 'unmatched', 'event', '', '', 'trigger', 0),
(3, 1, 10, 10, 'unmatched', 'event', '', '', 'trigger', 0),
(4, 0, 3, 3, 'delivered', '', 'full', '0', 'trigger', 43),
(4, 1, 10, 10, 'unmatched', 'event', '', '', 'trigger', 0),
(5, 0, 3, 3, 'suppressed', 'turn: already delivered in this turn', '', '0', 'trigger', 0),
(5, 1, 10, 10, 'unmatched', 'symbol', '', '', 'trigger', 0),
(6, 0, 3, 3, 'unmatched', 'event', '', '', 'trigger', 0),
(6, 1, 10, 10, 'unmatched', 'event', '', '', 'trigger', 0),
(7, 0, 4, 4, 'delivered', '', 'full', '0', 'trigger', 28),
(8, 0, 4, 4, 'suppressed', 'turn: already delivered in this turn', '', '0', 'trigger', 0),
(9, 0, 4, 4, 'unmatched', 'command', '', '', 'trigger', 0),
(9, 1, 9, 9, 'delivered', '', 'full', '0', 'trigger', 32),
(10, 0, 14, 14, 'delivered', '', 'index', '0', 'trigger', 11),
(10, 1, 8, 8, 'suppressed', 'ledger: already delivered in this epoch (cooldown 2)', '', '0', 'trigger', 0),
(11, 0, 4, 4, 'suppressed', 'ledger: already delivered in this epoch', '', '0', 'trigger', 0),
(13, 0, 5, 19, 'delivered', '', 'full', '', 'pinned', 47),
(13, 1, 14, 14, 'delivered', '', 'full', '', 'pinned', 25),
(13, 2, 1, 1, 'delivered', '', 'full', '0', 'working set', 30),
(13, 3, 2, 20, 'delivered', '', 'full', '0', 'working set', 35),
(13, 4, 3, 3, 'delivered', '', 'full', '', 'working set', 45),
(13, 5, 4, 4, 'delivered', '', 'full', '', 'working set', 31),
(13, 6, 15, 15, 'delivered', '', 'full', '', 'written', 33),
(13, 7, 9, 9, 'delivered', '', 'full', '', 'working set', 35),
(13, 8, 8, 8, 'delivered', '', 'full', '', 'working set', 31),
(14, 0, 18, 18, 'delivered', '', 'full', '0', 'trigger', 36),
(15, 0, 10, 10, 'delivered', '', 'full', '0', 'trigger', 27),
(17, 0, 5, 19, 'delivered', '', 'full', '', 'pinned', 47),
(17, 1, 14, 14, 'delivered', '', 'full', '', 'pinned', 25),
(17, 2, 1, 1, 'delivered', '', 'full', '0', 'working set', 30),
(17, 3, 2, 20, 'delivered', '', 'full', '0', 'working set', 35),
(17, 4, 3, 3, 'delivered', '', 'full', '', 'working set', 45),
(17, 5, 4, 4, 'delivered', '', 'full', '', 'working set', 31),
(17, 6, 18, 18, 'delivered', '', 'full', '', 'working set', 38),
(17, 7, 15, 15, 'delivered', '', 'full', '', 'written', 33),
(17, 8, 10, 10, 'delivered', '', 'full', '', 'working set', 32),
(17, 9, 9, 9, 'delivered', '', 'full', '', 'working set', 35),
(17, 10, 8, 8, 'delivered', '', 'full', '', 'working set', 31),
(18, 0, 12, 12, 'unmatched', 'branch', '', '', 'trigger', 0),
(19, 0, 8, 8, 'suppressed', 'ledger: already delivered in this epoch (cooldown 2)', '', '0', 'trigger', 0),
(20, 0, 11, 11, 'unmatched', 'tool', '', '', 'trigger', 0),
(21, 0, 11, 11, 'delivered', '', 'full', '0', 'trigger', 28),
(22, 0, 3, 3, 'unmatched', 'subagent', '', '', 'trigger', 0),
(22, 1, 11, 11, 'unmatched', 'tool', '', '', 'trigger', 0),
(22, 2, 10, 10, 'unmatched', 'subagent', '', '', 'trigger', 0),
(23, 0, 3, 3, 'unmatched', 'subagent', '', '', 'trigger', 0),
(23, 1, 11, 11, 'unmatched', 'tool', '', '', 'trigger', 0),
(23, 2, 10, 10, 'unmatched', 'subagent', '', '', 'trigger', 0),
(24, 0, 5, 19, 'suppressed', 'ledger: already delivered in this epoch', '', '', 'pinned', 0),
(24, 1, 14, 14, 'out of scope', 'session session-1', '', '', 'pinned', 0),
(24, 2, 1, 1, 'suppressed', 'ledger: already delivered in this epoch', '', '0', 'trigger', 0),
(24, 3, 2, 20, 'suppressed', 'ledger: already delivered in this epoch', '', '0', 'trigger', 0),
(25, 0, 8, 8, 'delivered', '', 'full', '0', 'trigger', 28),
(26, 0, 3, 3, 'suppressed', 'ledger: already delivered in this epoch', '', '0', 'trigger', 0),
(26, 1, 10, 10, 'unmatched', 'symbol', '', '', 'trigger', 0),
(28, 0, 5, 19, 'delivered', '', 'full', '', 'pinned', 47),
(28, 1, 14, 14, 'out of scope', 'session session-1', '', '', 'pinned', 0),
(28, 2, 1, 1, 'delivered', '', 'full', '0', 'working set', 30),
(28, 3, 2, 20, 'delivered', '', 'full', '0', 'working set', 35),
(28, 4, 3, 3, 'delivered', '', 'full', '', 'working set', 45),
(28, 5, 4, 4, 'delivered', '', 'full', '', 'working set', 31),
(28, 6, 18, 18, 'delivered', '', 'full', '', 'working set', 38),
(28, 7, 10, 10, 'delivered', '', 'full', '', 'working set', 32),
(28, 8, 9, 9, 'delivered', '', 'full', '', 'working set', 35),
(28, 9, 8, 8, 'delivered', '', 'full', '', 'working set', 31),
(29, 0, 5, 19, 'suppressed', 'ledger: already delivered in this epoch', '', '', 'pinned', 0),
(29, 1, 14, 14, 'suppressed', 'ledger: already delivered in this epoch', '', '', 'pinned', 0),
(29, 2, 1, 1, 'suppressed', 'ledger: already delivered in this epoch', '', '0', 'trigger', 0),
(29, 3, 2, 20, 'suppressed', 'ledger: already delivered in this epoch', '', '0', 'trigger', 0),
(30, 0, 8, 8, 'delivered', '', 'full', '0', 'trigger', 28),
(31, 0, 8, 8, 'suppressed', 'ledger: already delivered in this epoch (cooldown 2)', '', '0', 'trigger', 0),
(32, 0, 5, 19, 'delivered', '', 'full', '', 'pinned', 47),
(32, 1, 14, 14, 'out of scope', 'session session-1', '', '', 'pinned', 0),
(32, 2, 1, 1, 'delivered', '', 'full', '0', 'trigger', 30),
(32, 3, 2, 20, 'delivered', '', 'full', '0', 'trigger', 34),
(34, 0, 8, 8, 'delivered', '', 'full', '0', 'trigger', 28),
(35, 0, 3, 3, 'delivered', '', 'full', '0', 'trigger', 43),
(35, 1, 10, 10, 'unmatched', 'symbol', '', '', 'trigger', 0),
(36, 0, 3, 3, 'suppressed', 'turn: already delivered in this turn', '', '0', 'trigger', 0),
(36, 1, 10, 10, 'unmatched', 'symbol', '', '', 'trigger', 0),
(37, 0, 8, 8, 'suppressed', 'ledger: already delivered in this epoch (cooldown 2)', '', '0', 'trigger', 0);
INSERT INTO error(id, at, event, message) VALUES
(1, 1796069121345, 'UserPromptSubmit', 'Malformed: the payload is not one JSON object (56 bytes)');
INSERT INTO setting(id, at, key, value) VALUES
(1, 1796069119108, 'budget.turn', '300'),
(2, 1796069119247, 'recall.notes', '2'),
(3, 1796069119417, 'feedback', 'true'),
(4, 1796069119570, 'feedback', NULL);
INSERT INTO workspace(id, root, created) VALUES
('088c0a1b13cf7208740f86f57cc40e11', '/home/ann/shop', 1796069110055);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence(name, seq) VALUES
('error', 1),
('event', 38),
('note', 18),
('revision', 20),
('setting', 4);
