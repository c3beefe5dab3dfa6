"""Checks on the text of an output: sums, contradictions, repetition, endings."""
