"""Two sides compared, and what follows from it, in words and as data."""
