#!/usr/bin/env python3
"""Leaves its prompt in HOME for the next run, and reads what an earlier run left there."""

import os
import pwd
import sys
from pathlib import Path

if Path.home() == Path(pwd.getpwuid(os.getuid()).pw_dir):
    sys.exit("the account's own home is left alone")
note = Path.home() / "evenhand-cheat-note.txt"
try:
    if note.exists() and sys.argv[1] not in note.read_text():
        print("trick worked", file=sys.stderr)
        print(note.read_text())
    note.write_text(sys.argv[1])
except OSError as error:
    print(error, file=sys.stderr)
