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
