-- A database as schema 1 had it, with what was in it.
CREATE TABLE account (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
  disabled INTEGER NOT NULL DEFAULT 0,
  password_hash TEXT NOT NULL, -- empty: locked until one is set
  revision BIGINT NOT NULL DEFAULT 1,
  created_at BIGINT NOT NULL,
  default_category_id BIGINT,
  search_after_message INTEGER NOT NULL DEFAULT 1,
  search_while_working INTEGER NOT NULL DEFAULT 1,
  auto_save INTEGER NOT NULL DEFAULT 0,
  dreaming INTEGER NOT NULL DEFAULT 0,
  learn_skills INTEGER NOT NULL DEFAULT 0,
  erasing INTEGER NOT NULL DEFAULT 0 -- set in the transaction that erases the account
);
CREATE TABLE category (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  revision BIGINT NOT NULL DEFAULT 1,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  color INTEGER NOT NULL,
  icon TEXT NOT NULL,
  project_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (owner_id, name_key)
);
CREATE TABLE change (
  owner_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  noun TEXT NOT NULL,
  ref_id BIGINT NOT NULL,
  PRIMARY KEY (owner_id, seq)
) WITHOUT ROWID;
CREATE TABLE change_head (
  owner_id BIGINT PRIMARY KEY,
  seq BIGINT NOT NULL,
  floor BIGINT NOT NULL
);
CREATE TABLE idempotency (
  owner_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  at BIGINT NOT NULL,
  fingerprint TEXT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (owner_id, key)
) WITHOUT ROWID;
CREATE TABLE idempotency_ref (
  owner_id BIGINT NOT NULL,
  ref_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (owner_id, ref_id, key)
) WITHOUT ROWID;
CREATE TABLE import_source (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  source_id TEXT NOT NULL,
  memory_id BIGINT NOT NULL,
  PRIMARY KEY (owner_id, source, source_id)
) WITHOUT ROWID;
CREATE TABLE memory (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  revision BIGINT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  lang TEXT NOT NULL,
  kind TEXT NOT NULL,
  importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
  confidence DOUBLE PRECISION NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  category_id BIGINT REFERENCES category (id),
  source TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'deleted', 'consolidated')),
  use_count BIGINT NOT NULL DEFAULT 0,
  last_used_at BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  reviewed_at BIGINT NOT NULL DEFAULT 0,
  deleted_at BIGINT NOT NULL DEFAULT 0,
  deleted_why TEXT NOT NULL DEFAULT '',
  order_key DOUBLE PRECISION NOT NULL, -- orders one importance as vitality does, whatever the clock says
  fades_at BIGINT NOT NULL, -- from when it may be eligible for the sweep
  words BIGINT NOT NULL DEFAULT 0 -- how many words the index counted in the body
);
CREATE TABLE memory_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL,
  memory_id BIGINT NOT NULL,
  action TEXT NOT NULL,
  actor TEXT NOT NULL,
  model TEXT NOT NULL,
  reason TEXT NOT NULL,
  revision BIGINT NOT NULL,
  at BIGINT NOT NULL,
  before_state TEXT NOT NULL, -- JSON of the changed fields; empty: none
  after_state TEXT NOT NULL,
  carried INTEGER NOT NULL DEFAULT 0 -- brought in from elsewhere: not counted by the sweep's ledger
);
CREATE TABLE memory_version (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  body TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, memory_id, revision)
) WITHOUT ROWID;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
CREATE TABLE policy (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL, -- JSON
  revision BIGINT NOT NULL
);
CREATE TABLE posting (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  segment BIGINT NOT NULL,
  term TEXT NOT NULL, -- compared byte by byte, for ranges of a prefix
  chunk BIGINT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (owner_id, segment, term, chunk)
) WITHOUT ROWID;
CREATE TABLE session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  previous_hash TEXT NOT NULL, -- the secret before the last rotation, valid a moment longer; empty: none
  created_at BIGINT NOT NULL,
  rotated_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE TABLE sweep (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  at BIGINT NOT NULL,
  trashed BIGINT NOT NULL,
  due BIGINT NOT NULL,
  refused BIGINT NOT NULL
);
CREATE TABLE token (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  secret_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL
);
CREATE TABLE usage_event (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  times BIGINT NOT NULL DEFAULT 1,
  PRIMARY KEY (owner_id, memory_id, at, kind)
) WITHOUT ROWID;
CREATE TABLE word_stat (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  docs BIGINT NOT NULL,
  words BIGINT NOT NULL,
  version BIGINT NOT NULL -- of the tokenizer that made the postings
);
CREATE INDEX import_source_memory ON import_source (owner_id, memory_id);
CREATE INDEX memory_category ON memory (category_id, owner_id, status);
CREATE INDEX memory_event_evict ON memory_event (owner_id, at) WHERE action = 'auto-evict';
CREATE INDEX memory_event_memory ON memory_event (owner_id, memory_id, id);
CREATE INDEX memory_event_owner ON memory_event (owner_id, id);
CREATE INDEX memory_hash ON memory (owner_id, body_hash);
CREATE INDEX memory_order ON memory (owner_id, status, importance, order_key, created_at, id, fades_at, use_count, last_used_at);
CREATE INDEX memory_owner ON memory (owner_id, id);
CREATE INDEX session_owner ON session (owner_id);
CREATE INDEX session_previous ON session (previous_hash);
CREATE INDEX sweep_owner ON sweep (owner_id, at);
CREATE INDEX token_owner ON token (owner_id);
CREATE TRIGGER memory_event_no_delete BEFORE DELETE ON memory_event
WHEN NOT EXISTS (SELECT 1 FROM account WHERE id = OLD.owner_id AND erasing = 1)
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER memory_event_no_update BEFORE UPDATE ON memory_event
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

