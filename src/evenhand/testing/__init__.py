"""Judging inside a test suite: the pytest plug-in."""
