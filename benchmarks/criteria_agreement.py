"""How far a judge agrees with people criterion by criterion, with an interval that resamples whole tasks.

The requirements of one task depend on each other, and three systems were judged on each: so tasks are resampled, not
requirements.

python benchmarks/criteria_agreement.py devai.jsonl.gz    tasks with people's and a judge's verdicts, in DevAI's form
python benchmarks/criteria_agreement.py --coverage        how often such an interval contains the truth, by simulation
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.criteria import in_order_of_requirement
from evenhand.core.rubric import NO, YES
from evenhand.files.json_values import load_json
from evenhand.rubrics.conversion.criteria_import import import_criteria
from evenhand.stats.agreement.kappa import kappas
from evenhand.stats.agreement.measure import Grid
from evenhand.stats.agreement.ratings import categories
from evenhand.stats.agreement.resampling import Draws, interval


class Agreed(NamedTuple):
    """What a file of tasks gives."""

    tasks: int
    requirements: int
    dependent: int
    """Requirements that have prerequisites."""
    verdicts: int
    equal: int
    kappa: float
    low: float
    high: float


def agreement(lines: list[str], source: str = "tasks") -> Agreed:
    """Import every task, and compare the judge's verdicts with people's."""
    rows: list[tuple[str, str]] = []
    items: list[int] = []
    requirements = dependent = 0
    for task, line in enumerate(lines):
        imported = import_criteria(load_json(line, source, line=task + 1))
        assert imported is not None, f"{source}:{task + 1}: not a task with requirements"
        criteria = [*imported.tree.criteria()]
        assert len(in_order_of_requirement(criteria)) == len(criteria)
        requirements += len(criteria)
        dependent += sum(bool(criterion.requires) for criterion in criteria)
        pairs = _pairs(json.loads(line)["labels"])
        rows += pairs
        items += [task] * len(pairs)
    equal = sum(left == right for left, right in rows)
    return Agreed(len(lines), requirements, dependent, len(rows), equal, *clustered_kappa(rows, items))


def clustered_kappa(rows: list[tuple[str, str]], tasks: list[int], draws: Draws | None = None) -> tuple[float, ...]:
    """Cohen's kappa and the ends of its interval. Each task is one item with many pairs of verdicts, not a few values
    by several raters, for which `agree` wants more items: --coverage shows that 30 are enough."""
    measure = kappas(Grid(categories(("people", "judge"), rows, items=tasks, order=(NO, YES))))[0]._replace(
        several=False
    )
    value = measure.estimate
    assert value is not None
    span = interval(measure, value, draws or Draws(0))
    assert not isinstance(span, str), span
    return value, span.low, span.high


def coverage(worlds: int = 400, tasks: int = 30, each: int = 19) -> float:
    """The share of intervals that contain the truth, where tasks differ in difficulty and in how the judge errs."""
    chance = random.Random(27)

    def world(count: int) -> tuple[list[tuple[str, str]], list[int]]:
        rows, items = [], []
        for task in range(count):
            right, error = chance.betavariate(2, 2), chance.betavariate(1, 10)
            for _ in range(each):
                truth = chance.random() < right
                rows.append((YES if truth else NO, YES if truth != (chance.random() < error) else NO))
                items.append(task)
        return rows, items

    rows, _ = world(20_000)
    measure = kappas(Grid(categories(("people", "judge"), rows, items=[*range(len(rows))], order=(NO, YES))))[0]
    true_value = measure.estimate
    assert true_value is not None
    draws = Draws(0, 1000)
    spans = [clustered_kappa(*world(tasks), draws) for _ in range(worlds)]
    return sum(low <= true_value <= high for _, low, high in spans) / worlds


def _pairs(labels: dict[str, Any]) -> list[tuple[str, str]]:
    answer = {True: YES, False: NO}
    return [
        (answer[verdict], answer[system["agent_judge"][requirement]])
        for system in labels.values()
        for requirement, verdict in system["people"].items()
        if requirement in system["agent_judge"]
    ]


def main(path: str) -> None:
    """Print the agreement."""
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if path.endswith(".gz") else data).decode()
    result = agreement([line for line in text.splitlines() if line.strip()], path)
    print(f"{result.tasks} tasks, {result.requirements} requirements, {result.dependent} of them with prerequisites")
    print(f"the judge equals people in {result.equal} of {result.verdicts} verdicts")
    ends = f"{result.low:.3f} to {result.high:.3f}"
    print(f"kappa {result.kappa:.3f}, 95 % interval {ends}, resampling {result.tasks} tasks")


if __name__ == "__main__":
    if sys.argv[1] == "--coverage":
        print(f"{coverage():.1%} of 400 intervals from 30 tasks contain the true kappa")
    else:
        main(sys.argv[1])
