"""Checks on what an agent did: runs, calls, lookups, and what it claims about them."""
