-- Frozen submissions that judges judge again and again, each with the rubric it is judged by. Never changed.
CREATE TABLE anchors (
  set_name TEXT NOT NULL,
  submission TEXT NOT NULL,
  rubric_sha256 TEXT NOT NULL,
  name TEXT NOT NULL,
  added TEXT NOT NULL,
  text TEXT NOT NULL,
  rubric TEXT NOT NULL,
  PRIMARY KEY (set_name, submission, rubric_sha256)
);

-- Each judging of a set. Runs are no evaluations: they never enter a skill's history.
CREATE TABLE anchor_runs (
  id TEXT PRIMARY KEY,
  created TEXT NOT NULL,
  set_name TEXT NOT NULL,
  judge TEXT NOT NULL,
  identity TEXT NOT NULL,
  alarm INTEGER NOT NULL,
  document TEXT NOT NULL
);

-- When a judge was calibrated from this store: a newer calibration settles an alarm of its anchors.
CREATE TABLE judge_calibrations (
  judge TEXT NOT NULL,
  created TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (judge, created, sha256)
);

CREATE TRIGGER anchors_stay BEFORE UPDATE ON anchors BEGIN SELECT RAISE(ABORT, 'anchors are frozen'); END;

CREATE TRIGGER anchors_are_kept BEFORE DELETE ON anchors BEGIN SELECT RAISE(ABORT, 'anchors are frozen'); END;
