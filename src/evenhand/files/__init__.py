"""Files that are read and written: one codec for every document."""
