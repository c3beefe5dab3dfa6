"""Reads files into plain values that remember their line numbers. Knows nothing about what a document means."""
