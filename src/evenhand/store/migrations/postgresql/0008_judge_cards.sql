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
