DELETE FROM judging_calls
