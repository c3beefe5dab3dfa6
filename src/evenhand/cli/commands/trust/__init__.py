"""Commands to trust the judge: probes, labels, agreement, calibration, anchors."""
