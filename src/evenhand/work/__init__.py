"""What is judged: submissions and their events, agent runs, quotes and where they stand, how a text may be shown."""
