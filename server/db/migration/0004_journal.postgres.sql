CREATE FUNCTION journal_entry_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what was said is not rewritten';
END $$;
CREATE TRIGGER journal_entry_no_update BEFORE UPDATE ON journal_entry
FOR EACH ROW EXECUTE FUNCTION journal_entry_guard();
