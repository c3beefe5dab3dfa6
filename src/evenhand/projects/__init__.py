"""A project that starts with evenhand: what is there, what to add, and adding it."""
