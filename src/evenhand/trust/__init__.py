"""Whether a judge can be trusted: agreement with people, calibrations, estimates, anchors, probes."""
