"""The types of the published schemas."""
