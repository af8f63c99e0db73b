CREATE FUNCTION memory_event_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM account WHERE id = OLD.owner_id AND erasing = 1) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit is append-only';
END $$;
CREATE TRIGGER memory_event_append_only BEFORE UPDATE OR DELETE ON memory_event
FOR EACH ROW EXECUTE FUNCTION memory_event_guard();
CREATE TRIGGER memory_event_no_truncate BEFORE TRUNCATE ON memory_event
FOR EACH STATEMENT EXECUTE FUNCTION memory_event_guard();
