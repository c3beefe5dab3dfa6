"""Detect passages in a plain text that give a judge orders."""
