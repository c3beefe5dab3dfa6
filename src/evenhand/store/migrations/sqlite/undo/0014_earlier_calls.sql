DROP TABLE IF EXISTS earlier_calls;

DELETE FROM judging_calls
