"""A pytest plug-in that runs the command `evenhand` in a fork of the tests' process instead of a new one.

Starting Python takes most of such a test's time. A fork has everything loaded already, and like a process of its own it
leaves nothing behind. Only `subprocess.run` as the fixture `evenhand_command` calls it is replaced.
"""

from __future__ import annotations

import builtins
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

from related_tests import RECORD

_run = subprocess.run


def pytest_configure() -> None:
    subprocess.run = _forked  # type: ignore[assignment]


def pytest_unconfigure() -> None:
    subprocess.run = _run


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Any:
    """No process that forks commands for the tests: it would not know of a change, nor note calls."""
    if fixturedef.argname != "warm_evenhand":
        return None
    command = [sys.executable, "-m", "evenhand"]
    fixturedef.cached_result = (command, fixturedef.cache_key(request), None)
    return command


def _forked(command: Any, **options: Any) -> Any:
    usual = list(command[:3]) == [sys.executable, "-m", "evenhand"] and "input" in options and "text" not in options
    if not usual or options["env"].get("PYTHONPATH") != os.environ.get("PYTHONPATH"):
        return _run(command, **options)
    load_everything()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(options["input"])
        given.seek(0)
        child = os.fork()
        if not child:
            _be_the_command(command, options, [given.fileno(), out.fileno(), err.fileno()])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


@cache
def load_everything() -> None:
    """What a command loads only when it needs it, loaded before the first fork, so that it is loaded once.

    Not the bridges: they need the tools they lead to, and no command loads them.
    """
    import rich.progress  # noqa: F401

    package = import_module("evenhand")
    for module in walk_packages(package.__path__, "evenhand."):
        if not module.name.startswith(("evenhand.tables", "evenhand.bridges", "evenhand.__main__")):
            import_module(module.name)


def _be_the_command(command: Any, options: dict[str, Any], files: list[int]) -> None:
    """In the child: its own folder, environment, arguments and streams; then the command, and the end."""
    import warm_command

    code = 70
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")  # noqa: SIM115
        sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-8")  # noqa: SIM115
        sys.stderr = io.TextIOWrapper(open(2, "wb", closefd=False), encoding="utf-8")  # noqa: SIM115
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
        os.chdir(options["cwd"])
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        os.environ.clear()
        os.environ.update(options["env"])
        sys.argv = ["evenhand", *map(str, command[3:])]
        warm_command.wait_less()
        code = _exit_code()
        sys.stdout.flush()
        sys.stderr.flush()
        if RECORD in os.environ:
            line = json.dumps({"test": test, "functions": sorted(builtins.__dict__["__called__"])})
            Path(os.environ[RECORD], f"process-{os.getpid()}-{time.monotonic_ns()}.jsonl").write_text(line)
    finally:
        os._exit(code)


def _exit_code() -> int:
    from evenhand.__main__ import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1
    return 0
