"""The version, where the quickest command can read it."""

__version__ = "0.2.0"
