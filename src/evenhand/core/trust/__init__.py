"""Whether a judge can be trusted: agreement with people, calibration, and estimates that correct for its errors."""
