"""The scorecard's document: its fields, written, restored, checked against its receipt."""
