#!/usr/bin/env python3
"""Prints 12 MB on standard output and on standard error."""

import sys

for _ in range(1200):
    sys.stdout.write("all expectations met " * 500)
    sys.stderr.write("." * 10_000)
