"""Rubrics: Markdown files a person likes to write, read with the line of every problem."""
