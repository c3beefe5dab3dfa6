"""Which of two outputs a judge prefers, read from its own words."""
