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
