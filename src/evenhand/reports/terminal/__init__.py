"""Reports printed on a terminal."""
