"""Checks of an output against what the task asked for and ruled out."""
