"""The command for tables: millions of evaluations in files."""
