"""The methodology: scores to a scorecard, scorecards to a ranking, every step shown."""
