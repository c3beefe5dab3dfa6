"""The folders of a run: what it starts from, what it leaves behind, and what is used again."""
