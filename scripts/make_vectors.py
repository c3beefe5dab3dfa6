"""Write conformance/vectors.jsonl from the independent implementation in tests/support/oracle.py.

The package itself takes no part: the vectors say what must come out, and the tests ask whether it does.
Run it only when the specification changes: python scripts/make_vectors.py
"""

from __future__ import annotations

import json
import random
import sys
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import oracle  # noqa: E402

RULES = ["final", *oracle.TIES, "red_flags", "bonuses"]


def seven(*values: Any) -> dict[str, Any]:
    return dict(zip(oracle.ORDER, values if len(values) == 7 else values * 7, strict=True))


def money(value: Fraction) -> str:
    return f"{float(value):.2f}"  # the value has two decimals, which a float prints exactly


def score_vector(name: str, scores: dict[str, str], amounts: list[str], bonuses: int, **more: Any) -> dict[str, Any]:
    result = oracle.evaluate(scores, amounts, bonuses, more.get("weights"))
    expected = {key: money(value) if isinstance(value, Fraction) else value for key, value in result.items()}
    given = {"scores": scores, "amounts": amounts, "bonuses": bonuses, **more}
    return {"kind": "score", "name": name, "input": given, "expected": expected}


def boundaries() -> list[dict[str, Any]]:
    made = []
    for edge, letter, _ in oracle.GRADES[:-1]:
        for step, side in ((0, "at"), (-1, "below")):
            text = money(Fraction(edge) + Fraction(step, 100))
            made.append(score_vector(f"grade edge {letter} {side}", seven(text), [], 0))
    return made


def claims() -> list[dict[str, Any]]:
    return [
        score_vector(f"{flags} flags and {bonuses} bonuses on {base}", seven(base), ["0.5"] * flags, bonuses)
        for base in ("1", "2.4", "8", "10")
        for flags in range(7)
        for bonuses in range(7)
    ]


def random_score(draw: random.Random) -> str:
    places = draw.choice((0, 1, 1, 2, 3))
    return f"{Fraction(draw.randint(10**places, 10 ** (places + 1)), 10**places).__float__():.{places}f}"


def random_weights(draw: random.Random) -> dict[str, str]:
    places = draw.choice((1, 2, 4))
    cuts = sorted(draw.randint(0, 10**places) for _ in range(6))
    parts = [high - low for low, high in zip([0, *cuts], [*cuts, 10**places], strict=True)]
    return seven(*(f"{part / 10**places:.{places}f}" for part in parts))


def randoms(draw: random.Random, count: int) -> list[dict[str, Any]]:
    made = []
    for number in range(count):
        scores = seven(*(random_score(draw) for _ in range(7)))
        amounts = [draw.choice(("0.5", "0.5", "0.25", "1", "2", "0.05", "1.37")) for _ in range(draw.randint(0, 5))]
        more = {"weights": random_weights(draw)} if number % 2 else {}
        made.append(score_vector(f"random {number}", scores, amounts, draw.randint(0, 5), **more))
    return made


def rankings(draw: random.Random, count: int) -> list[dict[str, Any]]:
    made = []
    for number in range(count):
        entries = [
            {
                "id": f"e{place}",
                "scores": seven(*(str(draw.choice((7, 8))) for _ in range(7))),
                "amounts": ["0.5"] * draw.choice((0, 0, 4, 5)),
                "bonuses": draw.choice((0, 0, 4, 5)),
            }
            for place in range(draw.randint(2, 9))
        ]
        made.append({"kind": "rank", "name": f"ranking {number}", "input": entries, "expected": ranked(entries)})
    return made


def ranked(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    order = sorted(sorted(entries, key=lambda entry: entry["id"]), key=oracle.rank_key, reverse=True)
    groups = [list(group) for _, group in groupby(order, key=oracle.rank_key)]
    expected: list[dict[str, Any]] = []
    for place, group in enumerate(groups):
        rank = len(expected) + 1
        for entry in group:
            if entry is not group[-1]:
                decided: str | None = "equivalent"
            elif place + 1 < len(groups):
                pair = zip(RULES, oracle.rank_key(entry), oracle.rank_key(groups[place + 1][0]), strict=True)
                decided = next(rule for rule, above, below in pair if above != below)
            else:
                decided = None
            expected.append({"id": entry["id"], "rank": rank, "decided_by": decided})
    return expected


def refusals() -> list[dict[str, Any]]:
    wrong: list[Any] = [0, "0.99", "10.01", -1, True, None, "eight", "", "NaN", "Infinity"]
    made = [
        {"kind": "refuse", "name": f"safety is {json.dumps(value)}", "input": {"scores": seven(8) | {"safety": value}}}
        for value in wrong
    ]
    short = seven(8)
    del short["safety"]
    made.append({"kind": "refuse", "name": "safety is missing", "input": {"scores": short}})
    made.append({"kind": "refuse", "name": "an eighth dimension", "input": {"scores": seven(8) | {"charm": 8}}})
    return made


def main() -> None:
    draw = random.Random(20260101)
    vectors = [
        score_vector("float trap", seven("1", "1", "1", "8", "8", "9", "10"), [], 0),
        score_vector("half up", seven(*["9.5"] * 6, "9.4"), [], 0),
        *boundaries(),
        *claims(),
        *randoms(draw, 900),
        *rankings(draw, 150),
        *refusals(),
    ]
    target = ROOT / "conformance" / "vectors.jsonl"
    target.parent.mkdir(exist_ok=True)
    target.write_text("".join(json.dumps(vector) + "\n" for vector in vectors), encoding="utf-8")
    print(f"{len(vectors)} vectors")


if __name__ == "__main__":
    main()
