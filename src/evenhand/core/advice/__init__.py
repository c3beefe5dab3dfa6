"""What to change in an output, from its scorecard."""
