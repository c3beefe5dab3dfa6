"""The published JSON beside scorecards."""
