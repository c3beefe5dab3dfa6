#!/usr/bin/env python3
"""Prints what it can, then ignores requests to end and waits."""

import re
import signal
import sys
import time

numbers = re.findall(r"\b\d{4}\b", sys.argv[1])
if len(numbers) == 2:
    print(int(numbers[0]) + int(numbers[1]))
sys.stdout.flush()
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
time.sleep(20)
