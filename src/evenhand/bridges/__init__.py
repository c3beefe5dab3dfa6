"""evenhand as a part of other evaluation tools: one file for each."""
