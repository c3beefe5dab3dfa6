"""The published JSON documents: written, read back, recomputed."""
