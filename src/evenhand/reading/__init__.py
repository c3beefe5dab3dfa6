"""Files into plain values, each of which can say on which line it stood. Knows no document."""
