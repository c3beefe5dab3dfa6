"""Commands for tables: millions of evaluations, in files and in databases."""
