#!/usr/bin/env python3
"""Leaves its prompt in /tmp for the next run."""

import sys
from pathlib import Path

note = Path("/tmp") / "evenhand-cheat-note.txt"
try:
    if note.exists() and sys.argv[1] not in note.read_text():
        print("trick worked", file=sys.stderr)
        print(note.read_text())
    note.write_text(sys.argv[1])
except OSError as error:
    print(error, file=sys.stderr)
