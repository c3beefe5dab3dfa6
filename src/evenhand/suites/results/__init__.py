"""The results of a suite: kept, read again, merged, packed."""
