"""Reports that CI systems read."""
