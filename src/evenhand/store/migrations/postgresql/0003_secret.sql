-- The secret behind the codes that fence a submission in a prompt. One row at most, made when it is first needed.
CREATE TABLE secret (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), value TEXT NOT NULL);
