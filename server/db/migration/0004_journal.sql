-- Conversations: what was said and shown in them, as a tree of entries that only grows.
CREATE TABLE conversation (
  id {{id}},
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('chat', 'room', 'voice', 'agent')),
  title TEXT NOT NULL,
  leaf_id BIGINT NOT NULL DEFAULT 0, -- the entry that the active branch ends with; 0: nothing was said yet
  started_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX conversation_owner ON conversation (owner_id, id);

CREATE TABLE journal_entry (
  id {{id}},
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  conversation_id BIGINT NOT NULL REFERENCES conversation (id),
  parent_id BIGINT, -- null: the first of a branch
  type TEXT NOT NULL,
  payload TEXT NOT NULL, -- JSON
  at BIGINT NOT NULL,
  UNIQUE (conversation_id, id),
  FOREIGN KEY (conversation_id, parent_id) REFERENCES journal_entry (conversation_id, id)
);
CREATE INDEX journal_entry_parent ON journal_entry (parent_id);
CREATE INDEX journal_entry_owner ON journal_entry (owner_id, id);

-- A conversation that was held elsewhere and brought along whole.
CREATE TABLE transcript (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  conversation_id BIGINT NOT NULL UNIQUE REFERENCES conversation (id),
  surface TEXT NOT NULL,
  participants TEXT NOT NULL, -- JSON
  turns BIGINT NOT NULL,
  PRIMARY KEY (owner_id, conversation_id)
) {{clustered}};

-- The words of turns, and of turns with the one before each, as table posting has
-- those of memories.
CREATE TABLE turn_posting (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  segment BIGINT NOT NULL,
  term {{bytes}} NOT NULL,
  chunk BIGINT NOT NULL,
  body {{blob}} NOT NULL,
  PRIMARY KEY (owner_id, segment, term, chunk)
) {{clustered}};

CREATE TABLE turn_stat (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  docs BIGINT NOT NULL,
  words BIGINT NOT NULL,
  version BIGINT NOT NULL
);

CREATE TABLE pair_posting (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  segment BIGINT NOT NULL,
  term {{bytes}} NOT NULL,
  chunk BIGINT NOT NULL,
  body {{blob}} NOT NULL,
  PRIMARY KEY (owner_id, segment, term, chunk)
) {{clustered}};

CREATE TABLE pair_stat (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  docs BIGINT NOT NULL,
  words BIGINT NOT NULL,
  version BIGINT NOT NULL
);

-- How often an account's vectors of turns were written, and removed.
CREATE TABLE turn_head (
  owner_id BIGINT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  revision BIGINT NOT NULL,
  removed BIGINT NOT NULL
);

-- What a turn's vectors in a space were made of.
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
) {{clustered}};
CREATE INDEX turn_embedding_stamp ON turn_embedding (owner_id, space_id, stamp);

CREATE TABLE turn_vector (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  space_id BIGINT NOT NULL,
  entry_id BIGINT NOT NULL,
  part BIGINT NOT NULL,
  vector {{blob}} NOT NULL,
  PRIMARY KEY (owner_id, space_id, entry_id, part)
);

-- The token vectors of turns, and apart from them what they are of.
CREATE TABLE turn_late_label (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  entry_id BIGINT NOT NULL,
  source TEXT NOT NULL,
  text_hash TEXT NOT NULL,
  tokens BIGINT NOT NULL,
  PRIMARY KEY (owner_id, entry_id)
) {{clustered}};

CREATE TABLE turn_late_vector (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  entry_id BIGINT NOT NULL,
  vectors {{blob}} NOT NULL,
  PRIMARY KEY (owner_id, entry_id)
);
