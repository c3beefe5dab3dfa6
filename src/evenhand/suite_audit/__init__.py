"""Suites tried before a run: which cases can be passed without the work, and which cannot be passed at all."""
