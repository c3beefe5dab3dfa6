"""Many small cases in one test: around each test pytest takes milliseconds, and such a case a fraction of one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def every_case(names: str | tuple[str, ...], cases: Iterable[Any], ids: Callable[[Any], str] | None = None) -> Any:
    """As `pytest.mark.parametrize`, but one test, which runs every case and fails with each that failed, by its id.

    For cases that need nothing of their own: fixtures are the same for all.
    """
    wanted = (names,) if isinstance(names, str) else names
    listed = [(case,) if isinstance(names, str) else tuple(case) for case in cases]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run_every_case(**fixtures: Any) -> None:
            assert listed, "there are no cases"
            failed = []
            for values in listed:
                try:
                    test(**fixtures, **dict(zip(wanted, values, strict=True)))
                except Exception as problem:
                    name = ids(values[0]) if ids else ", ".join(map(repr, values))
                    problem.add_note(f"in the case {name}")
                    failed.append((name, problem))
            if failed:
                named = "\n".join(name for name, _ in failed)
                raise ExceptionGroup(
                    f"{len(failed)} of {len(listed)} cases failed:\n{named}\n", [why for _, why in failed]
                )

        taken = inspect.signature(test)
        fixtures = [each for name, each in taken.parameters.items() if name not in wanted]
        run_every_case.__signature__ = taken.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run_every_case

    return decorate
