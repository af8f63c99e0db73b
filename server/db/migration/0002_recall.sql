-- Who moved a memory to the trash, as the audit names its actors, and by which
-- action: trash, auto-evict, or merge. Empty where it is not in the trash, or where
-- nobody knows.
ALTER TABLE memory ADD COLUMN deleted_by TEXT NOT NULL DEFAULT '';
ALTER TABLE memory ADD COLUMN deleted_how TEXT NOT NULL DEFAULT '';

-- Events that one change of many wrote have one number, by which it is undone.
-- 0: a change of its own.
ALTER TABLE memory_event ADD COLUMN change_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX memory_event_change ON memory_event (owner_id, change_id, id) WHERE change_id <> 0;

-- What the audit knows of those that are in the trash: its newest word on each.
UPDATE memory SET
  deleted_by = COALESCE((SELECT e.actor FROM memory_event e
    WHERE e.owner_id = memory.owner_id AND e.memory_id = memory.id AND e.action IN ('trash', 'auto-evict')
    ORDER BY e.id DESC LIMIT 1), ''),
  deleted_how = COALESCE((SELECT e.action FROM memory_event e
    WHERE e.owner_id = memory.owner_id AND e.memory_id = memory.id AND e.action IN ('trash', 'auto-evict')
    ORDER BY e.id DESC LIMIT 1), '')
WHERE status = 'deleted';

-- A source of a merge was told by its reason, and by a merge of that number.
UPDATE memory SET deleted_how = 'merge'
WHERE status = 'deleted' AND deleted_how = 'trash' AND deleted_why LIKE 'merged into %'
  AND LTRIM(SUBSTR(deleted_why, 13), '0123456789') = '' AND LENGTH(deleted_why) BETWEEN 13 AND 30
  AND EXISTS (SELECT 1 FROM memory_event e
    WHERE e.owner_id = memory.owner_id AND e.action = 'merge'
      AND e.memory_id = CASE WHEN LTRIM(SUBSTR(memory.deleted_why, 13), '0123456789') = '' AND LENGTH(memory.deleted_why) BETWEEN 13 AND 30
        THEN CAST(SUBSTR(memory.deleted_why, 13) AS BIGINT) ELSE 0 END);

-- Embedding. A space is what vectors are comparable within; it holds no secret.
CREATE TABLE embedding_space (
  id {{id}},
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

-- The space in use: one row, or none where embeddings are off.
CREATE TABLE embedding_active (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  space_id BIGINT NOT NULL REFERENCES embedding_space (id)
);

-- How often an account's vectors were changed.
CREATE TABLE embedding_head (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  revision BIGINT NOT NULL
);

-- Which body a memory's vectors in a space are of. Apart from the vectors, so that
-- asking what is missing reads none of them.
CREATE TABLE embedding (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  space_id BIGINT NOT NULL REFERENCES embedding_space (id),
  memory_id BIGINT NOT NULL,
  body_hash TEXT NOT NULL,
  script TEXT NOT NULL, -- of the body, for the means that are taken off
  width BIGINT NOT NULL,
  stamp BIGINT NOT NULL, -- embedding_head.revision when it was written
  PRIMARY KEY (owner_id, space_id, memory_id)
) {{clustered}};
CREATE INDEX embedding_stamp ON embedding (owner_id, space_id, stamp);

-- The vectors, one for each window of a body: little-endian float32, of length 1.
CREATE TABLE embedding_vector (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  space_id BIGINT NOT NULL,
  memory_id BIGINT NOT NULL,
  part BIGINT NOT NULL,
  vector {{blob}} NOT NULL,
  PRIMARY KEY (owner_id, space_id, memory_id, part)
);

-- What could not be derived from a body (vectors, token vectors), and when it is
-- tried again.
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
) {{clustered}};

-- The keys of model providers, encrypted.
CREATE TABLE provider_secret (
  provider TEXT PRIMARY KEY,
  sealed {{blob}} NOT NULL
);

-- What is purged is forgotten in the remembered results of whoever was told of it.
CREATE INDEX idempotency_ref_row ON idempotency_ref (ref_id);

