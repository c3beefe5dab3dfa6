"""A submission to a scorecard, straight through: read, resolve, judge, score, compare, keep."""
