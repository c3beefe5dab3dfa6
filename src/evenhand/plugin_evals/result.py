"""The result document of `claude plugin eval`, read as its runner wrote it.

The document is a public contract of Claude Code (`schemaVersion: 1`), which only ever gains fields: unknown ones are
passed over, optional ones may be absent. Names are taken in camelCase, as the runner writes them, and in snake_case.
What is read here is not believed yet: `recount` works every score out again from the graders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Annotated, Any

from evenhand.errors import DocumentError, Problem
from evenhand.files import codec
from evenhand.files.located import Located

VERSION = 1
"""The `schemaVersion` that is understood."""
NO_PLUGIN = "no plugin"


def _error_text(value: object) -> str | None:
    """A run's error: text today; anything else is shown as JSON."""
    if value is None or value is False or value == "":
        return None
    return value if isinstance(value, str) else str(value)


_Amount = Annotated[Decimal, {"minimum": 0}]


@dataclass(frozen=True, slots=True)
class GraderResult:
    """What one grader said of one run."""

    name: str
    passed: bool
    weight: _Amount = Decimal(1)
    explanation: str = ""
    with_only: Annotated[bool, {"name": "withOnly"}] = False
    scored: bool = True
    judge_votes: Annotated[tuple[bool, ...], {"name": "judgeVotes"}] = ()
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a case, with the plugin or without it."""

    score: Annotated[Decimal, {"minimum": 0, "maximum": 1}]
    passed: bool = False
    turns: Annotated[int | None, {"minimum": 0}] = None
    cost: Annotated[Decimal | None, {"name": "costUsd"}] = None
    """All of it, grading included."""
    judge_cost: Annotated[Decimal | None, {"name": "judgeCostUsd"}] = None
    seconds: Annotated[Decimal | None, {"name": "durationSeconds"}] = None
    started: Annotated[str, {"name": "startedAt"}] = ""
    error: Annotated[str | None, {"read": _error_text}] = None
    """Why it ended badly. With graders it was graded all the same; without any the harness itself failed."""
    trace_path: Annotated[str, {"name": "tracePath"}] = ""
    skipped_paid_graders: Annotated[bool, {"name": "skippedPaidGraders"}] = False
    """Whether graders that ask a model were left out, so that the score is not comparable."""
    graders: tuple[GraderResult, ...] = ()

    @property
    def unscored(self) -> str:
        """Why this run's score says nothing of the plugin; empty where it does."""
        if not self.graders:
            return f"the harness failed: {_one_line(self.error)}" if self.error else "no grader looked at it"
        if self.skipped_paid_graders:
            return "graders that ask a model were skipped"
        return ""


@dataclass(frozen=True, slots=True)
class Grader:
    """A grader as the case declares it."""

    name: str
    type: str = ""
    weight: _Amount = Decimal(1)
    config: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Arms:
    """The runs with the plugin, and those without it where there are any."""

    with_plugin: Annotated[tuple[Run, ...], {"name": "with"}] = ()
    without: tuple[Run, ...] | None = None


@dataclass(frozen=True, slots=True)
class CaseAggregates:
    """What the runner counted over a case."""

    score: Decimal | None = None
    pass_rate: Annotated[Decimal | None, {"name": "passRate"}] = None
    score_without: Annotated[Decimal | None, {"name": "scoreWithout"}] = None
    pass_rate_without: Annotated[Decimal | None, {"name": "passRateWithout"}] = None
    delta: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One case of the suite with all its runs."""

    name: Annotated[str, {"empty": False}]
    arms: Arms
    dir: str = ""
    prompt: Annotated[str, {"name": "promptMarkdown"}] = ""
    model: str = ""
    graders: tuple[Grader, ...] = ()
    advisories: tuple[Any, ...] = ()
    """What the runner warns of, such as a grader that the granted tools can never satisfy."""
    aggregates: CaseAggregates = CaseAggregates()


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin under test."""

    name: str
    path: str = ""
    version: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """What was run, and with which settings."""

    root: str = ""
    ablation: str = ""
    threshold: Decimal = Decimal(1)
    plugins: tuple[Plugin, ...] = ()
    model: Annotated[str, {"name": "modelOverride"}] = ""
    judge_model: Annotated[str, {"name": "judgeModel"}] = ""
    case_filter: Annotated[Any, {"name": "caseFilter"}] = None
    tag_filters: Annotated[Any, {"name": "tagFilters"}] = None


