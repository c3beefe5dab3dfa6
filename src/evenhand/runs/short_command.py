"""A short command of an expectation, confined: it may run what an agent wrote, and so it reaches no more than that did.

It can write in one folder, reads the system and its own program, has a HOME of its own and none of our keys.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from evenhand.decisions.suite import Command, Limits, Variant
from evenhand.runs.confinement import start
from evenhand.runs.limited_process import run_limited
from evenhand.runs.one_run import find_program
from evenhand.runs.visible_paths import NOTHING_HIDDEN, bounds_of
from evenhand.runs.workspaces.workspace import remove, write_new

LONGEST = 1024 * 1024
"""The most bytes of output that are looked at, from its end."""

MOST_OUTPUT = 100_000_000


def run_short(
    words: Sequence[str],
    folder: Path,
    seconds: float,
    environment: Mapping[str, str],
    given: bytes = b"",
    *,
    root: Path | None = None,
) -> tuple[int | None, str]:
    """Run it in a folder, inside another in which it can write.

    The exit code and what was printed; the code is None when it took too long. OSError when it cannot be
    started.
    """
    own = Path(tempfile.mkdtemp(prefix="evenhand-command-")).resolve()
    try:
        stdin = None
        if given:
            stdin = str(own / "stdin")
            write_new(stdin, given)
        home, temporary = own / "home", own / "tmp"
        home.mkdir()
        temporary.mkdir()
        environment = {**environment, "HOME": str(home), "TMPDIR": str(temporary), "PWD": str(folder.resolve())}
        limits = Limits(seconds=Decimal(str(seconds)), output_bytes=MOST_OUTPUT, reads=())
        variant = Variant("", Command(tuple(words)), limits=limits)
        folders = str((root or folder).resolve()), str(home), str(temporary)
        bounds = bounds_of(variant, NOTHING_HIDDEN, environment.get("PATH", os.defpath), folders)
        find_program(words[0], environment["PWD"], environment)
        ended = run_limited(
            words,
            start=start(bounds, environment["PWD"]),
            folder=environment["PWD"],
            environment=environment,
            stdin=stdin,
            limits=limits,
            stop=threading.Event(),
            fills=folders,
        )
    finally:
        remove(own)
    text = (ended.output + ended.errors)[-LONGEST:].decode("utf-8", "replace")
    return (None, text) if ended.outcome in ("timed out", "stopped by a limit") else (ended.exit_code, text)
