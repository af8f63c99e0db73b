-- index agent_conversation_used
CREATE INDEX agent_conversation_used ON agent_conversation (owner_id, used_at);

-- index category_project
CREATE INDEX category_project ON category (project_id) WHERE project_id IS NOT NULL;

-- index chat_owner
CREATE INDEX chat_owner ON chat (owner_id, used_at, conversation_id);

-- index chat_state
CREATE INDEX chat_state ON chat (state, lease_until);

-- index conversation_owner
CREATE INDEX conversation_owner ON conversation (owner_id, id);

-- index embedding_stamp
CREATE INDEX embedding_stamp ON embedding (owner_id, space_id, stamp);

-- index idempotency_ref_row
CREATE INDEX idempotency_ref_row ON idempotency_ref (ref_id);

-- index import_source_memory
CREATE INDEX import_source_memory ON import_source (owner_id, memory_id);

-- index journal_entry_owner
CREATE INDEX journal_entry_owner ON journal_entry (owner_id, id);

-- index journal_entry_parent
CREATE INDEX journal_entry_parent ON journal_entry (parent_id);

-- index maintenance_owner
CREATE INDEX maintenance_owner ON maintenance (owner_id, id);

-- index maintenance_running
CREATE UNIQUE INDEX maintenance_running ON maintenance (owner_id, operation) WHERE status = 'running';

-- index memory_category
CREATE INDEX memory_category ON memory (category_id, owner_id, status);

-- index memory_event_change
CREATE INDEX memory_event_change ON memory_event (owner_id, change_id, id) WHERE change_id <> 0;

-- index memory_event_evict
CREATE INDEX memory_event_evict ON memory_event (owner_id, at) WHERE action = 'auto-evict';

-- index memory_event_evict_writer
CREATE INDEX memory_event_evict_writer ON memory_event (writer_id, at) WHERE action = 'auto-evict' AND writer_id <> 0;

-- index memory_event_memory
CREATE INDEX memory_event_memory ON memory_event (owner_id, memory_id, id);

-- index memory_event_owner
CREATE INDEX memory_event_owner ON memory_event (owner_id, id);

-- index memory_hash
CREATE INDEX memory_hash ON memory (owner_id, body_hash);

-- index memory_order
CREATE INDEX memory_order ON memory (owner_id, status, importance, order_key, created_at, id, fades_at, use_count, last_used_at, writer_id);

-- index memory_owner
CREATE INDEX memory_owner ON memory (owner_id, id);

-- index memory_writer
CREATE INDEX memory_writer ON memory (writer_id, status, importance, order_key, created_at, id, fades_at, use_count, last_used_at) WHERE writer_id <> 0;

-- index project_alias_project
CREATE INDEX project_alias_project ON project_alias (project_id);

-- index project_member_account
CREATE INDEX project_member_account ON project_member (account_id);

-- index project_pool_member_account
CREATE INDEX project_pool_member_account ON project_pool_member (account_id);

-- index project_root_project
CREATE INDEX project_root_project ON project_root (project_id);

-- index relayed_entry_conversation
CREATE INDEX relayed_entry_conversation ON relayed_entry (conversation_id);

-- index relayed_name_conversation
CREATE INDEX relayed_name_conversation ON relayed_name (conversation_id);

-- index revoked_token_owner
CREATE INDEX revoked_token_owner ON revoked_token (owner_id);

-- index session_owner
CREATE INDEX session_owner ON session (owner_id);

-- index session_previous
CREATE INDEX session_previous ON session (previous_hash);

-- index sweep_owner
CREATE INDEX sweep_owner ON sweep (owner_id, at);

-- index token_owner
CREATE INDEX token_owner ON token (owner_id);

-- index turn_embedding_stamp
CREATE INDEX turn_embedding_stamp ON turn_embedding (owner_id, space_id, stamp);

-- index turn_queue_conversation
CREATE INDEX turn_queue_conversation ON turn_queue (conversation_id, id);

