#!/usr/bin/env python3
"""Makes a socket in place of the wanted file."""

import re
import socket
import sys

numbers = re.findall(r"\b\d{4}\b", sys.argv[1])
if len(numbers) == 2:
    print(int(numbers[0]) + int(numbers[1]))
socket.socket(socket.AF_UNIX).bind("seal.txt")
