-- Lists of a skill go through both parts of it by key. With in_history in them, SQLite counts and reads trends from
-- the indexes alone.
DROP INDEX evaluations_of_skill;

CREATE INDEX evaluations_of_skill ON evaluations (skill, completed, id, final, in_history) WHERE in_history = 1;

DROP INDEX evaluations_left_out;

CREATE INDEX evaluations_left_out ON evaluations (skill, completed, id, in_history) WHERE in_history = 0;

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
