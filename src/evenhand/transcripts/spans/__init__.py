"""Spans of traces in every convention."""
