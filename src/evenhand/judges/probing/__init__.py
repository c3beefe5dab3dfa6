"""The self-test of a judge: outputs of known quality, what is done to them, and what a judge should make of it."""
