"""Checks for harm: secrets, dangerous commands, insecure code, orders to a judge."""
