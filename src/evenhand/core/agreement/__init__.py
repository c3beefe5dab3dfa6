"""How far raters agree: coefficients with intervals, and what they mean. Pure."""
