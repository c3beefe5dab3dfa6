"""What to change: complaints grouped, with the instruction each touches."""
