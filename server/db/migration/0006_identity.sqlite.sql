-- Ids given before lie in the first account's range: it goes on behind them.
INSERT INTO identity (owner_id, of, last)
SELECT account.id, sqlite_sequence.name, sqlite_sequence.seq FROM account, sqlite_sequence
WHERE account.id = 1 AND sqlite_sequence.name IN
  ('memory', 'memory_event', 'category', 'conversation', 'journal_entry', 'maintenance', 'turn_queue', 'mcp_server', 'session', 'token');
