"""Result files of `claude plugin eval`, made as its runner counts them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

Verdicts = Sequence[bool]


def run(verdicts: Mapping[str, bool], weights: Mapping[str, float] | None = None, **more: Any) -> dict[str, Any]:
    """One run with these verdicts by grader."""
    weights = weights or {}
    graders: list[dict[str, Any]] = [
        {"name": name, "passed": passed, "weight": weights.get(name, 1), "explanation": "as expected" if passed else
         "pattern not found in last_message", "withOnly": False, "scored": True}
        for name, passed in verdicts.items()
    ]  # fmt: skip
    whole = sum(grader["weight"] for grader in graders)
    got = sum(grader["weight"] for grader in graders if grader["passed"])
    score = got / whole if whole else 0
    return {
        "score": score, "passed": score == 1, "turns": 2, "costUsd": 0.01, "judgeCostUsd": 0, "durationSeconds": 1,
        "startedAt": "2026-11-01T10:00:00.000Z", "error": None, "tracePath": "/gone/trace.jsonl",
        "skippedPaidGraders": False, "graders": graders,
    } | more  # fmt: skip


def broken(error: str) -> dict[str, Any]:
    """A run whose harness failed: no grader looked at it, and the runner writes a 0."""
    return run({}, score=0, passed=False, error=error)


def case(
    name: str, with_plugin: list[dict[str, Any]], without: list[dict[str, Any]] | None, **more: Any
) -> dict[str, Any]:
    """One case with its aggregates, as the runner counts them."""
    graders = {grader["name"]: grader["weight"] for run in with_plugin for grader in run["graders"]}
    arms = {"with": with_plugin} | ({} if without is None else {"without": without})
    aggregates: dict[str, float] = {}
    if with_plugin:
        aggregates |= {"score": mean(with_plugin, "score"), "passRate": mean(with_plugin, "passed")}
    if without:
        aggregates |= {"scoreWithout": mean(without, "score"), "passRateWithout": mean(without, "passed")}
        if with_plugin:
            aggregates["delta"] = aggregates["score"] - aggregates["scoreWithout"]
    return {
        "name": name, "dir": f"evals/{name}", "source": "prose", "promptMarkdown": f"Do {name}.",
        "runsPerCase": 3, "timeoutSeconds": 300, "maxTurns": 10,
        "graders": [{"name": name, "type": "regex", "weight": weight, "config": {"pattern": "x"}}
                    for name, weight in graders.items()],
        "arms": arms, "aggregates": aggregates,
    } | more  # fmt: skip


def mean(runs: Sequence[Mapping[str, Any]], key: str) -> float:
    """The runner adds binary floats."""
    return sum(float(run[key]) for run in runs) / len(runs)


def document(cases: list[dict[str, Any]], version: str = "1.0.0", **more: Any) -> dict[str, Any]:
    """A whole result."""
    scored = [case["aggregates"] for case in cases if "score" in case["aggregates"]]
    deltas = [aggregates["delta"] for aggregates in scored if "delta" in aggregates]
    aggregates: dict[str, Any] = {"casesTotal": len(cases)}
    if scored:
        aggregates |= {
            "casesPassed": sum(entry["score"] >= 1 for entry in scored),
            "overallScore": sum(entry["score"] for entry in scored) / len(scored),
            "overallPassRate": sum(entry["passRate"] for entry in scored) / len(scored),
        }
    if deltas:
        aggregates["meanDelta"] = sum(deltas) / len(deltas)
    return {
        "schemaVersion": 1, "claudeVersion": "2.1.327", "startedAt": "2026-11-01T10:00:00.000Z", "durationSeconds": 30,
        "costUsd": 0.5, "partial": False,
        "suite": {"root": "/home/user/notes", "ablation": "with-without", "threshold": 1,
                  "plugins": [{"name": "notes", "version": version, "path": "/home/user/notes"}]},
        "cases": cases, "aggregates": aggregates,
    } | more  # fmt: skip


def steady(pairs: Sequence[tuple[str, str]], version: str = "1.0.0", **more: Any) -> dict[str, Any]:
    """A result with a case for each pair: how many of ten graders pass in each run, with and without the plugin.

    `("888", "555")` is a case of three runs an arm, .8 with the plugin and .5 without it.
    """

    def arm(digits: str) -> list[dict[str, Any]]:
        return [run({f"g{n}": n < int(digit) for n in range(10)}) for digit in digits]

    cases = [case(f"case-{number}", arm(left), arm(right)) for number, (left, right) in enumerate(pairs, 1)]
    return document(cases, version, **more)


def drawn(seed: int, cases: int, gain: Fraction | int, runs: int = 3, graders: int = 5) -> dict[str, Any]:
    """A simulated result: each case has a difficulty of its own, and the plugin adds `gain` to every chance."""
    chance = random.Random(seed)
    made = []
    for number in range(cases):
        level = chance.uniform(0.2, 0.8 - float(gain))

        def arm(extra: float, level: float = level) -> list[dict[str, Any]]:
            return [run({f"g{n}": chance.random() < level + extra for n in range(graders)}) for _ in range(runs)]

        made.append(case(f"case-{number}", arm(float(gain)), arm(0)))
    return document(made)


def write(folder: Path, value: Any, name: str = "result.json") -> Path:
    """The file of a result."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
