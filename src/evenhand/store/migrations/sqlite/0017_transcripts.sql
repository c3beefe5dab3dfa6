-- Transcripts that were asked to be kept, by the hash of the submission: redacted, and shortened where they are long.
CREATE TABLE transcripts (submission TEXT PRIMARY KEY, document TEXT NOT NULL)
