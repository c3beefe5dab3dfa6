"""Results of a run on their way to the store and the report: in a file without a name, not in memory."""

from __future__ import annotations

import errno
import json
import os
import tempfile
import weakref
from collections.abc import Iterator

from evenhand.decisions.suite_run import result_document, result_from
from evenhand.errors import Unavailable
from evenhand.runs.run_collection import GOES_ON
from evenhand.work.agent_run import CaseResult

_PIECE = 1 << 16


class ResultSpool:
    """Add results, and go through all of them as often as needed. The file is gone with the process."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (open for as long as this object)
        weakref.finalize(self, self._file.close)

    def add(self, result: CaseResult) -> None:
        """Append one result."""
        line = json.dumps(result_document(result)).encode() + b"\n"
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise Unavailable(
                f"results cannot be written to {tempfile.gettempdir()}: {error.strerror or error}; {GOES_ON}"
            ) from None

    def __iter__(self) -> Iterator[CaseResult]:
        place, rest = 0, b""
        while piece := os.pread(self._file.fileno(), _PIECE, place):
            place += len(piece)
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield result_from(json.loads(line))
