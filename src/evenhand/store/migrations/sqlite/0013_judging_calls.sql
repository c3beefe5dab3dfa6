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

-- Lists by final score, of all skills and of one.
CREATE INDEX evaluations_by_final ON evaluations (final, completed, id) WHERE in_history < 3 AND final IS NOT NULL;

CREATE INDEX evaluations_of_skill_by_final ON evaluations (skill, final, completed, id)
  WHERE in_history < 2 AND final IS NOT NULL;
