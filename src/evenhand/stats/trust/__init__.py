"""Calibrations carried over, estimates from few labels, anchors, probes."""
