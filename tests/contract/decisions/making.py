"""Results of a suite as the file that `evenhand run show` reads, made from random numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any


def head(variants: Sequence[str], cases: int, repeats: int, **more: Any) -> dict[str, Any]:
    """The first line of a file of results."""
    return {
        "schema": "evenhand/suite-run/v1",
        "id": "run-1",
        "suite": "notes",
        "sha256": "ab" * 32,
        "created": "2026-11-16T12:00:00Z",
        "variants": list(variants),
        "reference": variants[0],
        "repeats": repeats,
        "cases": cases,
        "skill": None,
        "judges": ["openai:m"],
        "gate": None,
        "notes": [],
        "looks": [],
        **more,
    }


def result(case: str, variant: str, final: int | None = None, repeat: int = 1, **more: Any) -> dict[str, Any]:
    """One run: its final score in hundredths, or how it ended."""
    return {
        "schema": "evenhand/suite-result/v1",
        "case": case,
        "variant": variant,
        "repeat": repeat,
        "outcome": "finished",
        "reason": "",
        "tags": [],
        "weight": "1",
        "final": final,
        "low": None,
        "high": None,
        "grade": None,
        "dimensions": {},
        "met": 0,
        "expectations": 0,
        "faults": [],
        "evaluation": None,
        "unscored": "",
        "seconds": None,
        "tokens": None,
        "cost": None,
        "judging_cost": None,
        "key": "",
        "notes": [],
        "verdicts": [],
        "transcript": False,
        **more,
    }


def random_results(draw: Random) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A run with ties, skew, clusters, lost and unscored runs, two to four variants, one case to forty."""
    variants = ["a", "b", "c", "d"][: draw.choice((2, 2, 2, 3, 3, 4))]
    cases, repeats = draw.choice((1, 3, 6, 9, 14, 24, 32, 40)), draw.choice((1, 1, 3))
    spread = draw.choice((0, 10, 60, 250))
    shift = draw.choice((0, 0, 30, 100))
    tail = draw.choice((0, 0, 0.1, 0.2))
    spoiled = draw.choice((0, 0, 0.03, 0.15))
    clustered = draw.random() < 0.3
    rows = []
    for number in range(cases):
        for place, variant in enumerate(variants):
            for repeat in range(1, repeats + 1):
                case = f"case-{number:02}"
                more: dict[str, Any] = {"cluster": f"document-{number // 3}"} if clustered else {}
                fate = draw.random()
                if fate < spoiled / 2:
                    lost = {"outcome": "failed", "reason": "exit code 1"}
                    rows.append(result(case, variant, repeat=repeat, **lost, **more))
                elif fate < spoiled:
                    known = {"low": 400, "high": 650} if draw.random() < 0.5 else {}
                    rows.append(result(case, variant, repeat=repeat, unscored="the reply was cut off", **known, **more))
                else:
                    score = 550 + shift * place + draw.randint(-spread, spread)
                    score -= 350 if place and draw.random() < tail else 0
                    rows.append(result(case, variant, max(100, min(1000, score)), repeat, **more))
    named = {"reference_is_named": True} if draw.random() < 0.5 else {}
    return head(variants, cases, repeats, **named), rows


def write_results(path: Path, first: dict[str, Any], rows: Sequence[dict[str, Any]]) -> None:
    """The file, a line for each."""
    path.write_text("".join(json.dumps(line) + "\n" for line in (first, *rows)), encoding="utf-8")
