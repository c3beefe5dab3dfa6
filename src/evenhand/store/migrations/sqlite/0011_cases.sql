-- Which case each evaluation is of: the id that was given to it. The scorecard says so too; this finds the others of a
-- case. A table of its own, because a column would have every scorecard written again.
CREATE TABLE cases (id TEXT PRIMARY KEY, case_id TEXT NOT NULL) WITHOUT ROWID;

CREATE INDEX evaluations_of_case ON cases (case_id, id);
