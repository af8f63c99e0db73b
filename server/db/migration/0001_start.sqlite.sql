CREATE TRIGGER memory_event_no_update BEFORE UPDATE ON memory_event
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER memory_event_no_delete BEFORE DELETE ON memory_event
WHEN NOT EXISTS (SELECT 1 FROM account WHERE id = OLD.owner_id AND erasing = 1)
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
