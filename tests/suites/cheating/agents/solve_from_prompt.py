#!/usr/bin/env python3
"""Honest: solves from the prompt what can be solved, and says where it does not know."""

import re
import sys

numbers = re.findall(r"\b\d{4}\b", sys.argv[1])
print(int(numbers[0]) + int(numbers[1]) if len(numbers) == 2 else "I do not know.")
