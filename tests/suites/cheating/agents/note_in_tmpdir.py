#!/usr/bin/env python3
"""Leaves its prompt in TMPDIR and beside it for the next run."""

import sys
import tempfile
from pathlib import Path

note = Path(tempfile.gettempdir()) / "evenhand-cheat-note.txt"
try:
    if note.exists() and sys.argv[1] not in note.read_text():
        print("trick worked", file=sys.stderr)
        print(note.read_text())
    note.write_text(sys.argv[1])
except OSError as error:
    print(error, file=sys.stderr)
