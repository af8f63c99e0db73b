-- Conversations that a model of ours answers in: what they are set to, and how the turn
-- that runs, or ran last, stands.
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
CREATE INDEX chat_owner ON chat (owner_id, used_at, conversation_id);
CREATE INDEX chat_state ON chat (state, lease_until);

-- Messages that wait for the turn that runs: for its end, or, those that steer it, for
-- the next time that its model is asked.
CREATE TABLE turn_queue (
  id {{id}},
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  conversation_id BIGINT NOT NULL REFERENCES conversation (id),
  content TEXT NOT NULL,
  steer BIGINT NOT NULL,
  at BIGINT NOT NULL
);
CREATE INDEX turn_queue_conversation ON turn_queue (conversation_id, id);

-- From which share of a model's context an account has it summarized, in percent.
CREATE TABLE chat_compaction (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  provider TEXT NOT NULL, -- with model: empty for the role chat
  model TEXT NOT NULL,
  percent BIGINT NOT NULL,
  PRIMARY KEY (owner_id, provider, model)
) {{clustered}};

-- What an account's requests to models cost, by role and day.
CREATE TABLE model_usage (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  day BIGINT NOT NULL, -- since 1970, in UTC
  role TEXT NOT NULL,
  requests BIGINT NOT NULL,
  input BIGINT NOT NULL, -- tokens
  output BIGINT NOT NULL,
  cached BIGINT NOT NULL, -- of input
  PRIMARY KEY (owner_id, day, role)
) {{clustered}};

-- How much a model reads at once, in tokens, as its provider told with its list.
CREATE TABLE model_window (
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (provider, model)
) {{clustered}};

-- Servers of others that speak the Model Context Protocol, whose tools the models of an
-- account's conversations may call.
CREATE TABLE mcp_server (
  id {{id}},
  revision BIGINT NOT NULL,
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL, -- begins the names of its tools
  kind TEXT NOT NULL CHECK (kind IN ('http', 'stdio')),
  address TEXT NOT NULL, -- of http the URL, of stdio the program
  arguments TEXT NOT NULL, -- of stdio: JSON
  secret_names TEXT NOT NULL, -- JSON: of http the names of headers, of stdio of variables
  sealed {{blob}}, -- their values; null: none
  enabled BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (owner_id, name)
);
