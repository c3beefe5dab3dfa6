"""Who may use the dashboard: people, sessions, a proxy in front, and what every request must pass."""
