"""Criteria under the dimensions: what counts, what a tree is worth, how both are written."""
