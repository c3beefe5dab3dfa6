"""A file open for writing whose failures are one line: what standard output and `-o FILE` are written through."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

from evenhand.errors import Unavailable

if TYPE_CHECKING:
    from typing_extensions import Buffer


class CheckedFile(io.RawIOBase):
    """A file open for writing, whose failure is an `Unavailable` with one line, raised once.

    A reader that has left (`| head`) is not a failure: the rest is dropped, as if it had been read.
    """

    failure: Unavailable | None = None

    def __init__(self, descriptor: int, name: str) -> None:
        self.name = name
        self._descriptor = descriptor
        self._is_over = False
        self._written = 0

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def tell(self) -> int:
        return self._written

    def write(self, data: Buffer) -> int:
        """Write all of it; after a failure, nothing any more."""
        left = memoryview(data).cast("B")
        size = len(left)
        while left and not self._is_over:
            try:
                left = left[os.write(self._descriptor, left) :]
            except BlockingIOError:
                self._wait()
            except BrokenPipeError:
                self._is_over = True
            except OSError as error:
                self.fail(error.strerror or str(error))
        self._written += size
        return size

    def fail(self, reason: str) -> None:
        """Write nothing any more, and say why."""
        self._is_over = True
        self.failure = Unavailable(f"{self.name}: cannot be written: {reason}")
        raise self.failure

    def _wait(self) -> None:
        """Until a pipe that does not block has room."""
        from select import select

        select([], [self._descriptor], [])