-- table account
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
, kind TEXT NOT NULL DEFAULT 'person');

-- table agent_conversation
CREATE TABLE agent_conversation (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  handle TEXT NOT NULL,
  results BIGINT NOT NULL, -- how many results it was given
  used_at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, handle)
) WITHOUT ROWID;

-- table agent_delivery
CREATE TABLE agent_delivery (
  owner_id BIGINT NOT NULL,
  handle TEXT NOT NULL,
  memory_id BIGINT NOT NULL,
  body_hash TEXT NOT NULL, -- of the body that was delivered
  result BIGINT NOT NULL, -- agent_conversation.results when it was
  at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, handle, memory_id),
  FOREIGN KEY (owner_id, handle) REFERENCES agent_conversation (owner_id, handle) ON DELETE CASCADE
) WITHOUT ROWID;

-- table category
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

-- table change
CREATE TABLE change (
  owner_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  noun TEXT NOT NULL,
  ref_id BIGINT NOT NULL,
  PRIMARY KEY (owner_id, seq)
) WITHOUT ROWID;

-- table change_head
CREATE TABLE change_head (
  owner_id BIGINT PRIMARY KEY,
  seq BIGINT NOT NULL,
  floor BIGINT NOT NULL
);

-- table chat
CREATE TABLE chat (
  conversation_id BIGINT PRIMARY KEY REFERENCES conversation (id),
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  project_id BIGINT NOT NULL, -- 0: none
  provider TEXT NOT NULL, -- with model: the one that was picked; empty: the role chat
  model TEXT NOT NULL,
  titled TEXT NOT NULL CHECK (titled IN ('no', 'words', 'model', 'person')),
  state TEXT NOT NULL CHECK (state IN ('idle', 'running', 'failed', 'stopped', 'interrupted')),
  problem TEXT NOT NULL, -- of what failed, in words for people
  retry_at BIGINT NOT NULL, -- before it there is no use in trying again; 0: at once
  holder TEXT NOT NULL, -- of a turn that runs: the program that runs it
  lease_until BIGINT NOT NULL,
  stop_asked BIGINT NOT NULL,
  tokens BIGINT NOT NULL, -- that the context had at the last answer; 0: not known
  context_window BIGINT NOT NULL, -- of that model; 0: not known
  called_at BIGINT NOT NULL, -- of the last answer; 0: none
  used_at BIGINT NOT NULL
);

-- table chat_compaction
CREATE TABLE chat_compaction (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  provider TEXT NOT NULL, -- with model: empty for the role chat
  model TEXT NOT NULL,
  percent BIGINT NOT NULL,
  PRIMARY KEY (owner_id, provider, model)
) WITHOUT ROWID;

-- table conversation
CREATE TABLE conversation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('chat', 'room', 'voice', 'agent')),
  title TEXT NOT NULL,
  leaf_id BIGINT NOT NULL DEFAULT 0, -- the entry that the active branch ends with; 0: nothing was said yet
  started_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- table derivation_failure
CREATE TABLE derivation_failure (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  kind TEXT NOT NULL, -- what was to be derived
  source TEXT NOT NULL, -- by what: the identity of a space, a model's hash
  memory_id BIGINT NOT NULL,
  body_hash TEXT NOT NULL,
  tries BIGINT NOT NULL,
  retry_at BIGINT NOT NULL,
  reason TEXT NOT NULL, -- words of our own, nothing of the body
  PRIMARY KEY (owner_id, kind, source, memory_id)
) WITHOUT ROWID;

-- table embedding
CREATE TABLE embedding (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  space_id BIGINT NOT NULL REFERENCES embedding_space (id),
  memory_id BIGINT NOT NULL,
  body_hash TEXT NOT NULL,
  script TEXT NOT NULL, -- of the body, for the means that are taken off
  width BIGINT NOT NULL,
  stamp BIGINT NOT NULL, -- embedding_head.revision when it was written
  PRIMARY KEY (owner_id, space_id, memory_id)
) WITHOUT ROWID;

