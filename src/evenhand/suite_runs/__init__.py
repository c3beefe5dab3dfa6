"""Suites run: plans, runs of agents, their judgements, results and decisions."""
