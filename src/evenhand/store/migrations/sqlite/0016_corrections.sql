-- Decisions of reviewers that replace earlier ones, which stay as they are. Rows are added and never changed.
CREATE TABLE review_corrections (
  round TEXT NOT NULL,
  place INTEGER NOT NULL,
  person TEXT NOT NULL,
  decided TEXT NOT NULL,
  evaluation TEXT NOT NULL,
  replaces TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (round, place, person, evaluation)
);

CREATE TRIGGER corrections_stay BEFORE UPDATE ON review_corrections BEGIN SELECT RAISE(ABORT, 'corrections are only appended to'); END;

CREATE TRIGGER corrections_are_kept BEFORE DELETE ON review_corrections BEGIN SELECT RAISE(ABORT, 'corrections are only appended to'); END;

-- Every evaluation of a piece of work that a round of review asks about, by the hash of the submission.
CREATE TABLE review_works (submission TEXT NOT NULL, evaluation TEXT NOT NULL, PRIMARY KEY (submission, evaluation));

CREATE INDEX review_works_by_evaluation ON review_works (evaluation);

INSERT INTO review_works
SELECT substr(scorecard, instr(scorecard, '"submission":"') + 14, 64), id FROM evaluations
WHERE id IN (SELECT evaluation FROM review_items UNION SELECT evaluation FROM reviews) AND instr(scorecard, '"submission":"') > 0
