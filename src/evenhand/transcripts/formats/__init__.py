"""Formats of transcripts, one file each."""
