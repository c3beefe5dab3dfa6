"""Runs of agents: workspaces, limits, what a run left behind, and finished runs kept for reuse."""
