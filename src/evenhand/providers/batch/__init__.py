"""The services' batch APIs."""
