-- What agents were handed lately, so that it is not sent to them again. A conversation
-- is one agent's, known by a handle that the server made up; what was delivered in it is
-- forgotten once it no longer holds.
CREATE TABLE agent_conversation (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  handle TEXT NOT NULL,
  results BIGINT NOT NULL, -- how many results it was given
  used_at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, handle)
) {{clustered}};
CREATE INDEX agent_conversation_used ON agent_conversation (owner_id, used_at);

CREATE TABLE agent_delivery (
  owner_id BIGINT NOT NULL,
  handle TEXT NOT NULL,
  memory_id BIGINT NOT NULL,
  body_hash TEXT NOT NULL, -- of the body that was delivered
  result BIGINT NOT NULL, -- agent_conversation.results when it was
  at BIGINT NOT NULL,
  PRIMARY KEY (owner_id, handle, memory_id),
  FOREIGN KEY (owner_id, handle) REFERENCES agent_conversation (owner_id, handle) ON DELETE CASCADE
) {{clustered}};

-- What the token that made a change was allowed to do, separated by commas; empty
-- where no token did.
ALTER TABLE memory_event ADD COLUMN scopes TEXT NOT NULL DEFAULT '';
