-- What people wrote about evaluations: notes, and tags put on and taken off. Rows are added and never changed.
CREATE TABLE notes (
  evaluation TEXT NOT NULL,
  written TEXT NOT NULL,
  person TEXT NOT NULL,
  kind TEXT NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (evaluation, written, person, kind, words)
);

CREATE INDEX notes_by_words ON notes (kind, words, evaluation);

CREATE TRIGGER notes_stay BEFORE UPDATE ON notes BEGIN SELECT RAISE(ABORT, 'notes are only appended to'); END;

CREATE TRIGGER notes_are_kept BEFORE DELETE ON notes BEGIN SELECT RAISE(ABORT, 'notes are only appended to'); END;