-- Projects. A pool is what the members of a project share: an account of its own,
-- of a kind that nobody signs in to, so that whatever has an owner can be a pool's.
ALTER TABLE account ADD COLUMN kind TEXT NOT NULL DEFAULT 'person';

-- Whose a memory of a pool is: who wrote it, or the pool itself where they are
-- gone. 0: the memory is its owner's own.
ALTER TABLE memory ADD COLUMN writer_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE memory_event ADD COLUMN writer_id BIGINT NOT NULL DEFAULT 0;
DROP INDEX memory_order;
CREATE INDEX memory_order ON memory (owner_id, status, importance, order_key, created_at, id, fades_at, use_count, last_used_at, writer_id);
CREATE INDEX memory_writer ON memory (writer_id, status, importance, order_key, created_at, id, fades_at, use_count, last_used_at) WHERE writer_id <> 0;
CREATE INDEX memory_event_evict_writer ON memory_event (writer_id, at) WHERE action = 'auto-evict' AND writer_id <> 0;

CREATE TABLE project (
  id {{id}},
  revision BIGINT NOT NULL DEFAULT 1,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  sharing INTEGER NOT NULL DEFAULT 0,
  pool_id BIGINT UNIQUE REFERENCES account (id), -- made on first use
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- Where a project's files are: absolute real paths.
CREATE TABLE project_root (
  path TEXT PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES project (id) ON DELETE CASCADE
);
CREATE INDEX project_root_project ON project_root (project_id);

-- Other names of projects; none is another project's slug.
CREATE TABLE project_alias (
  alias TEXT PRIMARY KEY,
  project_id BIGINT NOT NULL REFERENCES project (id) ON DELETE CASCADE
);
CREATE INDEX project_alias_project ON project_alias (project_id);

CREATE TABLE project_member (
  project_id BIGINT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  account_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, account_id)
);
CREATE INDEX project_member_account ON project_member (account_id);

-- Who may read a pool by name; without any, the project's members may.
CREATE TABLE project_pool_member (
  project_id BIGINT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
  account_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, account_id)
);
CREATE INDEX project_pool_member_account ON project_pool_member (account_id);
CREATE INDEX category_project ON category (project_id) WHERE project_id IS NOT NULL;

-- Of which body a memory's token vectors are, and what made them. Apart from the
-- vectors, so that asking what is missing reads none of them. Derived data.
CREATE TABLE late_label (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  source TEXT NOT NULL, -- the hash of the model and of its axes
  body_hash TEXT NOT NULL,
  tokens BIGINT NOT NULL, -- how many; 0: the body is in a language that the model doesn't know
  PRIMARY KEY (owner_id, memory_id)
) {{clustered}};

CREATE TABLE late_vector (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  memory_id BIGINT NOT NULL,
  vectors {{blob}} NOT NULL, -- 66 bytes a token
  PRIMARY KEY (owner_id, memory_id)
);

-- Who decided a memory's category: 0 nobody (it is where it goes by itself), 1 who
-- wrote or filed it, 2 sorting.
ALTER TABLE memory ADD COLUMN category_by INTEGER NOT NULL DEFAULT 0;

-- Long work that somebody asked for, and its receipt.
CREATE TABLE maintenance (
  id {{id}},
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
CREATE INDEX maintenance_owner ON maintenance (owner_id, id);

-- One of an account's at a time, whoever starts it.
CREATE UNIQUE INDEX maintenance_running ON maintenance (owner_id, operation) WHERE status = 'running';

-- When work that recurs is done next: what belongs to the store under owner 0, what
-- each account has a turn of under that account.
CREATE TABLE recurring_task (
  name TEXT NOT NULL,
  owner_id BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  PRIMARY KEY (name, owner_id)
) {{clustered}};

-- The instant of the next sweep stood alone.
INSERT INTO recurring_task (name, owner_id, next_at) SELECT 'sweep', 0, CAST(value AS BIGINT) FROM meta WHERE name = 'nextSweepAt';
DELETE FROM meta WHERE name = 'nextSweepAt';
