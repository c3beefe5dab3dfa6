"""The checks and expectations of a run, opened once: built-in checks, a user's own, a file of expectations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from evenhand.core.finding import Lifted
from evenhand.errors import InputError, Problem
from evenhand.findings.expectations.expectation import Expectation, Rates, Surroundings
from evenhand.findings.judge import ChecksJudge
from evenhand.findings.registry import from_file, installed
from evenhand.judges.program import ProgramJudge
from evenhand.options.settings import judge_tables, waivers
from evenhand.providers.entries import configured

CHECKS = "checks"
"""The name of the checks among the judges."""


def open_program(
    judges: Iterable[str],
    *,
    check_files: Sequence[str] = (),
    expect: str | Path | Sequence[Any] | None = None,
    criteria: Sequence[str] = (),
    workspace: str | Path | None = None,
    run_commands: bool = False,
) -> ProgramJudge:
    """The program judge of a run: checks if they are among the judges, and the expectations.

    `criteria` are further expectations, sentences that a judge decides.
    """
    checks = None
    if CHECKS in judges:
        checks = ChecksJudge([*installed(), *(check for path in check_files for check in from_file(path))])
    return ProgramJudge(
        checks,
        (*(_expectations(expect) if expect else ()), *(_expectations(criteria) if criteria else ())),
        surroundings=Surroundings(None if workspace is None else Path(workspace), run_commands, _rates()),
        waivers=[Lifted(waiver.finding, waiver.by, waiver.reason) for waiver in waivers()],
    )


def _rates() -> dict[str, Rates]:
    """The prices by model in evenhand.toml, and those of providers with a single model."""
    rates = {}
    try:
        tables = configured(judge_tables())
    except InputError:  # reported when a model is asked; checks and expectations need none of it
        return {}
    for table in tables.values():
        if table.model is not None and (price := table.price(table.model)) is not None:
            rates[table.model] = Rates(*price)
        rates |= {model: Rates(*price) for model, price in table.prices.items()}
    return rates


def _expectations(expect: str | Path | Sequence[Any]) -> tuple[Expectation, ...]:
    if isinstance(expect, str | Path):
        return read_expectations(expect)
    from evenhand.findings.expectations.expectation_list import given_expectations

    return given_expectations(expect)


def read_expectations(path: str | Path) -> tuple[Expectation, ...]:
    """The expectations of a file, YAML or JSON; every problem with its line.

    skill-creator's `evals.json` and `grading.json` are read too; `evals.json#2` names one of several evals.
    """
    from evenhand.files.documents import open_documents
    from evenhand.findings.expectations.expectation_list import expectations_from
    from evenhand.findings.expectations.skill_creator import expectations_in

    name, _, case = str(path).partition("#") if not Path(path).exists() else (str(path), "", "")
    expectations: list[Expectation] = []
    problems: list[Problem] = []
    for document in open_documents(name).documents:
        if isinstance(document, InputError):
            raise document
        try:
            listed = expectations_in(document.value, case or None) if isinstance(document.value, dict) else None
            expectations += expectations_from(document.value if listed is None else listed)
        except InputError as error:
            problems += document.place_all(error).problems
    if problems:
        raise InputError(problems)
    return tuple(expectations)