@dataclass(frozen=True, slots=True)
class Aggregates:
    """What the runner counted over all cases."""

    cases_total: Annotated[int | None, {"name": "casesTotal"}] = None
    cases_passed: Annotated[int | None, {"name": "casesPassed"}] = None
    overall_score: Annotated[Decimal | None, {"name": "overallScore"}] = None
    overall_pass_rate: Annotated[Decimal | None, {"name": "overallPassRate"}] = None
    mean_delta: Annotated[Decimal | None, {"name": "meanDelta"}] = None


@dataclass(frozen=True, slots=True)
class Result:
    """One result document."""

    schema_version: Annotated[int, {"name": "schemaVersion", "missing": "schemaVersion is missing; it is 1 today"}]
    cases: tuple[Case, ...]
    suite: Suite = Suite()
    claude_version: Annotated[str, {"name": "claudeVersion"}] = ""
    started: Annotated[str, {"name": "startedAt"}] = ""
    seconds: Annotated[Decimal | None, {"name": "durationSeconds"}] = None
    cost: Annotated[Decimal | None, {"name": "costUsd"}] = None
    partial: bool = False
    partial_reason: Annotated[str, {"name": "partialReason"}] = ""
    aggregates: Aggregates = Aggregates()
    reference: Annotated[str, {"hidden": True}] = NO_PLUGIN
    """What the arm without it is called."""
    made_by: Annotated[str, {"hidden": True}] = "claude plugin eval"
    """The tool that ran it."""
    other_arms: Annotated[tuple[str, ...], {"hidden": True}] = ()
    """Arms besides the two that are known; they are named and not compared."""

    @property
    def plugin(self) -> Plugin:
        """The first plugin under test; one without a name where the file tells none."""
        return self.suite.plugins[0] if self.suite.plugins else Plugin("the plugin")


def label(result: Result) -> str:
    """A plugin with its version, as a variant is called."""
    return " ".join(filter(None, (result.plugin.name, result.plugin.version)))


def is_result(value: object) -> bool:
    """Whether a JSON document is a result of `claude plugin eval`, of any schema version."""
    if not isinstance(value, Mapping):
        return False
    keys = value.keys()
    return bool(keys & {"schemaVersion", "schema_version"}) and {"suite", "cases"} <= keys


def result_of(document: Located) -> Result:
    """The result in a document that was loaded already."""
    value = document.value
    if isinstance(value, list):
        raise DocumentError(Problem("is a list of results; give each a file of its own", document.source))
    if not is_result(value):
        message = 'is not a result of `claude plugin eval`: it has no "schemaVersion", "suite" and "cases"'
        raise DocumentError(Problem(message, document.source))
    plain = _camel(value)
    version = plain["schemaVersion"]
    if version != VERSION:
        message = f"schemaVersion is {version}; results of version {VERSION} are understood. Update evenhand to read it"
        raise DocumentError(Problem(message, document.source, document.find_line(("schemaVersion",))))
    place = partial(_placed, document)
    result = codec.read(Result, plain, place=place)
    if problems := [*_problems(result)]:
        raise DocumentError([place(problem) for problem in problems])
    arms = dict.fromkeys(name for case in plain["cases"] for name in case["arms"])
    return replace(result, other_arms=tuple(name for name in arms if name not in ("with", "without")))


def _problems(result: Result) -> list[Problem]:
    """What is wrong with a whole result although each field is right."""
    if not result.cases:
        return [Problem("has no case: the suite ran nothing", path=("cases",))]
    problems: list[Problem] = []
    places: dict[str, int] = {}
    for place, case in enumerate(result.cases):
        if case.name in places:
            message = f'case "{case.name}" appears twice; give each case its own name and run again'
            problems.append(Problem(message, path=("cases", place, "name")))
        places[case.name] = place
    if not any(run for case in result.cases for run in (*case.arms.with_plugin, *(case.arms.without or ()))):
        problems.append(Problem("has no run in any case: nothing was measured", path=("cases",)))
    return problems


def _placed(document: Located, problem: Problem) -> Problem:
    return problem._replace(source=document.source, line=document.find_line(problem.path))


def _camel(value: Any) -> Any:
    """The document with the runner's spelling of names; a grader's own configuration is left as it is."""
    if isinstance(value, list):
        return [_camel(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {_camel_name(key): item if key == "config" else _camel(item) for key, item in value.items()}


def _camel_name(name: str) -> str:
    return re.sub(r"(?<=[a-z])_([a-z])", lambda match: match[1].upper(), name)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())
