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
