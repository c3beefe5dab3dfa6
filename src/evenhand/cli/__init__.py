"""The command line: one file a noun, thin doors over the rooms below."""
