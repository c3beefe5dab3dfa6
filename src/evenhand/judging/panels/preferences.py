"""Which of two outputs is better, for one pair or for many: outputs matched, compared in both orders, counted.

Every pair is asked about in both orders by every judge. A pair that cannot be compared is a value in its place, and
the run goes on; replies already paid for are kept.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.panel import add_calls
from evenhand.core.rubric import Rubric
from evenhand.decisions.preference import PairResult, Preferences
from evenhand.decisions.preferences import agreed
from evenhand.errors import InputError, Problem
from evenhand.in_words import listed
from evenhand.judges.models.call_plan import Plan, add_plans
from evenhand.judges.models.pair_judge import PairJudge
from evenhand.judges.models.together import every
from evenhand.judging.panels.concurrency import InOrder
from evenhand.judging.panels.panel import OpenPanel
from evenhand.judging.steps import Steps, read_submissions
from evenhand.providers.exchange import Message, Stopped
from evenhand.work.submission import Submission

ONE_ITEM = "the output"
"""The name of the only item when every system has a single output."""


class Pair(NamedTuple):
    """An item's outputs by two systems."""

    item: str
    a: str
    b: str
    first: Submission
    second: Submission


class Matched(NamedTuple):
    """The outputs of several systems, matched by item."""

    systems: tuple[str, ...]
    pairs: tuple[Pair, ...]
    unmatched: tuple[tuple[str, str], ...]
    """Systems with items that not all systems have, and so are not compared by all."""
    failures: tuple[InputError, ...]
    """What could not be read or compared."""


