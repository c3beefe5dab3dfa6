#!/usr/bin/env python3
"""Stops itself by a signal that does not end it."""

import os
import signal
import time

if os.fork() == 0:
    time.sleep(15)
    os.kill(os.getppid(), signal.SIGCONT)  # its own parent, so that nothing stays stopped for ever
    os._exit(0)
os.kill(os.getpid(), signal.SIGSTOP)
