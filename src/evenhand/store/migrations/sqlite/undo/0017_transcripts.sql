DROP TABLE transcripts
