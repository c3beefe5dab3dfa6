"""One HTTP client for every provider that is a server."""