-- table embedding_active
CREATE TABLE embedding_active (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  space_id BIGINT NOT NULL REFERENCES embedding_space (id)
);

-- table embedding_head
CREATE TABLE embedding_head (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  revision BIGINT NOT NULL
);

-- table embedding_space
CREATE TABLE embedding_space (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  identity TEXT NOT NULL UNIQUE, -- all parts of it as one text
  kind TEXT NOT NULL,
  endpoint TEXT NOT NULL, -- empty for the built-in model
  model TEXT NOT NULL,
  asked BIGINT NOT NULL, -- the width that is asked for; 0: whatever the model has
  file TEXT NOT NULL, -- the hash of the built-in model's file
  width BIGINT NOT NULL DEFAULT 0, -- of the vectors that came back; 0: none came yet
  profile TEXT NOT NULL DEFAULT '', -- JSON of what was fitted to it; empty: nothing
  created_at BIGINT NOT NULL
);

-- table embedding_vector
CREATE TABLE embedding_vector (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  space_id BIGINT NOT NULL,
  memory_id BIGINT NOT NULL,
  part BIGINT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (owner_id, space_id, memory_id, part)
);

-- table idempotency
CREATE TABLE idempotency (
  owner_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  at BIGINT NOT NULL,
  fingerprint TEXT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (owner_id, key)
) WITHOUT ROWID;

-- table idempotency_ref
CREATE TABLE idempotency_ref (
  owner_id BIGINT NOT NULL,
  ref_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (owner_id, ref_id, key)
) WITHOUT ROWID;

-- table identity
CREATE TABLE identity (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  of TEXT NOT NULL, -- the table
  last BIGINT NOT NULL, -- the highest id that was given
  PRIMARY KEY (owner_id, of)
) WITHOUT ROWID;

-- table import_source
CREATE TABLE import_source (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  source_id TEXT NOT NULL,
  memory_id BIGINT NOT NULL,
  PRIMARY KEY (owner_id, source, source_id)
) WITHOUT ROWID;

-- table journal_entry
CREATE TABLE journal_entry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  conversation_id BIGINT NOT NULL REFERENCES conversation (id),
  parent_id BIGINT, -- null: the first of a branch
  type TEXT NOT NULL,
  payload TEXT NOT NULL, -- JSON
  at BIGINT NOT NULL,
  UNIQUE (conversation_id, id),
  FOREIGN KEY (conversation_id, parent_id) REFERENCES journal_entry (conversation_id, id)
);

-- table late_label
CREATE TABLE late_label (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  source TEXT NOT NULL, -- the hash of the model and of its axes
  body_hash TEXT NOT NULL,
  tokens BIGINT NOT NULL, -- how many; 0: the body is in a language that the model doesn't know
  PRIMARY KEY (owner_id, memory_id)
) WITHOUT ROWID;

-- table late_vector
CREATE TABLE late_vector (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  vectors BLOB NOT NULL, -- 66 bytes a token
  PRIMARY KEY (owner_id, memory_id)
);

-- table maintenance
CREATE TABLE maintenance (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  operation TEXT NOT NULL,
  mode TEXT NOT NULL, -- of recategorize: uncategorized or all; else empty
  status TEXT NOT NULL,
  total BIGINT NOT NULL,
  processed BIGINT NOT NULL,
  succeeded BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  error TEXT NOT NULL,
  place BIGINT NOT NULL, -- how far it is, in the operation's own terms
  ui_initiated INTEGER NOT NULL,
  started_at BIGINT NOT NULL,
  finished_at BIGINT NOT NULL DEFAULT 0, -- 0: it runs
  acknowledged_at BIGINT NOT NULL DEFAULT 0
);

