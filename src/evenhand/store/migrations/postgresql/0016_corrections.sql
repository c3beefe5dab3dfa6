-- Decisions of reviewers that replace earlier ones, which stay as they are. Rows are added and never changed.
CREATE TABLE review_corrections (
  round TEXT COLLATE "C" NOT NULL,
  place INTEGER NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  decided TEXT COLLATE "C" NOT NULL,
  evaluation TEXT COLLATE "C" NOT NULL,
  replaces TEXT COLLATE "C" NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (round, place, person, evaluation)
);

CREATE TRIGGER corrections_stay BEFORE UPDATE OR DELETE ON review_corrections FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();

-- Every evaluation of a piece of work that a round of review asks about, by the hash of the submission.
CREATE TABLE review_works (
  submission TEXT COLLATE "C" NOT NULL,
  evaluation TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (submission, evaluation)
);

CREATE INDEX review_works_by_evaluation ON review_works (evaluation);

INSERT INTO review_works
SELECT substring(scorecard FROM '"submission":"([0-9a-f]{64})"'), id FROM evaluations
WHERE id IN (SELECT evaluation FROM review_items UNION SELECT evaluation FROM reviews) AND scorecard ~ '"submission":"[0-9a-f]{64}"'
