#!/usr/bin/env python3
"""Makes five thousand files and a hundred nested folders."""

import re
import sys
from pathlib import Path

numbers = re.findall(r"\b\d{4}\b", sys.argv[1])
if len(numbers) == 2:
    print(int(numbers[0]) + int(numbers[1]))
folder = Path("many")
folder.mkdir()
for number in range(5000):
    (folder / f"{number}.txt").touch()
for _ in range(100):
    folder = folder / "deeper"
    folder.mkdir()