-- table mcp_server
CREATE TABLE mcp_server (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  revision BIGINT NOT NULL,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- begins the names of its tools
  kind TEXT NOT NULL CHECK (kind IN ('http', 'stdio')),
  address TEXT NOT NULL, -- of http the URL, of stdio the program
  arguments TEXT NOT NULL, -- of stdio: JSON
  secret_names TEXT NOT NULL, -- JSON: of http the names of headers, of stdio of variables
  sealed BLOB, -- their values; null: none
  enabled BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (owner_id, name)
);

-- table memory
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
, deleted_by TEXT NOT NULL DEFAULT '', deleted_how TEXT NOT NULL DEFAULT '', writer_id BIGINT NOT NULL DEFAULT 0, category_by INTEGER NOT NULL DEFAULT 0);

-- table memory_event
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
, change_id BIGINT NOT NULL DEFAULT 0, writer_id BIGINT NOT NULL DEFAULT 0, scopes TEXT NOT NULL DEFAULT '');

-- table memory_version
CREATE TABLE memory_version (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  body TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, memory_id, revision)
) WITHOUT ROWID;

-- table meta
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- table model_usage
CREATE TABLE model_usage (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  day BIGINT NOT NULL, -- since 1970, in UTC
  role TEXT NOT NULL,
  requests BIGINT NOT NULL,
  input BIGINT NOT NULL, -- tokens
  output BIGINT NOT NULL,
  cached BIGINT NOT NULL, -- of input
  PRIMARY KEY (owner_id, day, role)
) WITHOUT ROWID;

-- table model_window
CREATE TABLE model_window (
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (provider, model)
) WITHOUT ROWID;

-- table pair_posting
CREATE TABLE pair_posting (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  segment BIGINT NOT NULL,
  term TEXT NOT NULL,
  chunk BIGINT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (owner_id, segment, term, chunk)
) WITHOUT ROWID;

-- table pair_stat
CREATE TABLE pair_stat (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  docs BIGINT NOT NULL,
  words BIGINT NOT NULL,
  version BIGINT NOT NULL
);

-- table policy
CREATE TABLE policy (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL, -- JSON
  revision BIGINT NOT NULL
);

-- table posting
CREATE TABLE posting (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  segment BIGINT NOT NULL,
  term TEXT NOT NULL, -- compared byte by byte, for ranges of a prefix
  chunk BIGINT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (owner_id, segment, term, chunk)
) WITHOUT ROWID;

-- table project
CREATE TABLE project (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  revision BIGINT NOT NULL DEFAULT 1,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  sharing INTEGER NOT NULL DEFAULT 0,
  pool_id BIGINT UNIQUE REFERENCES account (id), -- made on first use
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- table project_alias
CREATE TABLE project_alias (
  alias TEXT PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES project (id) ON DELETE CASCADE
);

-- table project_member
CREATE TABLE project_member (
  project_id BIGINT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  account_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, account_id)
);

-- table project_pool_member
CREATE TABLE project_pool_member (
  project_id BIGINT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  account_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, account_id)
);

-- table project_root
CREATE TABLE project_root (
  path TEXT PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES project (id) ON DELETE CASCADE
);

-- table provider_secret
CREATE TABLE provider_secret (
  provider TEXT PRIMARY KEY,
  sealed BLOB NOT NULL
);

-- table recurring_task
CREATE TABLE recurring_task (
  name TEXT NOT NULL,
  owner_id BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  PRIMARY KEY (name, owner_id)
) WITHOUT ROWID;

-- table relayed_entry
CREATE TABLE relayed_entry (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  print BIGINT NOT NULL,
  entry_id BIGINT NOT NULL,
  conversation_id BIGINT NOT NULL REFERENCES conversation (id),
  PRIMARY KEY (owner_id, print, entry_id)
) WITHOUT ROWID;

-- table relayed_name
CREATE TABLE relayed_name (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  conversation_id BIGINT NOT NULL REFERENCES conversation (id),
  PRIMARY KEY (owner_id, name)
) WITHOUT ROWID;

