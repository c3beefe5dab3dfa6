"""The command as a contract sees it: arguments, files and standard input in; exit code, output and messages out.

It runs in this process, through the same function that the installed command calls. What it prints is caught at the
file descriptors, below everything that the command may put in the place of `sys.stdout`.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from evenhand.__main__ import main
from mcp import Client, StdioServerParameters


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


def run_here(*arguments: str, cwd: Path, stdin: str = "", environment: Mapping[str, str] | None = None) -> Ran:
    """Run `evenhand` with these arguments in a folder, on a page of 80 columns unless told otherwise."""
    collected = gc.get_threshold()
    names = {"COLUMNS": "80", "HOME": str(cwd), "NO_COLOR": "1", **(environment or {})}
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        code = 0
        with _streams(given, out, err), _place(cwd, names, ["evenhand", *arguments]):
            try:
                main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
        gc.set_threshold(*collected)
        return Ran(code, *(_read(stream) for stream in (out, err)))


@contextmanager
def served(store: str, cwd: Path) -> Iterator[str]:
    """The address of a dashboard over a store, in a process of its own."""
    command = [sys.executable, "-m", "evenhand", "serve", "--store", store, "--port", "0"]
    with subprocess.Popen(command, cwd=cwd, env=os.environ | {"HOME": str(cwd)}, stderr=PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            address = re.search(r"http://[\d.:]+", said)
            assert address is not None, said
            yield address[0]
        finally:
            process.terminate()
            process.wait(30)


def asked_of_a_tool(name: str, /, *, cwd: Path, **arguments: Any) -> dict[str, Any]:
    """What a tool of `evenhand agent mcp` answers, which serves a folder in a process of its own."""

    async def ask() -> dict[str, Any]:
        command = ["-m", "evenhand", "agent", "mcp", "--store", "none"]
        environment = os.environ | {"HOME": str(cwd)}
        server = StdioServerParameters(command=sys.executable, args=command, cwd=cwd, env=environment)
        async with Client(server) as client:
            answer = await client.call_tool(name, arguments)
        assert isinstance(answer.structured_content, dict), answer.content
        return answer.structured_content

    return asyncio.run(ask())


@contextmanager
def _streams(*files: IO[bytes]) -> Iterator[None]:
    """Standard input, output and error are these files."""
    before = sys.stdin, sys.stdout, sys.stderr
    before[1].flush()
    before[2].flush()
    kept = [os.dup(descriptor) for descriptor in range(3)]
    for descriptor, file in enumerate(files):
        os.dup2(file.fileno(), descriptor)
    own = [
        open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        for descriptor, mode in enumerate(("r", "w", "w"))
    ]
    sys.stdin, sys.stdout, sys.stderr = own
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for stream in own:
            stream.close()
        for descriptor, copy in enumerate(kept):
            os.dup2(copy, descriptor)
            os.close(copy)


@contextmanager
def _place(cwd: Path, names: Mapping[str, str], arguments: list[str]) -> Iterator[None]:
    """The folder, the environment and the arguments of a command."""
    folder, environment, before = Path.cwd(), dict(os.environ), sys.argv
    os.chdir(cwd)
    for name in [name for name in os.environ if name.startswith("EVENHAND_")]:
        del os.environ[name]
    os.environ.update(names)
    sys.argv = arguments
    try:
        yield
    finally:
        sys.argv = before
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)


def _read(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode()
