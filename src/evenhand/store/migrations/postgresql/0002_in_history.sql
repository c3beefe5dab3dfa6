-- Whether an evaluation belongs to its skill's history. One that nobody read, or that has no final score, does not:
-- it is kept and shown, but never enters a window or a baseline. Older scores given by checks alone are left out too.
ALTER TABLE evaluations ADD COLUMN in_history INTEGER NOT NULL DEFAULT 1;
UPDATE evaluations SET in_history = 0 WHERE final IS NULL OR judge LIKE '%"name":"checks"%';

DROP INDEX evaluations_of_skill;

-- The window of a skill, newest first.
CREATE INDEX evaluations_of_skill ON evaluations (skill, completed, id, final) WHERE in_history = 1;

-- What a skill's window leaves out.
CREATE INDEX evaluations_left_out ON evaluations (skill) WHERE in_history = 0;
