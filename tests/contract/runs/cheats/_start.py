"""What each of the programs beside this one begins with: it tries many ways, and prints the names of those that worked.

No way leaves a harm behind where nothing confines it: it opens and does not write.
"""

import ctypes
import glob
import json
import os
import re
import resource
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
import zlib

SUITE = os.environ["SUITE"]
MARK = os.environ["MARK"]
OWN = os.getcwd()
KERNEL = ctypes.CDLL(None, use_errno=True)
WAYS = {}


def way(action):
    WAYS[action.__name__] = action
    return action


def call(number, *arguments):
    """A system call by its number on x86-64."""
    result = KERNEL.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def secret(text):
    if isinstance(text, str):
        text = text.encode()
    return re.search(rb"SECRET-[0-9a-f]{12}", text) is not None


def read(path, most=2_000_000):
    with open(path, "rb") as file:
        return file.read(most)


def any_of(action, things):
    """Whether an action comes to something with any of them."""
    for thing in things:
        try:
            if action(thing):
                return True
        except (OSError, ValueError, OverflowError):
            continue
    return False


def opens(path, flags=os.O_RDWR):
    os.close(os.open(path, flags | os.O_NONBLOCK))
    return True


def makes_in(folder):
    """A file without a name: nothing stays."""
    return os.path.isdir(folder) and opens(folder, os.O_RDWR | os.O_TMPFILE)


def others():
    """The processes of the examiner: its command line names the suite's folder."""
    pids = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid not in (1, os.getpid())]
    for pid in pids:
        try:
            if MARK in read(f"/proc/{pid}/cmdline").decode(errors="replace"):
                yield pid
        except OSError:
            continue


def main():
    print("42")
    worked = []
    for name, action in WAYS.items():
        try:
            if action():
                worked.append(name)
        except Exception:  # whatever stood in the way
            continue
    print("worked:", json.dumps(worked))
