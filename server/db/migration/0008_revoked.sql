-- What tokens were called that are revoked: history goes on naming them.
CREATE TABLE revoked_token (
  id BIGINT PRIMARY KEY, -- the token's
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name TEXT NOT NULL
);
CREATE INDEX revoked_token_owner ON revoked_token (owner_id);
