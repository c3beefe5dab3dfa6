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

-- Lists by final score, of all skills and of one.
CREATE INDEX evaluations_by_final ON evaluations (final, completed, id) WHERE in_history < 3 AND final IS NOT NULL;

CREATE INDEX evaluations_of_skill_by_final ON evaluations (skill, final, completed, id)
  WHERE in_history < 2 AND final IS NOT NULL;
