"""Panels of judges: opened once, and asked about many submissions or pairs."""
