"""What passes between rooms about suites, preferences and what to change."""
