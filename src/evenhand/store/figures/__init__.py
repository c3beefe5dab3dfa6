"""What the evaluations of a store come to: faults, judges, costs, drift."""
