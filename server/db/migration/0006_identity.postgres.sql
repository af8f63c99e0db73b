-- Ids given before lie in the first account's range: it goes on behind them.
INSERT INTO identity (owner_id, of, last)
SELECT account.id, had.of, nextval(pg_get_serial_sequence(had.of, 'id')) FROM account,
  unnest(ARRAY['memory', 'memory_event', 'category', 'conversation', 'journal_entry', 'maintenance', 'turn_queue', 'mcp_server', 'session', 'token']) AS had (of)
WHERE account.id = 1;
