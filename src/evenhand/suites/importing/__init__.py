"""Suites imported from other tools: promptfoo, waza, skill-creator."""
