"""R13 to R18 at the command: whole histories, each evaluation against those before it.

A history is written as one JSONL file and scored into a store by one command. The comparison on every scorecard, the
pages of `history` and of the last `score` are golden; the literal rule is also recomputed from the specification, in
fractions, on random histories.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from fractions import Fraction
from math import isclose, sqrt
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from scipy.stats import t as student

from contract.core.test_pages import HERE
from contract.doors import run_here, served
from contract.goldens import compare
from contract.pages import as_shown, fits_its_schema, steady
from evenhand import DIMENSIONS


def judgement(scores: Sequence[Any], number: int, skill: str = "notes", **more: Any) -> dict[str, Any]:
    """One line: seven scores, or one for all of them; a text in place of a score is why there is none."""
    values = list(scores) if len(scores) == 7 else list(scores) * 7
    written = [{"unscored": value} if isinstance(value, str) else value for value in values]
    return {
        "id": f"{skill}-{number:03}",
        "skill": skill,
        "rubric": "small.md",
        "task": f"task {number}",
        "judge": "human:ana",
        "scores": dict(zip(DIMENSIONS, written, strict=True)),
        **more,
    }


STEADY = [
    (8, 8, 8, 8, 8, 8, 8),
    (8, 8.5, 7, 8, 8, 9, 8),
    (8, 7.5, 9, 8, 8, 7, 8),
    (8, 8, 8, 7.9, 8, 8, 8),
    (8, 8.2, 8.5, 8, 8, 8.4, 8),
    (8, 7.8, 7.5, 8.1, 8, 7.6, 8),
    (8, 8.1, 8.1, 8, 8, 8.1, 8),
    (8, 7.9, 7.9, 8, 8, 7.9, 8),
    (8, 8, 8, 8, 8, 8, 8),
    (8, 8.3, 8, 8.2, 8, 8, 8),
]
HISTORIES: dict[str, list[dict[str, Any]]] = {
    # n = 0: nothing to compare with; 1: differences only; 2 to 9: provisional; 10: full. Correctness never varies until
    # the eleventh (zero-variance), which is also far above in completeness and far below in safety.
    "short-to-full": [
        *(judgement(scores, number) for number, scores in enumerate(STEADY)),
        judgement((8.01, 9.5, 8, 8, 8, 3, 8), 10),
        judgement((8, 8, 8, 8, 8, 8, "no time"), 11),
        judgement((7.99, 8, 8, 8, "no time", 8, 8), 12),
        judgement((9, 9, 9, 9, 9, 9, 9), 13, red_flags=["rude"], bonuses=["kind"]),
    ],
    # exactly two deviations (790, 800, 810 and 820: mean 8.00, deviation 0.10) is not flagged, a hundredth more is
    "at-the-edge": [
        judgement((7.9,), 0),
        judgement((8.0,), 1),
        judgement((8.1,), 2),
        judgement((8.2, 8.21, 7.8, 7.79, 8.0, 8.3, 7.7), 3),
    ],
    "other-rubrics-and-judges": [
        judgement((8, 8, 8, 8, 8, 8, 8), 0, rubric="strict.md"),
        judgement((8, 8.5, 8, 8, 8, 8, 8), 1, judge={"name": "human:ben", "role": "tester"}),
        judgement(
            (8, 7.5, 8, 8, 8, 8, 8), 2, judge={"name": "human:ben", "role": "tester, of everything that is not his"}
        ),
        judgement((8, 8, 8, 8, 8, 8, 8), 3),
        judgement((8, 8, 8, 8, 8, 8, 2), 4, rubric="strict.md", judge="human:cleo"),
        judgement((8, 8, 8, 8, 8, 8, 2), 5, rubric="strict.md", judge="human:cleo"),
    ],
    # the first ten are the baseline of the drift alarm; the level then falls by a point, and comes back
    "drift": [
        *(judgement((value,), number) for number, value in enumerate([8, 8.2, 7.8, 8.1, 7.9, 8, 8.2, 7.8, 8.1, 7.9])),
        *(judgement((value,), number) for number, value in enumerate([8, 8.1] * 3 + [7, 7.1, 6.9] * 4, 10)),
        *(judgement((value,), number) for number, value in enumerate([8, 8.1, 7.9] * 22, 28)),
        *(judgement((value,), number) for number, value in enumerate([9.5, 9.4], 94)),
    ],
    "equal-baseline": [judgement((8,), number) for number in range(10)]
    + [
        judgement((8.05,), 10),
        judgement((8.1,), 11),
        judgement((8.3,), 12),
        judgement((8.6,), 13),
    ],
}


VERSIONS = {name: {"EVENHAND_SKILL_VERSION": "v2"} for name in ("at-the-edge", "drift")}
"""The version of the skill that made the last evaluation, where that is known."""


def folder_with(tmp_path: Path, lines: list[dict[str, Any]]) -> Path:
    for shared in (HERE / "shared").iterdir():
        shutil.copy(shared, tmp_path)
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history(name: str, tmp_path: Path):
    """Every comparison of a history, then the pages that show it."""
    lines = HISTORIES[name]
    folder = folder_with(tmp_path, lines[:-1])
    (folder / "last.json").write_text(json.dumps(lines[-1]))
    scored = run_here("score", "lines.jsonl", "--store", "kept.db", "--format", "jsonl", cwd=folder)
    fits_its_schema(scored.out)
    cards = [json.loads(line) for line in scored.out.splitlines()]
    shown = [f"{card['id']} {json.dumps(card['history'])}\n" for card in cards]
    for command in (
        "score last.json --store kept.db",
        "score last.json --store kept.db --format json",
        "score last.json --store kept.db --format markdown --audit",
        "history notes --store kept.db --last 100",
        "history notes --store kept.db --last 100 --format json",
        "history notes --store kept.db --last 5 --format markdown",
        "history --store kept.db",
        "better notes-000 notes-003 --store kept.db",
        "rank notes-000 notes-001 notes-002 --store kept.db",
    ):
        ran = run_here(*command.split(), cwd=folder, environment=VERSIONS.get(name))
        fits_its_schema(ran.out)
        shown.append(as_shown(command, ran, hidden=False))
    compare(HERE / "golden" / f"history-{name}.txt", steady("\n".join(shown), folder))


LEVELS = [8, 8.2, 7.8, 8.1, 7.9, 8, 8.2, 7.8, 8.1, 7.9]
COURSES = {
    "calm": [*LEVELS, *[8, 8.1, 7.9] * 5],
    "fallen": [*LEVELS, *[8, 8.1] * 3, *[7, 7.1, 6.9] * 4, *[8, 8.1, 7.9] * 22, 9.5, 9.4],
    "swung": [*LEVELS, *[8] * 4, *[7] * 6, *[9.5] * 8, *[8] * 3],  # from below to above, at once
    "near": [*LEVELS, *[8] * 5, *[7.5] * 7, *[8.1, 8, 8.2] * 4, *[7.4] * 5, *[8.3] * 9, *[7.2] * 3],
    "slow": [*LEVELS, *(8 - step / 50 for step in range(30))],
    "back": [*LEVELS, *[7.6] * 6, *[8] * 8, *[7.5] * 4, *[8] * 9, *[7.5] * 4],  # some alarms a few evaluations apart
    "short": LEVELS,
}


def test_where_drift_began_is_shown_on_the_dashboard(tmp_path: Path):
    """Every stretch of alarms, the place of the step that explains it best, and whether it is over."""
    lines = [
        judgement((score,), number, skill) for skill, course in COURSES.items() for number, score in enumerate(course)
    ]
    folder = folder_with(tmp_path, lines)
    run_here("score", "lines.jsonl", "--store", "kept.db", cwd=folder)
    shown = []
    with served("kept.db", folder) as address:
        for skill in COURSES:
            request = Request(f"{address}/skill?name={skill}&format=json", headers={"Accept": "application/json"})
            with urlopen(request, timeout=60) as answer:
                found = json.load(answer)["drifts"]
            shown += [f"{skill}: {json.dumps(drift)}\n" for drift in found] or [f"{skill}: none\n"]
    compare(HERE / "golden" / "courses.txt", steady("".join(shown), folder))


def test_the_literal_rule_and_its_strength_on_random_histories(tmp_path: Path):
    """R14 in fractions, R15 by the window's size, R17 by another implementation of Student's t."""
    draw = random.Random(14)
    lines = []
    for skill in range(24):
        spread = draw.choice((0, 1, 5, 30, 300))
        for number in range(13):
            scores = [min(1000, max(100, 700 + draw.randint(-spread, spread))) / 100 for _ in DIMENSIONS]
            lines.append(judgement(scores, number, skill=f"skill-{skill}"))
    folder = folder_with(tmp_path, lines)
    scored = run_here("score", "lines.jsonl", "--store", "kept.db", "--format", "jsonl", cwd=folder)
    cards = [json.loads(line) for line in scored.out.splitlines()]
    assert len(cards) == len(lines)
    for place, card in enumerate(cards):
        number = place % 13
        window = cards[place - min(number, 10) : place]
        assert card["history"]["n"] == len(window)
        dimensions = card["history"]["dimensions"]
        assert card["history"]["flags"] == [name for name in DIMENSIONS if dimensions.get(name, {}).get("flagged")]
        for name, line in card["history"]["dimensions"].items():
            past = [Fraction(str(earlier["dimensions"][name]["score"])) for earlier in window]
            agrees(line, Fraction(str(card["dimensions"][name]["score"])), past)


def agrees(line: dict[str, Any], score: Fraction, past: list[Fraction]) -> None:
    """One dimension of a comparison says what the rules say of its window."""
    n = len(past)
    mean = sum(past) / n
    assert isclose(line["mean"], mean, abs_tol=0.00006)
    assert isclose(line["delta"], score - mean, abs_tol=0.00006)
    if n == 1:
        assert (line["deviation"], line["flagged"], line["provisional"], line["strength"]) == (None, False, False, None)
        return
    variance = sum((value - mean) ** 2 for value in past) / (n - 1)
    assert isclose(line["deviation"], sqrt(variance), abs_tol=0.00006)
    assert line["flagged"] == ((score - mean) ** 2 > 4 * variance)
    assert line["provisional"] == (n < 10)
    if variance == 0:
        assert (line["reason"], line["strength"]) == ("zero-variance" if line["flagged"] else "as always", None)
        return
    away = abs(float(score - mean)) / sqrt(variance * (1 + Fraction(1, n)))
    expected = 1 - (1 - 2 * student.sf(away, n - 1)) ** 7
    assert isclose(line["strength"], expected, abs_tol=0.0002)
    assert line["reason"] == (
        "within the usual range"
        if not line["flagged"]
        else f"more than 2 deviations {'above' if score > mean else 'below'} the mean"
    )
