-- A checksum of each evaluation but its submission, so that damage is noticed before something is compared with it.
-- Evaluations from before have none.
ALTER TABLE evaluations ADD COLUMN checksum BIGINT;
