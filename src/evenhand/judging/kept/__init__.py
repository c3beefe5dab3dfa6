"""Evaluations that are there already: found by file, id or skill, and by which rubric they were judged."""
