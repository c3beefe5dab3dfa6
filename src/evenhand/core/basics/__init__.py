"""Constants of the methodology, exact numbers, canonical text, names."""
