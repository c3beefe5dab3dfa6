"""What an agent did, and what it says it did: calls, commands, files, runs of tests."""
