"""Suite files: read, checked, made, and imported from other tools."""
