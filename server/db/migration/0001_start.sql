-- Instants are Unix milliseconds; 0 stands for "never" where a column may not be
-- empty. Booleans are 0 and 1. Every table of an account's has owner_id.

CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE change_head (
  owner_id BIGINT PRIMARY KEY,
  seq BIGINT NOT NULL,
  floor BIGINT NOT NULL
);

CREATE TABLE change (
  owner_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  noun TEXT NOT NULL,
  ref_id BIGINT NOT NULL,
  PRIMARY KEY (owner_id, seq)
) {{clustered}};

CREATE TABLE idempotency (
  owner_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  at BIGINT NOT NULL,
  fingerprint TEXT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (owner_id, key)
) {{clustered}};

CREATE TABLE idempotency_ref (
  owner_id BIGINT NOT NULL,
  ref_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (owner_id, ref_id, key)
) {{clustered}};

CREATE TABLE account (
  id {{id}},
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

CREATE TABLE session (
  id {{id}},
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  previous_hash TEXT NOT NULL, -- the secret before the last rotation, valid a moment longer; empty: none
  created_at BIGINT NOT NULL,
  rotated_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX session_owner ON session (owner_id);
CREATE INDEX session_previous ON session (previous_hash);

CREATE TABLE token (
  id {{id}},
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  secret_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL
);
CREATE INDEX token_owner ON token (owner_id);

CREATE TABLE category (
  id {{id}},
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

CREATE TABLE memory (
  id {{id}},
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
CREATE INDEX memory_owner ON memory (owner_id, id);
-- Holds all that a sweep looks at, so that it never goes to the rows.
CREATE INDEX memory_order ON memory (owner_id, status, importance, order_key, created_at, id, fades_at, use_count, last_used_at);
CREATE INDEX memory_hash ON memory (owner_id, body_hash);
CREATE INDEX memory_category ON memory (category_id, owner_id, status);

-- Bodies that were replaced, under the last revision that had them, apart from the
-- record, so that a purge can take them. at is when they were replaced.
CREATE TABLE memory_version (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  body TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, memory_id, revision)
) {{clustered}};

-- The audit. It holds hashes of bodies, and is never changed.
CREATE TABLE memory_event (
  id {{id}},
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
CREATE INDEX memory_event_memory ON memory_event (owner_id, memory_id, id);
CREATE INDEX memory_event_owner ON memory_event (owner_id, id);
CREATE INDEX memory_event_evict ON memory_event (owner_id, at) WHERE action = 'auto-evict';

CREATE TABLE usage_event (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  times BIGINT NOT NULL DEFAULT 1,
  PRIMARY KEY (owner_id, memory_id, at, kind)
) {{clustered}};

-- The index of words: a term's postings in chunks of memory ids. Chunks that follow
-- each other are a segment, which is what new memories write to: the rest of the
-- table stays as it is, however large it is.
CREATE TABLE posting (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  segment BIGINT NOT NULL,
  term {{bytes}} NOT NULL, -- compared byte by byte, for ranges of a prefix
  chunk BIGINT NOT NULL,
  body {{blob}} NOT NULL,
  PRIMARY KEY (owner_id, segment, term, chunk)
) {{clustered}};

CREATE TABLE word_stat (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  docs BIGINT NOT NULL,
  words BIGINT NOT NULL,
  version BIGINT NOT NULL -- of the tokenizer that made the postings
);

CREATE TABLE policy (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL, -- JSON
  revision BIGINT NOT NULL
);

CREATE TABLE sweep (
  id {{id}},
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  at BIGINT NOT NULL,
  trashed BIGINT NOT NULL,
  due BIGINT NOT NULL,
  refused BIGINT NOT NULL
);
CREATE INDEX sweep_owner ON sweep (owner_id, at);

-- Where an imported row came from, so that the same import again changes nothing.
CREATE TABLE import_source (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  source_id TEXT NOT NULL,
  memory_id BIGINT NOT NULL,
  PRIMARY KEY (owner_id, source, source_id)
) {{clustered}};
CREATE INDEX import_source_memory ON import_source (owner_id, memory_id);
