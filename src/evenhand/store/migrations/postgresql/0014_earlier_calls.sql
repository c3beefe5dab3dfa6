-- What judges were asked for evaluations from before stays on their scorecards at first: reading all of them would take
-- many times as long as a copy of the store. They are read in the order of ids, later and part by part; this row says
-- how far. Without a row nothing is left to read.
CREATE TABLE earlier_calls (read_to TEXT COLLATE "C" NOT NULL);

INSERT INTO earlier_calls SELECT '' WHERE EXISTS (SELECT 1 FROM evaluations)
