"""The runs of a suite judged."""
