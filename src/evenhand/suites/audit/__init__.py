"""Suites tried before a run: which cases can be passed without the work, which stand there twice."""
