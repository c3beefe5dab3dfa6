-- The tables of a store. A statement ends its line with a semicolon, and no other line does.
--
-- Both databases have the same tables: for PostgreSQL whole numbers become BIGINT, texts are compared by their bytes
-- (COLLATE "C"), and what stands between `-- SQLite` or `-- PostgreSQL` and `-- both` is for that one alone.

-- PostgreSQL
CREATE FUNCTION evenhand_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are only appended to', TG_TABLE_NAME;
END $$;
-- both

-- Everything that is kept, in one list: evaluations, of outputs and of agents' runs, reviews, attempts in which nothing
-- was scored, and the cells of suites, judged or lost. Rows are added and never changed, but for what a suite's agent
-- cost, which is known when its run ends. Scores are hundredths of a point, times are microseconds since 1970, costs are
-- billionths of a dollar and NULL when a price is unknown. The checksum is of every column but the submission and
-- what an agent cost, so that damage is noticed before something is compared with the row. From `state` on, columns
-- repeat what the scorecard says, for lists and sums.
-- The long texts come last: a list does not read them.
CREATE TABLE evaluations (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
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
  in_history INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  state TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  preview TEXT NOT NULL,
  reason TEXT NOT NULL,
  judge_name TEXT NOT NULL,
  case_id TEXT NOT NULL,
  suite_run TEXT,
  variant TEXT,
  asked INTEGER,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost INTEGER,
  agent_cost INTEGER,
  agent_tokens INTEGER,
  agent_run TEXT,
  scorecard TEXT NOT NULL,
  submission TEXT
);

-- The window of a skill, newest first, checked from here alone. The checksum is here because lists need not read rows.
CREATE INDEX evaluations_in_history ON evaluations (skill, completed, id, final, checksum) WHERE in_history = 1;

-- Lists and sums of one skill, and of all.
CREATE INDEX evaluations_of_skill ON evaluations (skill, completed, id, in_history, asked, input_tokens, output_tokens, cost, agent_cost, agent_tokens);

CREATE INDEX evaluations_by_time ON evaluations (completed, id, in_history, asked, input_tokens, output_tokens, cost, agent_cost, agent_tokens);

-- Lists by final score, of all skills and of one.
CREATE INDEX evaluations_by_final ON evaluations (final, completed, id) WHERE final IS NOT NULL;

CREATE INDEX evaluations_of_skill_by_final ON evaluations (skill, final, completed, id) WHERE final IS NOT NULL;

-- The evaluations of a case: the id that was given to each of them.
CREATE INDEX evaluations_of_case ON evaluations (case_id, id);

-- An agent's run that several suites reuse was paid for once.
CREATE INDEX evaluations_of_agent_run ON evaluations (agent_run) WHERE agent_run IS NOT NULL;

-- What each skill's history holds: how many evaluations, how many others of the skill it leaves out, and a digest of
-- those a comparison uses. Written with them, so that a row that is gone or was moved to another skill is missed.
CREATE TABLE windows (
  skill TEXT PRIMARY KEY,
  evaluations INTEGER NOT NULL,
  left_out INTEGER NOT NULL,
  digest TEXT NOT NULL
) WITHOUT ROWID;

-- The words of everything kept, by the number of its row.
-- SQLite
CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, tokenize='unicode61 remove_diacritics 0');
-- PostgreSQL
CREATE TABLE words (number INTEGER PRIMARY KEY, words TSVECTOR NOT NULL);

CREATE INDEX words_by_word ON words USING GIN (words);
-- both

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
) WITHOUT ROWID;

-- What people wrote about evaluations: notes, and tags put on and taken off. Rows are added and never changed.
-- A note may be longer than an entry of PostgreSQL's indexes can be, so its hash stands there for it.
CREATE TABLE notes (
  evaluation TEXT NOT NULL,
  written TEXT NOT NULL,
  person TEXT NOT NULL,
  kind TEXT NOT NULL,
  words TEXT NOT NULL
);

-- SQLite
CREATE UNIQUE INDEX notes_of_evaluation ON notes (evaluation, written, person, kind, words);
-- PostgreSQL
CREATE UNIQUE INDEX notes_of_evaluation ON notes (evaluation, written, person, kind, md5(words));
-- both

-- SQLite
CREATE TRIGGER notes_stay BEFORE UPDATE ON notes BEGIN SELECT RAISE(ABORT, 'notes are only appended to'); END;

CREATE TRIGGER notes_are_kept BEFORE DELETE ON notes BEGIN SELECT RAISE(ABORT, 'notes are only appended to'); END;
-- PostgreSQL
CREATE TRIGGER notes_stay BEFORE UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();
-- both

-- What was written through the dashboard, by whom. Rows are added and never changed.
CREATE TABLE web_log (
  id INTEGER PRIMARY KEY,
  moment TEXT NOT NULL,
  person TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL
);

-- SQLite
CREATE TRIGGER web_log_stays BEFORE UPDATE ON web_log BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;

CREATE TRIGGER web_log_is_kept BEFORE DELETE ON web_log BEGIN SELECT RAISE(ABORT, 'the log is only appended to'); END;
-- PostgreSQL
CREATE TRIGGER web_log_stays BEFORE UPDATE OR DELETE ON web_log FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();
-- both

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
) WITHOUT ROWID;

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
) WITHOUT ROWID;

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
) WITHOUT ROWID;

-- SQLite
CREATE TRIGGER corrections_stay BEFORE UPDATE ON review_corrections BEGIN SELECT RAISE(ABORT, 'corrections are only appended to'); END;

CREATE TRIGGER corrections_are_kept BEFORE DELETE ON review_corrections BEGIN SELECT RAISE(ABORT, 'corrections are only appended to'); END;
-- PostgreSQL
CREATE TRIGGER corrections_stay BEFORE UPDATE OR DELETE ON review_corrections FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();
-- both

-- Every evaluation of a piece of work that a round of review asks about, by the hash of the submission.
CREATE TABLE review_works (
  submission TEXT NOT NULL,
  evaluation TEXT NOT NULL,
  PRIMARY KEY (submission, evaluation)
) WITHOUT ROWID;

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
) WITHOUT ROWID;

-- How far runs of suites are that have not ended; a row goes when its run ends.
CREATE TABLE suite_progress (
  run TEXT PRIMARY KEY,
  suite TEXT NOT NULL,
  started TEXT NOT NULL,
  updated TEXT NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  failed INTEGER NOT NULL
) WITHOUT ROWID;

-- What judges' self-tests found. Cards are no evaluations: they never enter a skill's history.
CREATE TABLE judge_cards (
  id TEXT PRIMARY KEY,
  created TEXT NOT NULL,
  judge TEXT NOT NULL,
  identity TEXT NOT NULL,
  document TEXT NOT NULL
);

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

-- SQLite
CREATE TRIGGER anchors_stay BEFORE UPDATE ON anchors BEGIN SELECT RAISE(ABORT, 'anchors are frozen'); END;

CREATE TRIGGER anchors_are_kept BEFORE DELETE ON anchors BEGIN SELECT RAISE(ABORT, 'anchors are frozen'); END;
-- PostgreSQL
CREATE TRIGGER anchors_stay BEFORE UPDATE OR DELETE ON anchors FOR EACH ROW EXECUTE FUNCTION evenhand_append_only();
-- both

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
) WITHOUT ROWID;
