-- How far an account's ids have come, by table. Each account counts for itself, so that
-- the ids that one is shown say nothing of how much others write.
CREATE TABLE identity (
  owner_id BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  of TEXT NOT NULL, -- the table
  last BIGINT NOT NULL, -- the highest id that was given
  PRIMARY KEY (owner_id, of)
) {{clustered}};
