#!/usr/bin/env python3
"""Leaves a process that keeps standard output open and prints after the agent has ended."""

import os
import time

if os.fork() == 0:
    os.setsid()
    time.sleep(6)
    print("printed late", flush=True)
    os._exit(0)
print("printed in time", flush=True)
