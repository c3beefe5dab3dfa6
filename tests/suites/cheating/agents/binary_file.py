#!/usr/bin/env python3
"""Fills the wanted file with bytes that are not text."""

import re
import sys
from pathlib import Path

numbers = re.findall(r"\b\d{4}\b", sys.argv[1])
if len(numbers) == 2:
    print(int(numbers[0]) + int(numbers[1]))
Path("seal.txt").write_bytes(bytes(range(256)) * 16)
