"""The runs of a suite made: in which order, how many at once, at what cost."""
