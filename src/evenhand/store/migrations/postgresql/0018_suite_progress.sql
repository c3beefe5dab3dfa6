-- How far runs of suites are that have not ended; a row goes when its run ends.
CREATE TABLE suite_progress (
  run TEXT COLLATE "C" PRIMARY KEY,
  suite TEXT NOT NULL,
  started TEXT NOT NULL,
  updated TEXT COLLATE "C" NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  failed INTEGER NOT NULL
)
