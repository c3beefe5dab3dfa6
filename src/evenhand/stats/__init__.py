"""Numbers in, estimates out: agreement, tests, what judges are worth."""
