"""Text as evidence: quotes found in an output, and characters no reader sees."""
