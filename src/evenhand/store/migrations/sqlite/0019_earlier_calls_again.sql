-- A store that an earlier version brought this far has all calls in the table already, and lacks only the note of it.
CREATE TABLE IF NOT EXISTS earlier_calls (read_to TEXT NOT NULL)
