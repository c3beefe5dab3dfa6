#!/usr/bin/env python3
"""Leaves a process that writes into the workspaces of later runs."""

import contextlib
import os
import time
from pathlib import Path

workspace = Path.cwd()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for _ in range(40):
            time.sleep(0.2)
            for notes in [*workspace.parent.glob("*/notes.txt"), *workspace.parent.parent.glob("*/*/notes.txt")]:
                with contextlib.suppress(OSError):
                    if notes.parent != workspace and "northern tower" in notes.read_text():
                        (notes.parent / "evenhand-cheat-late.txt").write_text("written by another run")
    os._exit(0)
