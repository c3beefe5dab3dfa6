"""Suites, their runs and what the results show, as values."""
