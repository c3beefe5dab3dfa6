"""Judges: anything that turns a rubric and a submission into a judgement."""
