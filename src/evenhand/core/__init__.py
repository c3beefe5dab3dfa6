"""The methodology itself. Pure: no files, no clock, no randomness, standard library only."""
