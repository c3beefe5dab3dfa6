"""Expectations: what a case says must be so, and whether it is."""
