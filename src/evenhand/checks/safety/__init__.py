"""Checks for harm: secrets, personal data, dangerous commands, insecure code, orders to a judge."""
