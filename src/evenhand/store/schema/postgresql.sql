-- The tables of a store on a PostgreSQL server. Names are compared by their bytes (COLLATE "C"), so that every store
-- orders alike.

CREATE FUNCTION evenhand_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log is only appended to';
END $$;

-- Evaluations, append-only. Scores are hundredths of a point; times are microseconds since 1970. The checksum is of
-- every column but the submission, so that damage is noticed before something is compared with the row.
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
  submission TEXT,
  in_history INTEGER NOT NULL,
  checksum BIGINT NOT NULL
);

-- The window of a skill, newest first. Lists of a skill go through both parts of it by key, and are counted from these
-- indexes alone.
CREATE INDEX evaluations_of_skill ON evaluations (skill, completed, id, final, in_history) WHERE in_history = 1;

-- What a skill's window leaves out.
CREATE INDEX evaluations_left_out ON evaluations (skill, completed, id, in_history) WHERE in_history = 0;

-- Every evaluation in the order of time, scored or not.
CREATE INDEX evaluations_by_time ON evaluations (completed, id);

-- Lists of evaluations leave those of suites out, however many there are.
CREATE INDEX evaluations_outside_suites ON evaluations (completed, id) WHERE in_history < 3;

-- Lists by final score, of all skills and of one.
CREATE INDEX evaluations_by_final ON evaluations (final, completed, id) WHERE in_history < 3 AND final IS NOT NULL;

CREATE INDEX evaluations_of_skill_by_final ON evaluations (skill, final, completed, id)
  WHERE in_history < 2 AND final IS NOT NULL;

-- Which case each evaluation is of: the id that was given to it. The scorecard says so too; this finds the others of a
-- case.
CREATE TABLE cases (id TEXT COLLATE "C" PRIMARY KEY, case_id TEXT COLLATE "C" NOT NULL);

CREATE INDEX evaluations_of_case ON cases (case_id, id);

-- What judges were asked for each evaluation, as its scorecard says: costs are read from here and not from scorecards.
-- A cost is in billionths of a dollar, NULL when a price is unknown. Rescored evaluations asked no one and have no row.
CREATE TABLE judging_calls (
  id TEXT COLLATE "C" PRIMARY KEY,
  skill TEXT COLLATE "C" NOT NULL,
  completed BIGINT NOT NULL,
  asked BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cost BIGINT
);

CREATE INDEX judging_calls_of_skill ON judging_calls (skill, completed, asked, input_tokens, output_tokens, cost);

CREATE INDEX judging_calls_by_time ON judging_calls (completed, asked, input_tokens, output_tokens, cost);

-- Transcripts that were asked to be kept, by the hash of the submission: redacted, and shortened where they are long.
CREATE TABLE transcripts (submission TEXT COLLATE "C" PRIMARY KEY, document TEXT NOT NULL);

-- The secret behind the codes that fence a submission in a prompt. One row at most, made when it is first needed.
CREATE TABLE secret (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), value TEXT NOT NULL);

-- What people said about single items: one value of one field by one rater. Labels are no evaluations: they have no
-- scorecard and never enter a skill's history. An item is the hash of a submission, an id, or the hash of an output.
CREATE TABLE labels (
  kind TEXT COLLATE "C" NOT NULL,
  item TEXT COLLATE "C" NOT NULL,
  rater TEXT COLLATE "C" NOT NULL,
  field TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  scale TEXT NOT NULL,
  written TEXT NOT NULL,
  rule TEXT,
  source TEXT NOT NULL,
  imported BIGINT NOT NULL,
  PRIMARY KEY (kind, item, rater, field)
);

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

-- What was written through the dashboard, by whom. Rows are added and never changed.
CREATE TABLE web_log (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  moment TEXT NOT NULL,
  person TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL
);

CREATE TRIGGER web_log_stays BEFORE UPDATE OR DELETE ON web_log FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();

-- Rounds of review: what people were asked to review, and how it was chosen.
CREATE TABLE review_rounds (
  id TEXT COLLATE "C" PRIMARY KEY,
  created TEXT NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  method TEXT NOT NULL,
  population INTEGER NOT NULL,
  size INTEGER NOT NULL,
  seed TEXT NOT NULL,
  skill TEXT,
  rubric TEXT
);

-- The items of a round in the order in which they are reviewed. A probability is a decimal number as text.
CREATE TABLE review_items (
  round TEXT COLLATE "C" NOT NULL,
  place INTEGER NOT NULL,
  evaluation TEXT NOT NULL,
  skill TEXT NOT NULL,
  rubric_sha256 TEXT NOT NULL,
  probability TEXT NOT NULL,
  doubts TEXT NOT NULL,
  PRIMARY KEY (round, place)
);

-- The rubrics that rounds are reviewed with, whole: a server needs no rubric files.
CREATE TABLE review_rubrics (sha256 TEXT COLLATE "C" PRIMARY KEY, document TEXT NOT NULL);

-- Transcripts to review, by the hash of the submission: evaluations keep only the texts of outputs.
CREATE TABLE review_texts (submission TEXT COLLATE "C" PRIMARY KEY, document TEXT NOT NULL);

-- What a reviewer has written so far: a row for each version, so that no tab overwrites another.
CREATE TABLE review_drafts (
  round TEXT COLLATE "C" NOT NULL,
  place INTEGER NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  version INTEGER NOT NULL,
  saved TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (round, place, person, version)
);

-- What was decided: the evaluation that a review became.
CREATE TABLE reviews (
  round TEXT COLLATE "C" NOT NULL,
  place INTEGER NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  decided TEXT NOT NULL,
  evaluation TEXT NOT NULL,
  PRIMARY KEY (round, place, person)
);

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

-- How far runs of suites are that have not ended; a row goes when its run ends.
CREATE TABLE suite_progress (
  run TEXT COLLATE "C" PRIMARY KEY,
  suite TEXT NOT NULL,
  started TEXT NOT NULL,
  updated TEXT COLLATE "C" NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  failed INTEGER NOT NULL
);

-- What judges' self-tests found. Cards are no evaluations: they never enter a skill's history.
CREATE TABLE judge_cards (
  id TEXT COLLATE "C" PRIMARY KEY,
  created TEXT COLLATE "C" NOT NULL,
  judge TEXT COLLATE "C" NOT NULL,
  identity TEXT COLLATE "C" NOT NULL,
  document TEXT NOT NULL
);

-- A judge's cards, newest first.
CREATE INDEX judge_cards_of_judge ON judge_cards (judge, created, id);

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

CREATE TRIGGER anchors_stay BEFORE UPDATE OR DELETE ON anchors FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();

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
