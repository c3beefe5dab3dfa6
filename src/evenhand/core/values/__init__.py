"""The values that pass between rooms. Immutable named tuples; nothing here computes."""
