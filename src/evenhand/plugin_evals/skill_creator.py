"""skill-creator's `benchmark.json` as a result like any other: runs with the skill, and without it or with the old one.

Each expectation is a grader. One that was neither passed nor failed is not scored, and a run without any that was
decided has no score. The pass rate of a run is counted again, as it was rounded in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final

from evenhand.errors import DocumentError, Problem
from evenhand.files import codec
from evenhand.files.located import Located
from evenhand.plugin_evals.result import Arms, Case, Grader, GraderResult, Plugin, Result, Run, Suite

BENCHMARK_FILE: Final = "benchmark.json"
_ARMS: Final = {"with_skill": "", "new_skill": "", "without_skill": "no skill", "old_skill": "the old skill"}
"""The configurations, and what those of the reference are called."""
_ROUNDED: Final = Decimal("0.0051")


@dataclass(frozen=True, slots=True)
class _Expectation:
    text: Annotated[str, {"empty": False}]
    passed: bool | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class _Counts:
    pass_rate: Annotated[Decimal | None, {"minimum": 0, "maximum": 1}] = None
    time_seconds: Decimal | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    eval_id: Any
    configuration: str
    result: _Counts
    expectations: tuple[_Expectation, ...] = ()
    eval_name: str = ""


@dataclass(frozen=True, slots=True)
class _About:
    skill_name: str = ""
    skill_path: str = ""
    executor_model: str = ""
    analyzer_model: str = ""
    timestamp: str = ""


@dataclass(frozen=True, slots=True)
class _Benchmark:
    runs: tuple[_Row, ...]
    metadata: _About = _About()


def is_benchmark(value: object) -> bool:
    """Whether a JSON document is a benchmark of skill-creator."""
    return isinstance(value, Mapping) and {"metadata", "runs", "run_summary"} <= value.keys()


def benchmark_result(document: Located) -> Result:
    """The result in a benchmark. Raises DocumentError for one whose configurations are not two that belong together."""

    def placed(problem: Problem) -> Problem:
        return problem._replace(source=document.source, line=document.find_line(problem.path))

    found = codec.read(_Benchmark, document.value, place=placed)
    named = dict.fromkeys(row.configuration for row in found.runs)
    references = [name for name in named if _ARMS.get(name)]
    if not found.runs or set(named) - _ARMS.keys() or len(references) > 1:
        known = ", ".join(_ARMS)
        message = (
            f"its configurations are {', '.join(named) or 'none'}; two of {known} are compared, a skill and one other"
        )
        raise DocumentError(placed(Problem(message, path=("runs",))))
    rows: dict[str, list[_Row]] = {}
    for row in found.runs:
        rows.setdefault(row.eval_name or f"eval-{row.eval_id}", []).append(row)
    about = found.metadata
    return Result(
        1,
        tuple(_case(name, some, has_reference=bool(references)) for name, some in rows.items()),
        Suite(plugins=(Plugin(about.skill_name or "the skill", about.skill_path),), model=about.executor_model,
              judge_model=about.analyzer_model),
        started=about.timestamp,
        reference=_ARMS[references[0]] if references else "no skill",
        made_by="skill-creator",
    )  # fmt: skip


def _case(name: str, rows: Sequence[_Row], *, has_reference: bool) -> Case:
    texts = dict.fromkeys(expectation.text for row in rows for expectation in row.expectations)
    with_skill = tuple(_run(row) for row in rows if not _ARMS[row.configuration])
    without = tuple(_run(row) for row in rows if _ARMS[row.configuration])
    graders = tuple(Grader(text, "llm", config={"criteria": text, "focus": "outputs"}) for text in texts)
    return Case(name, Arms(with_skill, without if has_reference else None), graders=graders)


def _run(row: _Row) -> Run:
    decided = [expectation for expectation in row.expectations if expectation.passed is not None]
    passed = sum(bool(expectation.passed) for expectation in decided)
    counted = Decimal(passed) / len(decided) if decided else Decimal(0)
    said = row.result.pass_rate
    return Run(
        score=counted if said is None or abs(said - counted) <= _ROUNDED else said,
        passed=bool(decided) and passed == len(decided),
        seconds=row.result.time_seconds,
        error=None if decided else "no expectation was decided",
        graders=tuple(
            GraderResult(entry.text, bool(entry.passed), explanation=entry.evidence)
            for entry in decided
        ),
    )  # fmt: skip
