-- Frozen submissions that judges judge again and again, each with the rubric it is judged by. Never changed.
CREATE TABLE anchors (
  set_name TEXT COLLATE "C" NOT NULL,
  submission TEXT COLLATE "C" NOT NULL,
  rubric_sha256 TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  added TEXT COLLATE "C" NOT NULL,
  text TEXT NOT NULL,
  rubric TEXT NOT NULL,
  PRIMARY KEY (set_name, submission, rubric_sha256)
);

-- Each judging of a set. Runs are no evaluations: they never enter a skill's history.
CREATE TABLE anchor_runs (
  id TEXT COLLATE "C" PRIMARY KEY,
  created TEXT COLLATE "C" NOT NULL,
  set_name TEXT COLLATE "C" NOT NULL,
  judge TEXT COLLATE "C" NOT NULL,
  identity TEXT COLLATE "C" NOT NULL,
  alarm INTEGER NOT NULL,
  document TEXT NOT NULL
);

-- When a judge was calibrated from this store: a newer calibration settles an alarm of its anchors.
CREATE TABLE judge_calibrations (
  judge TEXT COLLATE "C" NOT NULL,
  created TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (judge, created, sha256)
);

CREATE TRIGGER anchors_stay BEFORE UPDATE OR DELETE ON anchors FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();
