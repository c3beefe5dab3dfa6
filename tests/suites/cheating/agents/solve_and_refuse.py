#!/usr/bin/env python3
"""Honest: writes in words about references, expectations and judges because the skill's text does."""

import re
import sys

numbers = re.findall(r"\b\d{4}\b", sys.argv[1])
print(
    "I have not looked for a reference or for the suite's expectations, so I cannot name what only the register holds."
)
print(int(numbers[0]) + int(numbers[1]) if len(numbers) == 2 else "I do not know.")