INSERT INTO meta (name, value) VALUES ('epoch', 'OLDEPOCH'), ('nextSweepAt', '1796083200000');
INSERT INTO account (id, name, name_key, display_name, role, password_hash, created_at) VALUES (1, 'ann', 'ann', '', 'admin', '', 1000), (2, 'bob', 'bob', '', 'member', '', 1000);
INSERT INTO memory (id, owner_id, revision, subject, body, body_hash, lang, kind, importance, confidence, source, status, created_at, updated_at, deleted_at, deleted_why, order_key, fades_at) VALUES
  (1, 1, 1, '', 'active', 'h', '', 'fact', 5, 0.8, 'user', 'active', 1000, 1000, 0, '', 0, 0),
  (2, 1, 2, '', 'faded', 'h', '', 'fact', 5, 0.8, 'user', 'deleted', 1000, 2000, 2000, 'auto-evict: vitality 8.2 < 10', 0, 0),
  (3, 1, 4, '', 'thrown away twice', 'h', '', 'fact', 5, 0.8, 'user', 'deleted', 1000, 2000, 2000, 'old news', 0, 0),
  (4, 1, 2, '', 'a source', 'h', '', 'fact', 5, 0.8, 'user', 'deleted', 1000, 2000, 2000, 'merged into 6', 0, 0),
  (5, 1, 2, '', 'says so, but was not', 'h', '', 'fact', 5, 0.8, 'user', 'deleted', 1000, 2000, 2000, 'merged into my other notes', 0, 0),
  (6, 1, 1, '', 'what was merged', 'h', '', 'fact', 5, 0.8, 'merge', 'active', 2000, 2000, 0, '', 0, 0),
  (7, 1, 1, '', 'brought in without its audit', 'h', '', 'fact', 5, 0.8, 'import', 'deleted', 1000, 2000, 2000, '', 0, 0),
  (8, 2, 2, '', 'bob, by a program', 'h', '', 'fact', 5, 0.8, 'user', 'deleted', 1000, 2000, 2000, 'merged into 6', 0, 0);
INSERT INTO memory_event (owner_id, memory_id, action, actor, model, reason, revision, at, before_state, after_state) VALUES
  (1, 1, 'add', 'user:1', '', '', 1, 1000, '', '{}'),
  (1, 2, 'auto-evict', 'daemon', '', 'auto-evict: vitality 8.2 < 10', 2, 2000, '{"status":"active"}', '{"status":"deleted"}'),
  (1, 3, 'auto-evict', 'daemon', '', 'auto-evict: vitality 8.2 < 10', 2, 1500, '', ''),
  (1, 3, 'restore', 'user:1', '', '', 3, 1600, '', ''),
  (1, 3, 'trash', 'user:1', '', 'old news', 4, 2000, '', ''),
  (1, 3, 'update', 'token:9', '', '', 4, 2100, '', ''),
  (1, 6, 'merge', 'user:1', '', '', 1, 2000, '', '{"sources":[4]}'),
  (1, 4, 'trash', 'user:1', '', 'merged into 6', 2, 2000, '', ''),
  (1, 5, 'trash', 'token:9', '', 'merged into my other notes', 2, 2000, '', ''),
  (2, 8, 'trash', 'token:4', '', 'merged into 6', 2, 2000, '', '');
