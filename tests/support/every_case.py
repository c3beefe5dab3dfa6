"""Many small cases in one test: around each test pytest takes milliseconds, and such a case a fraction of one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest


def every_case(names: str | tuple[str, ...], cases: Iterable[Any], ids: Callable[[Any], str] | None = None) -> Any:
    """As `pytest.mark.parametrize`, but one test, which runs every case and fails with each that failed, by its id.

    For cases that need nothing of their own: fixtures are the same for all. When some skip and none fails, the test
    counts as skipped, after all others have run.
    """
    wanted = (names,) if isinstance(names, str) else names
    listed = [(case,) if isinstance(names, str) else tuple(case) for case in cases]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        assert not inspect.iscoroutinefunction(test), "a coroutine would never run"

        @wraps(test)
        def run_every_case(**fixtures: Any) -> None:
            assert listed, "there are no cases"
            failed: list[tuple[str, BaseException]] = []
            skipped = []
            for values in listed:
                try:
                    test(**fixtures, **dict(zip(wanted, values, strict=True)))
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, SystemExit, pytest.fail.Exception) as problem:  # as of `raises` where nothing is
                    name = ids(values[0]) if ids else ", ".join(map(repr, values))
                    problem.add_note(f"in the case {name}")
                    failed.append((name, problem))
            if failed:
                named = "\n".join(name for name, _ in failed)
                raise BaseExceptionGroup(
                    f"{len(failed)} of {len(listed)} cases failed:\n{named}\n", [why for _, why in failed]
                )
            if skipped:
                pytest.skip(f"{len(skipped)} of {len(listed)} cases: {skipped[0]}")

        taken = inspect.signature(test)
        fixtures = [each for name, each in taken.parameters.items() if name not in wanted]
        run_every_case.__signature__ = taken.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run_every_case

    return decorate
