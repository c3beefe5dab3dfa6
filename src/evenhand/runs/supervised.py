"""A command under a supervisor of its own (`supervisor.py`), which ends all that it started when we say so or die."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from evenhand.runs import supervisor

_PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")
"""Variables without which some builds of Python do not start."""

_WAKING = 1.0
"""Seconds after which a supervisor that says nothing is woken."""


@dataclass(frozen=True)
class Start:
    """What the supervisor does before a command."""

    sandbox: tuple[str, ...] = ()
    """bubblewrap and its arguments."""
    offline: bool = False
    """Whether the supervisor takes the network from it; bubblewrap does so itself."""
    rights: Mapping[str, Any] | None = None
    """What Landlock allows."""
    drops: bool = True
    """Whether root gives up its rights; bubblewrap needs them, and takes them from the command itself."""
    machinery: int = 0
    """Processes between the supervisor and the command."""


@dataclass(frozen=True)
class End:
    """How a command ended."""

    code: int | None
    """None when it was ended with everything else."""
    seconds: Decimal
    left: int
    """Processes that it had left behind, which were ended; unknown, and so 0, where a namespace ended them."""


class Supervised:
    """A command under way."""

    def __init__(
        self,
        words: Sequence[str],
        start: Start,
        *,
        folder: str,
        environment: Mapping[str, str],
        streams: tuple[int, int, int],
        file_size: int | None = None,
    ) -> None:
        """`streams` are the descriptors of its input, output and errors; `file_size` is the largest file it may make.

        OSError when it cannot be started.
        """
        order = {
            "words": list(words),
            "offline": start.offline,
            "sandbox": start.sandbox,
            "rights": start.rights,
            "drops": start.drops and not start.sandbox,
            "folder": "/" if start.sandbox else folder,
            "environment": dict(environment),
            "file_size": file_size,
        }
        text = f"{json.dumps(order)}\n".encode()
        control, self._control = os.pipe()
        self.status, status = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", supervisor.__file__, str(control), str(status)],
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                cwd="/",
                pass_fds=(control, status),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._control)
            os.close(self.status)
            raise
        finally:
            os.close(control)
            os.close(status)
        self.pid = self._process.pid
        self.machinery = start.machinery
        with contextlib.suppress(BrokenPipeError), open(self._control, "wb", closefd=False) as file:
            file.write(text)

    def stop(self) -> None:
        """Have everything ended."""
        if self._control >= 0:
            os.close(self._control)
            self._control = -1

    def end(self) -> End:
        """Wait until everything has ended. OSError when the command could not be started."""
        try:
            lines = [json.loads(line) for line in self._answer().splitlines()]
        finally:
            self.close()
        for line in lines:
            if (error := line.get("not_started")) is not None:
                raise OSError(*error)
        if not lines:
            return End(-9, Decimal(0), 0)  # somebody has killed the supervisor
        (line,) = lines
        code, left = line["code"], line["left"]
        if self.machinery:
            # What is left of a sandbox is the sandbox, which is just ending; it tells a signal as a shell does.
            is_signal = code is not None and code > 128 and code - 128 in set(signal.Signals)
            code, left = (128 - code if is_signal else code), 0
        return End(code, Decimal(str(line["seconds"])), left)

    def wake(self) -> None:
        """Let the supervisor go on: a run that nothing confines may have stopped it."""
        self._process.send_signal(signal.SIGCONT)

    def _answer(self) -> bytes:
        """All that the supervisor says until it ends. One that is stopped again and again is killed in the end."""
        pieces: list[bytes] = []
        asked = 0
        while True:
            if select.select([self.status], [], [], _WAKING)[0]:
                pieces.append(os.read(self.status, 65_536))
                if not pieces[-1]:
                    return b"".join(pieces)
                continue
            self.wake()
            asked += self._control < 0  # from then on it ends everything, for which it has its own patience
            if asked * _WAKING > 3 * supervisor.PATIENCE:
                self._process.kill()

    def close(self) -> None:
        """End everything that was started, and forget it."""
        self.stop()
        if self.status >= 0:
            self._answer()
            self._process.wait()
            os.close(self.status)
            self.status = -1
