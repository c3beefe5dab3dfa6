-- A checksum of each evaluation but its submission, so that damage is noticed before something is compared with it.
-- Evaluations from before have none. It is in the index too: in the row it comes after the long texts.
ALTER TABLE evaluations ADD COLUMN checksum INTEGER;

DROP INDEX evaluations_of_skill;

CREATE INDEX evaluations_of_skill ON evaluations (skill, completed, id, final, in_history, checksum)
  WHERE in_history = 1;
