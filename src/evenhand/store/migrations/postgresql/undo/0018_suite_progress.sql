DROP TABLE suite_progress
