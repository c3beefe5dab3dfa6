"""What to change in a skill or an output, as values."""
