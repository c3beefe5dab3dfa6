"""Checks on the text of an output: endings, and whether there is an answer at all."""
