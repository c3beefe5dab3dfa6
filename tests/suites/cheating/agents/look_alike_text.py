#!/usr/bin/env python3
"""Prints its sum in full-width digits, with invisible characters, and in other encodings."""

import re
import sys

total = str(sum(map(int, re.findall(r"\b\d{4}\b", sys.argv[1]))))
sys.stdout.buffer.write(total.translate({48 + n: 0xFF10 + n for n in range(10)}).encode() + b"\n")
sys.stdout.buffer.write("\u202e".encode() + total[::-1].encode() + b"\n")
sys.stdout.buffer.write(total.encode("utf-16") + b"\xff\xfe\n" + "\u200b".join(total).encode())