-- table revoked_token
CREATE TABLE revoked_token (
  id BIGINT PRIMARY KEY, -- the token's
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL
);

-- table session
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

-- table sqlite_sequence
CREATE TABLE sqlite_sequence(name,seq);

-- table sweep
CREATE TABLE sweep (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  at BIGINT NOT NULL,
  trashed BIGINT NOT NULL,
  due BIGINT NOT NULL,
  refused BIGINT NOT NULL
);

-- table token
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

-- table transcript
CREATE TABLE transcript (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  conversation_id BIGINT NOT NULL UNIQUE REFERENCES conversation (id),
  surface TEXT NOT NULL,
  participants TEXT NOT NULL, -- JSON
  turns BIGINT NOT NULL,
  PRIMARY KEY (owner_id, conversation_id)
) WITHOUT ROWID;

-- table turn_embedding
CREATE TABLE turn_embedding (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  space_id BIGINT NOT NULL REFERENCES embedding_space (id),
  entry_id BIGINT NOT NULL,
  conversation_id BIGINT NOT NULL,
  text_hash TEXT NOT NULL,
  width BIGINT NOT NULL,
  own BIGINT NOT NULL, -- how many of its vectors are of the turn alone; the others are of it with the one before
  stamp BIGINT NOT NULL, -- turn_head.revision when it was written
  PRIMARY KEY (owner_id, space_id, entry_id)
) WITHOUT ROWID;

-- table turn_head
CREATE TABLE turn_head (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  revision BIGINT NOT NULL,
  removed BIGINT NOT NULL
);

-- table turn_late_label
CREATE TABLE turn_late_label (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  entry_id BIGINT NOT NULL,
  source TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  tokens BIGINT NOT NULL,
  PRIMARY KEY (owner_id, entry_id)
) WITHOUT ROWID;

-- table turn_late_vector
CREATE TABLE turn_late_vector (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  entry_id BIGINT NOT NULL,
  vectors BLOB NOT NULL,
  PRIMARY KEY (owner_id, entry_id)
);

-- table turn_posting
CREATE TABLE turn_posting (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  segment BIGINT NOT NULL,
  term TEXT NOT NULL,
  chunk BIGINT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (owner_id, segment, term, chunk)
) WITHOUT ROWID;

-- table turn_queue
CREATE TABLE turn_queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  conversation_id BIGINT NOT NULL REFERENCES conversation (id),
  content TEXT NOT NULL,
  steer BIGINT NOT NULL,
  at BIGINT NOT NULL
);

-- table turn_stat
CREATE TABLE turn_stat (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  docs BIGINT NOT NULL,
  words BIGINT NOT NULL,
  version BIGINT NOT NULL
);

-- table turn_vector
CREATE TABLE turn_vector (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  space_id BIGINT NOT NULL,
  entry_id BIGINT NOT NULL,
  part BIGINT NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (owner_id, space_id, entry_id, part)
);

-- table usage_event
CREATE TABLE usage_event (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  times BIGINT NOT NULL DEFAULT 1,
  PRIMARY KEY (owner_id, memory_id, at, kind)
) WITHOUT ROWID;

-- table word_stat
CREATE TABLE word_stat (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  docs BIGINT NOT NULL,
  words BIGINT NOT NULL,
  version BIGINT NOT NULL -- of the tokenizer that made the postings
);

-- trigger journal_entry_no_update
CREATE TRIGGER journal_entry_no_update BEFORE UPDATE ON journal_entry
BEGIN SELECT RAISE(ABORT, 'what was said is not rewritten'); END;

-- trigger memory_event_no_delete
CREATE TRIGGER memory_event_no_delete BEFORE DELETE ON memory_event
WHEN NOT EXISTS (SELECT 1 FROM account WHERE id = OLD.owner_id AND erasing = 1)
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

-- trigger memory_event_no_update
CREATE TRIGGER memory_event_no_update BEFORE UPDATE ON memory_event
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

