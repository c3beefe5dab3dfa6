"""Commands to compare and decide: two sets, many systems, gates, suites."""
