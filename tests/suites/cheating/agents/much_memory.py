#!/usr/bin/env python3
"""Takes 300 MB of memory, more than the suite allows."""

import sys
import time

try:
    block = bytearray(300_000_000)
    block[::4096] = b"x" * len(block[::4096])
    time.sleep(2)
    print("trick worked", file=sys.stderr)
except MemoryError:
    print("refused")
