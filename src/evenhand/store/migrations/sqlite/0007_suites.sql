-- Runs of suites. A document is one line of JSON.
CREATE TABLE suite_runs (
  id TEXT PRIMARY KEY,
  suite TEXT NOT NULL,
  created TEXT NOT NULL,
  document TEXT NOT NULL
);

CREATE INDEX suite_runs_by_time ON suite_runs (created, id);

-- What each run of each variant on each case gave.
CREATE TABLE suite_results (
  run TEXT NOT NULL,
  case_id TEXT NOT NULL,
  variant TEXT NOT NULL,
  repeat_number INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (run, case_id, variant, repeat_number)
);

-- Names for runs that later ones are compared with. A name is given once.
CREATE TABLE suite_baselines (
  suite TEXT NOT NULL,
  name TEXT NOT NULL,
  run TEXT NOT NULL,
  created TEXT NOT NULL,
  PRIMARY KEY (suite, name)
);

-- Lists of evaluations leave those of suites out, however many there are.
CREATE INDEX evaluations_outside_suites ON evaluations (completed, id) WHERE in_history < 3;
