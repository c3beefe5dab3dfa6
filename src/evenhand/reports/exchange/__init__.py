"""Reports in formats that other tools read."""
