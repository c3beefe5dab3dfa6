"""A command run for a limited time, with its output: the whole process group ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from evenhand import guard

LONGEST = 1024 * 1024
"""The most bytes of output that are read."""


def run_for_a_while(
    command: str | list[str],
    folder: Path,
    seconds: float,
    environment: Mapping[str, str],
    given: bytes = b"",
    *,
    shell: bool = False,
) -> tuple[int | None, str]:
    """The exit code and output; the code is None on a time-out, which kills the whole process group."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        shell=shell,
        stdin=subprocess.PIPE if given else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    guard.watch(process.pid)
    try:
        output, _ = process.communicate(given or None, timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    finally:
        guard.forget(process.pid)
    return process.returncode, output[-LONGEST:].decode("utf-8", "replace")
