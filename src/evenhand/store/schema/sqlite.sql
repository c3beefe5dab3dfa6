-- The tables of a store in a SQLite file. Each statement ends its line with a semicolon, and no other line does.

-- Evaluations, append-only. Scores are hundredths of a point; times are microseconds since 1970. The checksum is of
-- every column but the submission, so that damage is noticed before something is compared with the row.
CREATE TABLE evaluations (
  id TEXT PRIMARY KEY,
  skill TEXT NOT NULL,
  completed INTEGER NOT NULL,
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
  checksum INTEGER NOT NULL
);

-- The window of a skill, newest first. Lists of a skill go through both parts of it by key, and are counted from these
-- indexes alone. The checksum is here because in the row it comes after the long texts.
CREATE INDEX evaluations_of_skill ON evaluations (skill, completed, id, final, in_history, checksum)
  WHERE in_history = 1;

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
CREATE TABLE cases (id TEXT PRIMARY KEY, case_id TEXT NOT NULL) WITHOUT ROWID;

CREATE INDEX evaluations_of_case ON cases (case_id, id);

-- What judges were asked for each evaluation, as its scorecard says: costs are read from here and not from scorecards.
-- A cost is in billionths of a dollar, NULL when a price is unknown. Rescored evaluations asked no one and have no row.
CREATE TABLE judging_calls (
  id TEXT PRIMARY KEY,
  skill TEXT NOT NULL,
  completed INTEGER NOT NULL,
  asked INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost INTEGER
) WITHOUT ROWID;

CREATE INDEX judging_calls_of_skill ON judging_calls (skill, completed, asked, input_tokens, output_tokens, cost);

CREATE INDEX judging_calls_by_time ON judging_calls (completed, asked, input_tokens, output_tokens, cost);

-- Transcripts that were asked to be kept, by the hash of the submission: redacted, and shortened where they are long.
CREATE TABLE transcripts (submission TEXT PRIMARY KEY, document TEXT NOT NULL);

-- The secret behind the codes that fence a submission in a prompt. One row at most, made when it is first needed.
CREATE TABLE secret (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), value TEXT NOT NULL);

-- What people said about single items: one value of one field by one rater. Labels are no evaluations: they have no
-- scorecard and never enter a skill's history. An item is the hash of a submission, an id, or the hash of an output.
CREATE TABLE labels (
  kind TEXT NOT NULL,
  item TEXT NOT NULL,
  rater TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  scale TEXT NOT NULL,
  written TEXT NOT NULL,
  rule TEXT,
  source TEXT NOT NULL,
  imported INTEGER NOT NULL,
  PRIMARY KEY (kind, item, rater, field)
);

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

-- What was written through the dashboard, by whom. Rows are added and never changed.
CREATE TABLE web_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  moment TEXT NOT NULL,
  person TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL
);

CREATE TRIGGER web_log_stays BEFORE UPDATE ON web_log BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;

CREATE TRIGGER web_log_is_kept BEFORE DELETE ON web_log BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;

-- Rounds of review: what people were asked to review, and how it was chosen.
CREATE TABLE review_rounds (
  id TEXT PRIMARY KEY,
  created TEXT NOT NULL,
  person TEXT NOT NULL,
  method TEXT NOT NULL,
  population INTEGER NOT NULL,
  size INTEGER NOT NULL,
  seed TEXT NOT NULL,
  skill TEXT,
  rubric TEXT
);

-- The items of a round in the order in which they are reviewed. A probability is a decimal number as text.
CREATE TABLE review_items (
  round TEXT NOT NULL,
  place INTEGER NOT NULL,
  evaluation TEXT NOT NULL,
  skill TEXT NOT NULL,
  rubric_sha256 TEXT NOT NULL,
  probability TEXT NOT NULL,
  doubts TEXT NOT NULL,
  PRIMARY KEY (round, place)
);

-- The rubrics that rounds are reviewed with, whole: a server needs no rubric files.
CREATE TABLE review_rubrics (sha256 TEXT PRIMARY KEY, document TEXT NOT NULL);

-- Transcripts to review, by the hash of the submission: evaluations keep only the texts of outputs.
CREATE TABLE review_texts (submission TEXT PRIMARY KEY, document TEXT NOT NULL);

-- What a reviewer has written so far: a row for each version, so that no tab overwrites another.
CREATE TABLE review_drafts (
  round TEXT NOT NULL,
  place INTEGER NOT NULL,
  person TEXT NOT NULL,
  version INTEGER NOT NULL,
  saved TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (round, place, person, version)
);

-- What was decided: the evaluation that a review became.
CREATE TABLE reviews (
  round TEXT NOT NULL,
  place INTEGER NOT NULL,
  person TEXT NOT NULL,
  decided TEXT NOT NULL,
  evaluation TEXT NOT NULL,
  PRIMARY KEY (round, place, person)
);

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

-- How far runs of suites are that have not ended; a row goes when its run ends.
CREATE TABLE suite_progress (
  run TEXT PRIMARY KEY,
  suite TEXT NOT NULL,
  started TEXT NOT NULL,
  updated TEXT NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  failed INTEGER NOT NULL
);

-- What judges' self-tests found. Cards are no evaluations: they never enter a skill's history.
CREATE TABLE judge_cards (
  id TEXT PRIMARY KEY,
  created TEXT NOT NULL,
  judge TEXT NOT NULL,
  identity TEXT NOT NULL,
  document TEXT NOT NULL
);

-- A judge's cards, newest first.
CREATE INDEX judge_cards_of_judge ON judge_cards (judge, created, id);

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

CREATE TRIGGER anchors_stay BEFORE UPDATE ON anchors BEGIN SELECT RAISE(ABORT, 'anchors are frozen'); END;

CREATE TRIGGER anchors_are_kept BEFORE DELETE ON anchors BEGIN SELECT RAISE(ABORT, 'anchors are frozen'); END;

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
