"""Suites audited before a run: which cases can be passed without the work, which appear twice."""
