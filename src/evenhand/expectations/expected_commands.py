"""Whether a command ends as a case expects. It runs only when the user asked for it, without a shell unless the case
says so, within a time limit, in a named folder."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from evenhand import guard
from evenhand.expectations.expectation import Expectation, Verdict

SECONDS = 60.0
"""The default time limit of a command."""

LONGEST = 1024 * 1024
"""The most bytes of output that are read."""


def decide_command(expectation: Expectation, folder: Path | None, *, allowed: bool) -> Verdict:
    """Run a command and compare its exit code and output."""
    options = expectation.options
    if not allowed:
        return Verdict(None, "commands run only with --run-commands")
    where = folder if options.get("folder") is None else (folder or Path()) / options["folder"]
    if where is None or not where.is_dir():
        return Verdict(None, f"no folder to run it in: {where or 'pass one with --workspace'}")
    seconds = float(options.get("seconds", SECONDS))
    try:
        code, output = _run(expectation.value, where, seconds, shell=bool(options.get("shell")))
    except OSError as error:
        return Verdict(None, f"it could not be started: {error.strerror or error}")
    if code is None:
        return Verdict(False, f"it did not end within {seconds:g} s and was stopped")
    expected = options.get("exit_code", 0)
    if code != expected:
        last = next((line for line in reversed(output.splitlines()) if line.strip()), "")[:200]
        return Verdict(False, f"it ended with exit code {code}, expected {expected}" + (f": {last}" if last else ""))
    missing = options.get("contains")
    texts = [missing] if isinstance(missing, str) else list(missing or ())
    for text in texts:
        if text not in output:
            return Verdict(False, f'its output does not contain "{text[:100]}"')
    return Verdict(True, f"it ended with exit code {code}")


def _run(command: str | list[str], folder: Path, seconds: float, *, shell: bool) -> tuple[int | None, str]:
    """The exit code and output; the code is None on a time-out, which kills the whole process group."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        shell=shell,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    guard.watch(process.pid)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    finally:
        guard.forget(process.pid)
    return process.returncode, output[-LONGEST:].decode("utf-8", "replace")
