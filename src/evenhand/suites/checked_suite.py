"""Read a suite file with everything in it checked: its expectations, rubrics and judges too."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.decisions.suite import Suite
from evenhand.suites.case_entry import Validators
from evenhand.suites.suite_file import read_suite as read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.providers.known import Configured


def read_suite(path: str | Path, *, cluster: str | None = None) -> Suite:
    """The suite in a file, YAML or JSON, or in the `suite.yaml` of a folder: cases, variants, judges.

    With `cluster`, a column of a table such as `cases.csv:repository`, cases that share a value there count once,
    whatever `cluster` they name themselves. InputError carries every problem with its line.

    >>> suite = read_suite("suite.yaml")  # doctest: +SKIP
    >>> [variant.name for variant in suite.variants]  # doctest: +SKIP
    ['without_skill', 'with_skill']
    """
    inside = Path(path) / "suite.yaml"
    has_one = os.path.isfile(inside)  # noqa: PTH113 (False also for a name that no file can have)
    suite = read(str(inside if has_one else path), validators())
    if cluster is None:
        return suite
    from evenhand.judging.sets.case_clusters import listed_clusters

    cluster_of = listed_clusters(cluster)
    return suite._replace(cases=tuple(case._replace(cluster=cluster_of(case.id)) for case in suite.cases))


def validators() -> Validators:
    """What a suite's expectations, rubrics and judges must be."""
    from evenhand.findings.expectations.expectation_list import expectations_from
    from evenhand.rubrics.library import load_rubric

    @cache
    def named() -> Mapping[str, Configured]:
        from evenhand.options.settings import judge_tables
        from evenhand.providers.entries import configured

        return configured(judge_tables())

    def judge(spec: str) -> None:
        from evenhand.providers.specs import parse_spec

        if spec != "auto":
            parse_spec(spec, named())

    def calibration(path: str) -> None:
        from evenhand.judging.calibration import load_calibration

        load_calibration(path)

    return Validators(expect=expectations_from, rubric=load_rubric, judge=judge, calibration=calibration)
