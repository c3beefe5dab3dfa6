"""The command as a process of its own, without the time its imports take: forked from a process that has them.

`python tests/support/warm_command.py serve SOCKET` imports evenhand and waits. `... call SOCKET ARGUMENTS` is `evenhand
ARGUMENTS`: the server forks, and the new process takes over the caller's folder, environment, standard streams and
arguments, and runs evenhand's `__main__` as Python would, or that of another module that a variable names; only its
waits are shorter. What Python reads as it starts
(PYTHONPATH, PYTHONUTF8, LANG) is the server's, so a test that sets one of those starts Python itself.
"""

from __future__ import annotations

import _socket
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

SETTLED_AT_START = ("PYTHON", "LANG", "LC_")
"""How the names of variables begin that Python reads before evenhand does."""


MODULE = "TEST_RUNS_MODULE"
"""The variable that names a module to run in place of evenhand."""


MEASURED = "TEST_EVERY_CHECK_IS_MEASURED"
"""The variable that has a forked command take the findings of every check for faults."""


def every_check() -> frozenset[str]:
    """The ids of all built-in checks."""
    from evenhand.findings.registry import built_in

    return frozenset(check.id for check in built_in())


def settled(environment: Mapping[str, str]) -> dict[str, str]:
    """What Python reads as it starts; whether output is buffered is the one thing that a forked process can change."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(SETTLED_AT_START) and name != "PYTHONUNBUFFERED"
    }


def call(address: str, arguments: list[str]) -> int:
    """Have the server run the command with what this process has; its exit code."""
    # The socket module takes longer to import than all the rest of a call.
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    server.connect(address)
    environment = [name + b"=" + value for name, value in os.environb.items()]
    parts = [
        os.fsencode(os.path.realpath(".")),
        str(len(arguments)).encode(),
        *map(os.fsencode, arguments),
        *environment,
    ]
    message = b"\0".join(parts)
    streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))
    server.sendmsg([len(message).to_bytes(8, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    server.sendall(message)
    code = server.recv(1)
    return code[0] if code else 70


def serve(address: str) -> None:
    """Wait for calls; return in a process made for one, ready to run the command."""
    import gc
    import signal
    import socket

    load()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen(64)
    print("ready", flush=True)
    while True:
        connection, _ = server.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            server.close()
            become(connection)
            return
        connection.close()


def load() -> None:
    """Import what commands import, but for servers and other programs' plug-ins."""
    import importlib
    import pkgutil

    import evenhand

    apart = ("evenhand.bridges", "evenhand.mcp", "evenhand.testing", "evenhand.web", "evenhand.__main__")
    for module in pkgutil.walk_packages(evenhand.__path__, "evenhand."):
        if not module.name.startswith(apart):
            importlib.import_module(module.name)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy starts no threads, which a fork would lose
    for name in (
        "aiohttp",
        "duckdb",
        "pytest",
        "importlib.metadata",
        "markdown_it",
        "psycopg",
        "pyarrow.compute",
        "pyarrow.parquet",
    ):
        importlib.import_module(name)
    import evenhand

    evenhand.check("A text.")  # loads the checks with their patterns
    wait_less()


def wait_less() -> None:
    """A tenth of the usual waits between two tries of a call, and two looks at a batch."""
    from evenhand.providers.batch import batched
    from evenhand.providers.http import client as http

    batched.QUIET, batched.FIRST_LOOK, http.FIRST_WAIT = 0.1, 0.1, 0.05


def become(connection: socket.socket) -> None:
    """Fork once more: one process waits for the command and reports its exit code, the other returns as the command."""
    import io
    import socket

    begin, streams, _, _ = socket.recv_fds(connection, 8, 3)
    message = b""
    while len(message) < int.from_bytes(begin, "big"):
        message += connection.recv(1 << 20)
    folder, count, *parts = message.split(b"\0")
    running, command_runs = os.pipe()
    command = os.fork()
    if command:
        os.close(command_runs)
        for stream in (0, 1, 2, *streams):
            os.close(stream)
        wait(connection, running, command)
    connection.close()
    os.close(running)
    os.chdir(folder)
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    os.environb.clear()
    os.environb.update(pair.split(b"=", 1) for pair in parts[int(count) :])
    if MEASURED in os.environ:
        from evenhand.findings import judge

        judge.pointed = every_check  # type: ignore[assignment]
    sys.argv = ["evenhand", *map(os.fsdecode, parts[: int(count)])]
    sys.path[0] = os.fsdecode(folder)
    at_once = {"write_through": True} if os.environ.get("PYTHONUNBUFFERED") else {"line_buffering": os.isatty(1)}
    out = io.FileIO(1, "w", closefd=False)
    kept = out if "write_through" in at_once else io.BufferedWriter(out)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(kept, "utf-8", "surrogateescape", **at_once)
    sys.stderr = sys.__stderr__ = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def wait(connection: socket.socket, running: int, command: int) -> None:
    """Report how the command ends; end it when the caller has gone. A signal's number counts as in a shell."""
    import contextlib
    import select
    import signal

    ready, _, _ = select.select([connection, running], [], [])
    if running not in ready:
        os.kill(command, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    with contextlib.suppress(OSError):
        connection.sendall(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


def run() -> None:
    """Run the command, then end as Python ends, but without tidying up every module, which takes longer."""
    import atexit
    import gc
    import runpy
    import threading
    import time
    import traceback

    time.tzset()
    code: object = 0
    try:
        runpy.run_module(os.environ.pop(MODULE, "evenhand"), run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
        if not isinstance(code, int | None):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()  # closes what nobody closed, such as a store
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 120
    os._exit((code or 0) & 0xFF if isinstance(code, int | None) else 1)


if __name__ == "__main__":
    if sys.argv[1] == "call":
        sys.exit(call(sys.argv[2], sys.argv[3:]))
    serve(sys.argv[2])
    run()
