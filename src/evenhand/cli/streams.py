"""Standard output and standard error that cannot bring a command down.

Standard output that is full or closed is one line and exit code 4. A reader that leaves early changes nothing: the
command ends with its own exit code. What cannot be said on standard error is left unsaid.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from evenhand.errors import Unavailable
from evenhand.files.checked_file import CheckedFile

if TYPE_CHECKING:
    from typing_extensions import Buffer

_OUT_OF_REACH = 4


class _ClosedOutput(CheckedFile):
    """Standard output that was closed before the command began."""

    def write(self, data: Buffer) -> int:
        if not self._is_over:
            self.fail("it is closed")
        return memoryview(data).nbytes


class _Messages(CheckedFile):
    """Standard error: where it is closed, full or has no reader, messages are dropped."""

    def fail(self, reason: str) -> None:
        self._is_over = True


def run_with_streams(command: Callable[[], int]) -> int:
    """Run a command and return its exit code: 4 if its output could not be written."""
    for descriptor in (0, 1, 2):
        _reserve(descriptor)
    output = (_ClosedOutput if sys.stdout is None else CheckedFile)(1, "standard output")
    messages = _Messages(2, "<stderr>")
    sys.stdout = _over(output, sys.stdout, errors="surrogateescape")
    sys.stderr = _over(messages, sys.stderr, errors="backslashreplace", line_buffering=True)
    code = command()
    try:
        sys.stdout.flush()
    except Unavailable:
        pass
    except ValueError:  # a server of the command has closed it
        return code
    if output.failure is None or code == _OUT_OF_REACH:
        return code
    print(f"error: {output.failure}", file=sys.stderr)
    return _OUT_OF_REACH


def _reserve(descriptor: int) -> None:
    """Keep the first file that is opened from taking the place of a stream that is closed."""
    try:
        os.fstat(descriptor)
    except OSError:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _over(raw: io.RawIOBase, stream: TextIO | None, *, errors: str, line_buffering: bool = False) -> TextIO:
    """A text stream like Python's own, over another file."""
    if stream is None:
        return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", errors, line_buffering=line_buffering)
    stream.flush()
    at_once = getattr(stream, "write_through", False)
    buffer: Any = raw if at_once else io.BufferedWriter(raw)
    return io.TextIOWrapper(
        buffer,
        stream.encoding,
        stream.errors,
        line_buffering=getattr(stream, "line_buffering", line_buffering),
        write_through=at_once,
    )
