-- Runs of suites. A document is one line of JSON.
CREATE TABLE suite_runs (
  id TEXT COLLATE "C" PRIMARY KEY,
  suite TEXT COLLATE "C" NOT NULL,
  created TEXT COLLATE "C" NOT NULL,
  document TEXT NOT NULL
);

CREATE INDEX suite_runs_by_time ON suite_runs (created, id);

-- What each run of each variant on each case gave.
CREATE TABLE suite_results (
  run TEXT COLLATE "C" NOT NULL,
  case_id TEXT COLLATE "C" NOT NULL,
  variant TEXT COLLATE "C" NOT NULL,
  repeat_number INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (run, case_id, variant, repeat_number)
);

-- Names for runs that later ones are compared with. A name is given once.
CREATE TABLE suite_baselines (
  suite TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  run TEXT COLLATE "C" NOT NULL,
  created TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (suite, name)
);

-- Lists of evaluations leave those of suites out, however many there are.
CREATE INDEX evaluations_outside_suites ON evaluations (completed, id) WHERE in_history < 3;
