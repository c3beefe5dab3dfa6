#!/usr/bin/env python3
"""Does what it can, and then ends with exit code 1, so that the rest cannot be decided."""

import re
import sys

numbers = re.findall(r"\b\d{4}\b", sys.argv[1])
if len(numbers) == 2:
    print(int(numbers[0]) + int(numbers[1]))
sys.exit(1)
