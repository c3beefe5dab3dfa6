"""Existing evaluations: found, paired, compared, checked against requirements."""
