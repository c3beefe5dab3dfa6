"""A pytest session that is loaded once and forked for every mutant: only the changed functions are replaced.

Loading evenhand and the test files takes longer than running the tests. A mistake that a fork notices is one; what it
does not notice may only be invisible here, as in a function that was called while a file was loaded, so that is tried
again with everything loaded anew. A test counts only if it passes here without any change.
"""

from __future__ import annotations

import functools
import gc
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

import forked_command

Functions = dict[tuple[str, str, int], list[FunctionType]]
"""Every function that is loaded, by its file, name and line."""

_CACHE = type(functools.cache(int))
_IS_FUNCTION = 0x2
"""The flag of code that has variables of its own."""


class Question(NamedTuple):
    """Does one of the tests fail when the file is changed so?"""

    path: str
    before: str
    after: str
    tests: list[str]
    timeout: float


class Loaded:
    """A pytest plug-in that runs no tests of its own accord: it answers questions until the connection is closed."""

    def __init__(self, connection: Connection, other_end: Connection) -> None:
        """`other_end` is closed here: only the process that asks keeps it."""
        self.connection, self.other_end = connection, other_end
        self.passes: dict[str, bool] = {}
        self.functions: Functions = {}
        self.caches: list[Any] = []
        self.items: dict[str, Any] = {}
        self.server: Any = None

    def pytest_runtestloop(self, session: Any) -> bool:
        forked_command.load_everything()
        self.items = {item.nodeid: item for item in session.items}
        self.functions, self.caches = loaded_functions()
        gc.freeze()
        self.other_end.close()
        self.connection.send("ready")
        try:
            while True:
                self.connection.send(self._answer(self.connection.recv()))
        except EOFError:
            return True
        finally:
            if self.server is not None:
                self.server.throw_away()

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        """One server for all forks: a test that needs a database empties it first."""
        if fixturedef.argname == "postgresql_server" and self.server is not None:
            fixturedef.cached_result = (self.server, fixturedef.cache_key(request), None)
            return self.server
        return None

    def _start_server(self, tests: Sequence[str]) -> None:
        from postgresql_server import PostgresqlServer, find_binaries

        needed = any("postgresql" in test or "postgresql_url" in self.items[test].fixturenames for test in tests)
        binaries = find_binaries()
        if needed and self.server is None and binaries is not None:
            self.server = PostgresqlServer(binaries)
            self.server.make()

    def _answer(self, question: Question) -> str:
        """failed, timed out, or unseen."""
        begun = time.monotonic()
        new = replacements(question.before, question.after, question.path, self.functions)
        if new is None:
            return "unseen"
        tests = [test for test in question.tests if self.passes.get(test, True) and test in self.items]
        self._start_server(tests)
        while tests:
            number = self._forked(tests, new, begun + question.timeout)
            if number is None:
                return "timed out"
            if number == len(tests):
                break
            failed = tests[number]
            if failed not in self.passes:
                self.passes[failed] = self._forked([failed], [], time.monotonic() + 60) == 1
            if self.passes[failed]:
                return "failed"
            tests = tests[number + 1 :]
        return "unseen"

    def _forked(self, tests: Sequence[str], new: Iterable[tuple[FunctionType, CodeType]], until: float) -> int | None:
        """How many tests pass before the first that fails; None when the time is up."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(reading)
                os.setsid()
                for function, code in new:
                    function.__code__ = code
                for cached in self.caches:  # computed before the change
                    cached.cache_clear()
                os.write(writing, str(self._passed(tests)).encode())
            finally:
                os._exit(0)
        os.close(writing)
        ended = wait(child, until)
        with os.fdopen(reading) as answer:
            if ended is None:
                return None
            return int(answer.read() or 0)

    def _passed(self, tests: Sequence[str]) -> int:
        from _pytest.runner import runtestprotocol

        items = [self.items[test] for test in tests]
        for number, item in enumerate(items):
            following = items[number + 1] if number + 1 < len(items) else None
            reports = runtestprotocol(item, nextitem=following, log=False)
            if any(report.failed for report in reports):
                with suppress(BaseException):
                    item.session._setupstate.teardown_exact(None)
                return number
        return len(items)


def wait(child: int, until: float) -> int | None:
    """The exit code; None when the time is up, and everything the child has started is ended."""
    pause = 0.001
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(0.02, pause * 1.5)
    with suppress(ProcessLookupError):
        os.killpg(child, 9)
    os.waitpid(child, 0)
    return None


def replacements(
    source: str, changed_source: str, path: str, functions: Functions
) -> list[tuple[FunctionType, CodeType]] | None:
    """The functions that a change makes different, with their new code; None when that is not all it changes."""
    before, after = (dict(_codes(compile(text, path, "exec"))) for text in (source, changed_source))
    new = []
    for name, code in before.items():
        other = after.get(name)
        if other is None or _alone(code) == _alone(other):
            continue
        if not code.co_flags & _IS_FUNCTION or code.co_freevars != other.co_freevars:  # a file or a class itself
            return None
        new += [(function, other) for function in functions.get((path, code.co_qualname, code.co_firstlineno), ())]
    return new or None


def _codes(code: CodeType, around: tuple[int, ...] = ()) -> Iterator[tuple[tuple[Any, ...], CodeType]]:
    """A file's code and all that is in it, by names and places; functions in functions belong to these."""
    yield (code.co_name, *around), code
    if code.co_flags & _IS_FUNCTION:
        return
    parts = [part for part in code.co_consts if isinstance(part, CodeType)]
    for place, part in enumerate(parts):
        yield from _codes(part, (*around, place))


def _alone(code: CodeType) -> tuple[Any, ...]:
    """What a code does, without what is in its functions unless it is a function, and without lines."""
    inside = code.co_flags & _IS_FUNCTION
    constants = tuple(
        ((_alone(part) if inside else part.co_name) if isinstance(part, CodeType) else (type(part), repr(part)))
        for part in code.co_consts
    )
    return (code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars)


def loaded_functions() -> tuple[Functions, list[Any]]:
    """The functions, and those of evenhand that remember what they returned."""
    gc.unfreeze()  # what is frozen is not listed, and tests/conftest.py freezes everything once tests are collected
    found: Functions = {}
    caches = []
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            code = thing.__code__
            found.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(thing)
        elif isinstance(thing, _CACHE) and str(thing.__module__).startswith("evenhand"):
            caches.append(thing)
    return found, caches
