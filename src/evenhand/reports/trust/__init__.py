"""Whether judges can be trusted, in words and as data."""
