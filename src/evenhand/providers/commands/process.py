"""Run a command: no shell, its own process group, a time limit, a minimal environment, output through files.

Output goes to files instead of pipes, so a child that the command leaves behind cannot keep us waiting. If we are
killed, the guard ends it.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evenhand.providers.commands import guard

LARGEST = 8 * 1024 * 1024
"""The most bytes read of what a command prints."""

NETWORK = (
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy",
)  # fmt: skip
"""How a command reaches the network."""
COMMON = (
    "HOME", "USER", "LOGNAME", "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
    "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", *NETWORK,
)  # fmt: skip
"""The variables every command gets: where its login is, how it reaches the network. No other variable is passed on."""


class Finished(NamedTuple):
    """A command that has ended."""

    code: int
    output: str
    errors: str
    timed_out: bool = False


class Process:
    """One run of a command in its own folder."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        logs: Path,
        environment: Mapping[str, str],
        input_text: str = "",
    ) -> None:
        """Start it. `folder` is where it works, `logs` where its output goes, `input_text` its standard input."""
        (logs / "stdin").write_bytes(input_text.encode(errors="replace"))
        self._logs = logs
        with (
            (logs / "stdin").open("rb") as stdin,
            (logs / "stdout").open("wb") as stdout,
            (logs / "stderr").open("wb") as stderr,
        ):
            self._process = subprocess.Popen(
                list(arguments),
                cwd=folder,
                env=dict(environment),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        guard.watch(self._process.pid)

    def finish(self, seconds: float) -> Finished:
        """Wait for the end, or kill it at the time limit; nothing it started outlives it."""
        timed_out = False
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        self.kill()
        code = self._process.wait()
        guard.forget(self._process.pid)
        return Finished(code, self._text("stdout"), self._text("stderr"), timed_out)

    def kill(self) -> None:
        """Kill the whole process group."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # it has ended already
            return

    def _text(self, name: str) -> str:
        with (self._logs / name).open("rb") as file:
            return file.read(LARGEST).decode(errors="replace")


def minimal(environment: Mapping[str, str], more: Sequence[str] = ()) -> dict[str, str]:
    """The variables that a command may see."""
    return {name: environment[name] for name in (*COMMON, *more) if environment.get(name)}
