-- Conversations that other programs hold by way of this one: what a program calls one.
CREATE TABLE relayed_name (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  conversation_id BIGINT NOT NULL REFERENCES conversation (id),
  PRIMARY KEY (owner_id, name)
) {{clustered}};
CREATE INDEX relayed_name_conversation ON relayed_name (conversation_id);

-- What was said in them, to be known again when the program sends it with its next
-- request: of each message a print of all that was said up to it.
CREATE TABLE relayed_entry (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  print BIGINT NOT NULL,
  entry_id BIGINT NOT NULL,
  conversation_id BIGINT NOT NULL REFERENCES conversation (id),
  PRIMARY KEY (owner_id, print, entry_id)
) {{clustered}};
CREATE INDEX relayed_entry_conversation ON relayed_entry (conversation_id);
