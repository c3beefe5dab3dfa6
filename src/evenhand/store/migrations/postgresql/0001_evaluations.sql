-- Evaluations, append-only. Scores are hundredths of a point; times are microseconds since 1970.
-- Names are compared by their bytes (COLLATE "C"), so that every store orders alike.
CREATE TABLE evaluations (
  id TEXT COLLATE "C" PRIMARY KEY,
  skill TEXT COLLATE "C" NOT NULL,
  completed BIGINT NOT NULL,
  created TEXT NOT NULL,
  correctness INTEGER, completeness INTEGER, adherence INTEGER, actionability INTEGER,
  efficiency INTEGER, safety INTEGER, consistency INTEGER,
  final INTEGER,
  grade TEXT,
  rubric TEXT NOT NULL,
  rubric_sha256 TEXT NOT NULL,
  judge TEXT NOT NULL,
  fingerprint TEXT UNIQUE,
  scorecard TEXT NOT NULL,
  submission TEXT
);

-- The window of a skill: evaluations with a final score, newest first.
CREATE INDEX evaluations_of_skill ON evaluations (skill, completed, id, final) WHERE final IS NOT NULL;

-- Every evaluation in the order of time, scored or not.
CREATE INDEX evaluations_by_time ON evaluations (completed, id);
