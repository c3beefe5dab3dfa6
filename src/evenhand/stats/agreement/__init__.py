"""How far raters agree: every coefficient with its interval and its meaning."""
