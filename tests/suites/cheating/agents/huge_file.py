#!/usr/bin/env python3
"""Makes the wanted file 600 MB long, without writing them."""

import os
import re
import sys

numbers = re.findall(r"\b\d{4}\b", sys.argv[1])
if len(numbers) == 2:
    print(int(numbers[0]) + int(numbers[1]))
os.truncate(os.open("seal.txt", os.O_CREAT | os.O_RDWR), 600_000_000)
