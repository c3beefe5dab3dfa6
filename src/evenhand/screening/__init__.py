"""What in a text may speak to whoever grades it."""
