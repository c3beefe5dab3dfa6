"""Is it better, and may it pass: sets compared, suites decided, what to change. Pure."""
