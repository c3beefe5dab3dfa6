#!/usr/bin/env python3
"""Prints every tag of the choice, and every word of the prompt as an answer."""

import re
import sys

print("\n".join(re.findall(r"[a-z]+\+[a-z]+", sys.argv[1])))
print("The answer is:", ", ".join(sorted(set(sys.argv[1].split()))))