def match_outputs(
    paths: Sequence[str],
    *,
    task: str | None = None,
    tasks: Mapping[str, str] | None = None,
    patterns: Mapping[str, Mapping[str, str]] | None = None,
    reference: str | None = None,
    format: str | None = None,
    partial: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Matched:
    """Pair the outputs of systems, each a file, a folder, or a file of many submissions; or one of the `patterns`, with
    its files by item.

    Two single outputs belong together whatever they are called. Otherwise items are matched by id in a file of many
    submissions, and by path within a folder. `task` is that of all items, `tasks` have those of some by their names.
    """
    names = _names(paths)
    failures: list[InputError] = []
    outputs: dict[str, dict[str, Submission]] = {}
    for name, path in zip(names, paths, strict=True):
        is_pattern = path in (patterns or {})
        files = (patterns or {}).get(path, {"": path})
        by_item: dict[str, Submission] = {}
        for case, file in files.items():
            entries = read_submissions(
                [file],
                format=format,
                task=task,
                reference=reference,
                partial=partial,
                include=include,
                exclude=exclude,
            )
            read = list(entries)
            failures += [entry for entry in read if isinstance(entry, InputError)]
            found = _by_item(file, [entry for entry in read if not isinstance(entry, InputError)])
            by_item |= _as(case, file, found) if is_pattern else found
        outputs[name] = {item: _with_task(item, only, tasks) for item, only in by_item.items()}
    return match_items(outputs, failures)


def _as(case: str, file: str, found: Mapping[str, Submission]) -> dict[str, Submission]:
    """The one output of a file, by what the * of its pattern stands for."""
    if len(found) > 1:
        raise InputError(Problem("holds several outputs; each file of a pattern is one output", file))
    return dict.fromkeys((case,), next(iter(found.values()))) if found else {}


def _with_task(item: str, submission: Submission, tasks: Mapping[str, str] | None) -> Submission:
    """The task of its own name, as the file of a folder of tasks has it."""
    task = None if tasks is None else tasks.get(item) or tasks.get(Path(item).stem)
    return submission if task is None else submission._replace(task=task, task_read=False)


def match_items(
    outputs: Mapping[str, Mapping[str, Submission]], failures: Sequence[InputError] = (), *, by_name: bool = False
) -> Matched:
    """Pair the outputs of systems by item, each with each. `failures` could not be read.

    Systems with one output each are compared on it whatever its name, unless `by_name`.
    """
    names = list(outputs)
    if not by_name and all(len(items) == 1 for items in outputs.values()):
        outputs = {name: {ONE_ITEM: next(iter(items.values()))} for name, items in outputs.items()}
    pairs, failed = [], list(failures)
    for a, b in combinations(names, 2):
        for item in (item for item in outputs[a] if item in outputs[b]):
            pair = _pair(item, a, b, outputs[a][item], outputs[b][item])
            if isinstance(pair, InputError):
                failed.append(pair)
            else:
                pairs.append(pair)
    held = Counter(item for items in outputs.values() for item in items)
    unmatched = [(name, item) for name, items in outputs.items() for item in items if held[item] < len(names)]
    if not pairs and not failed:
        raise InputError(
            f"no output of {listed(names)} belongs to the same item; outputs are matched by id, or by path in a folder"
        )
    return Matched(tuple(names), tuple(pairs), tuple(unmatched), tuple(failed))


def _names(paths: Sequence[str]) -> list[str]:
    """The last part of each path where that tells them apart, else the paths."""
    short = [Path(path).name or path for path in paths]
    names = short if len(set(short)) == len(short) else [path.rstrip("/") for path in paths]
    if len(set(names)) < len(names):
        raise InputError("the same file or folder is named twice; give each system once")
    return names


def _by_item(path: str, submissions: Iterable[Submission]) -> dict[str, Submission]:
    by_item: dict[str, Submission] = {}
    for submission in submissions:
        item = _item(path, submission)
        if item in by_item:
            problem = (
                f'"{item}" occurs twice; outputs are matched by id, or by path in a folder, so each must be unique'
            )
            raise InputError(Problem(problem, submission.source))
        by_item[item] = submission
    return by_item


def _item(path: str, submission: Submission) -> str:
    if submission.format == "submissions" and submission.id is not None:
        return submission.id
    source = submission.source or path
    inside = source.removeprefix(path.rstrip("/") + "/")
    return inside if inside != source else Path(source).name


def _pair(item: str, a: str, b: str, first: Submission, second: Submission) -> Pair | InputError:
    """The pair, with one task and one reference; two different ones make no pair."""
    shared: dict[str, Any] = {}
    for name in ("task", "reference"):
        texts = {text for text in (getattr(first, name), getattr(second, name)) if text is not None}
        if len(texts) > 1:
            why = f"{item}: {a} and {b} have different {name}s, so they cannot be compared; give one with --{name}"
            return InputError(Problem(why, second.source))
        shared[name] = texts.pop() if texts else None
    return Pair(item, a, b, first._replace(**shared), second._replace(**shared))


class PairComparison:
    """Pairs compared by an open panel."""

    def __init__(self, panel: OpenPanel, steps: Steps) -> None:
        self.panel = panel
        self._steps = steps
        self._judges = [PairJudge(asker) for asker in panel.askers]
        self.left_out = 0
        """Pairs that were not compared because the panel stopped."""

    @property
    def identities(self) -> tuple[Mapping[str, str], ...]:
        """Everything about each judge that affects a verdict."""
        return tuple(judge.identity for judge in self._judges)

    def rubric_of(self, pair: Pair) -> Rubric:
        """The rubric that a pair is compared by."""
        return self._steps.resolve(pair.first).rubric

    def rubric_hash(self, pair: Pair) -> tuple[str, str]:
        """The rubric's name and hash."""
        resolved = self._steps.resolve(pair.first)
        return resolved.rubric.name, resolved.terms.sha256

    def compare(self, pairs: Iterable[Pair]) -> Iterator[PairResult]:
        """Each pair's result, in order, as they finish; afterwards `left_out` says how many a stop left out."""
        waiting = iter(pairs)
        in_order = InOrder(self._compared, self.panel.budget, window=self.panel.window)
        with closing(in_order.results(waiting, close=self.panel.close)) as batches:
            for result in chain.from_iterable(batches):
                if result is None:
                    self.left_out += 1
                else:
                    yield result
        self.left_out += sum(1 for _ in waiting)

    async def _compared(self, pair: Pair) -> PairResult | None:
        """What the judges say about a pair; None when the run stopped first."""
        rubric = self.rubric_of(pair)
        try:
            comparisons = await every(judge.compare(rubric, pair.first, pair.second) for judge in self._judges)
        except Stopped:
            return None
        preferences = tuple(comparison.preference for comparison in comparisons)
        decided = agreed([preference.outcome for preference in preferences])
        if self.panel.budget.broken and decided == "undecided":
            return None
        warnings = tuple(dict.fromkeys(warning for comparison in comparisons for warning in comparison.warnings))
        calls = add_calls(comparison.calls for comparison in comparisons)
        return PairResult(pair.item, pair.a, pair.b, decided, preferences, warnings, calls)

    async def compare_here(self, pairs: Sequence[Pair]) -> tuple[PairResult, ...]:
        """Each pair's result, in order, in the caller's event loop; those that a stop left out are counted.

        The panel stays open.
        """
        free = asyncio.Semaphore(self.panel.window)

        async def one(pair: Pair) -> PairResult | None:
            async with free:
                return None if self.panel.budget.stopped is not None else await self._compared(pair)

        outcomes = await every(one(pair) for pair in pairs)
        results = tuple(result for result in outcomes if result is not None)
        self.left_out = len(outcomes) - len(results)
        return results

    def preferences(self, matched: Matched, results: Sequence[PairResult]) -> Preferences:
        """The whole comparison."""
        return Preferences(
            matched.systems,
            tuple(results),
            self.identities,
            dict(map(self.rubric_hash, matched.pairs)),
            matched.unmatched,
            tuple(str(problem) for failure in matched.failures for problem in failure.problems),
            self.left_out,
        )

    def plan_pairs(self, pairs: Sequence[Pair]) -> list[tuple[str, Plan]]:
        """Each judge's plan for the pairs."""
        return [
            (
                judge.identity["name"],
                add_plans(judge.plan(self.rubric_of(pair), pair.first, pair.second) for pair in pairs),
            )
            for judge in self._judges
        ]

    def pair_prompts(self, pair: Pair) -> Iterator[tuple[str, str, tuple[Message, ...]]]:
        """The question in both orders as each model gets it."""
        for judge in self._judges:
            for name, messages in judge.prompts(self.rubric_of(pair), pair.first, pair.second):
                yield judge.identity["name"], f"{pair.item}, {name}", messages
