"""The databases that run a store's statements."""
