"""Commands to follow over time: histories, the dashboard, the store."""
