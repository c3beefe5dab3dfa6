-- What people wrote about evaluations: notes, and tags put on and taken off. Rows are added and never changed.
-- A note may be longer than an index entry can be, so its hash stands in the index for it.
CREATE TABLE notes (
  evaluation TEXT COLLATE "C" NOT NULL,
  written TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  words TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX notes_of_evaluation ON notes (evaluation, written, person, kind, md5(words));

CREATE INDEX notes_by_words ON notes (kind, md5(words), evaluation);

CREATE TRIGGER notes_stay BEFORE UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();
