-- What a skill's window leaves out, in the order of time, so that lists of a skill can go through it by key.
DROP INDEX evaluations_left_out;

CREATE INDEX evaluations_left_out ON evaluations (skill, completed, id) WHERE in_history = 0;

-- What was written through the dashboard, by whom. Rows are added and never changed.
CREATE TABLE web_log (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  moment TEXT NOT NULL,
  person TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL
);

CREATE FUNCTION evenhand_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log is only appended to';
END $$;

CREATE TRIGGER web_log_stays BEFORE UPDATE OR DELETE ON web_log FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();
