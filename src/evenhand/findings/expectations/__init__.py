"""Expectations: what a case requires, and whether it is met."""
