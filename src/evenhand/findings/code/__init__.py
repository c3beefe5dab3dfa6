"""Checks on code and data in an output."""
