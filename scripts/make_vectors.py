"""Write conformance/vectors.jsonl from the independent implementations in tests/support: oracle.py, criteria_oracle.py.

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

import criteria_oracle  # noqa: E402

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


def node(weight: str, *children: Any) -> dict[str, Any]:
    return {"weight": Fraction(weight), "children": [*children]}


def leaf(id: str, weight: str, verdict: str, *requires: str, unmet: str = "no") -> dict[str, Any]:
    return {"id": id, "weight": Fraction(weight), "verdict": verdict, "requires": [*requires], "unmet": unmet}


def criteria_vector(name: str, roots: list[dict[str, Any]], partly: Fraction = Fraction(1, 2)) -> dict[str, Any]:
    """One judge's answers, or those of several judges of a panel to the same criteria."""
    counted = [criteria_oracle.what_counts([root]) for root in roots]
    results = zip(roots, counted, strict=True)
    judges = [criteria_result(root, verdicts, partly) for root, verdicts in results]
    ends = [judge["score"] for judge in judges if judge["score"] is not None]
    least = len(roots) // 2 + 1
    expected = {
        "judges": judges,
        "score": [median([int(end[side].replace(".", "")) for end in ends]) for side in (0, 1)]
        if len(ends) >= least
        else None,
    }
    given = {"partly": str(partly), "criteria": written(roots[0])["criteria"], "verdicts": [said(r) for r in roots]}
    return {"kind": "criteria", "name": name, "input": given, "expected": expected}


def criteria_result(root: dict[str, Any], counted: dict[str, str], partly: Fraction) -> dict[str, Any]:
    span, score = criteria_oracle.value(root, counted, partly), criteria_oracle.score(root, counted, partly)
    return {
        "counted": counted,
        "value": None if span is None else [str(end) for end in span],
        "score": None if score is None else [hundredths(end) for end in score],
    }


def hundredths(number: int) -> str:
    return f"{number // 100}.{number % 100:02}"


def median(ends: list[int]) -> str:
    """Of an even number the mean of the middle two, half up."""
    ends, middle = sorted(ends), len(ends) // 2
    return hundredths(ends[middle] if len(ends) % 2 else (ends[middle - 1] + ends[middle] + 1) // 2)


def written(part: dict[str, Any]) -> dict[str, Any]:
    """A tree without its answers."""
    if "children" in part:
        return {"weight": str(part["weight"]), "criteria": [written(child) for child in part["children"]]}
    more = {"requires": part["requires"], "unmet": part["unmet"]} if part["requires"] else {}
    return {"id": part["id"], "points": str(part["weight"]), **more}


def said(root: dict[str, Any]) -> dict[str, str]:
    return {leaf["id"]: leaf["verdict"] for leaf in criteria_oracle.leaves(root)}


def answered_anew(draw: random.Random, part: dict[str, Any]) -> dict[str, Any]:
    if "children" in part:
        return {**part, "children": [answered_anew(draw, child) for child in part["children"]]}
    return {**part, "verdict": draw.choices(criteria_oracle.VERDICTS, (4, 3, 1, 1, 1))[0]}


def criteria(draw: random.Random) -> list[dict[str, Any]]:
    yes, no, partly, none, unknown = criteria_oracle.VERDICTS
    met, unmet = leaf("a", "1", yes), leaf("a", "1", no)
    by_hand = {
        "half of the points": [node("1", met, leaf("b", "1", no))],
        "a half goes up": [node("1", leaf("a", "1", yes), leaf("b", "1799", no))],
        "negative points leave the denominator alone": [node("1", leaf("a", "4", yes), leaf("b", "-1", yes))],
        "clipped once, at the dimension": [node("1", met, node("1", leaf("b", "1", no), leaf("c", "-3", yes)))],
        "only negative criteria": [node("1", leaf("a", "-3", yes), leaf("b", "-1", no))],
        "only negative criteria inside a group": [node("1", met, node("1", leaf("b", "-3", yes), leaf("c", "-1", no)))],
        "only negative criteria apply": [node("1", leaf("a", "5", none), leaf("b", "-3", yes), leaf("c", "-1", no))],
        "nothing applies": [node("1", leaf("a", "1", none), leaf("b", "-1", none))],
        "a group of which nothing applies": [node("1", met, node("9", leaf("b", "1", none)))],
        "partly": [node("1", leaf("a", "1", partly), leaf("b", "2", yes))],
        "cannot tell": [node("1", met, leaf("b", "2", unknown), leaf("c", "-1", unknown))],
        "a prerequisite failed": [node("1", unmet, leaf("b", "1", yes, "a"), leaf("c", "-5", yes, "b"))],
        "a prerequisite failed, and it does not apply": [node("1", unmet, leaf("b", "1", yes, "a", unmet=none))],
        "a prerequisite met partly": [node("1", leaf("a", "1", partly), leaf("b", "1", yes, "a"))],
        "a prerequisite that cannot be told": [node("1", leaf("a", "1", unknown), leaf("b", "1", yes, "a"))],
        "a prerequisite that does not apply": [node("1", leaf("a", "1", none), leaf("b", "1", yes, "a"))],
        "failed and cannot be told": [node("1", unmet, leaf("b", "1", unknown), leaf("c", "1", yes, "b", "a"))],
        "a panel's medians of both ends": [
            node("1", leaf("a", "1", first), leaf("b", "1", second))
            for first, second in ((yes, unknown), (no, unknown), (yes, yes))
        ],
        "a panel below its quorum": [node("1", leaf("a", "1", verdict)) for verdict in (yes, none)],
    }
    made = [criteria_vector(name, roots) for name, roots in by_hand.items()]
    made.append(criteria_vector("partly counts 1/3", by_hand["partly"], Fraction(1, 3)))
    for number in range(250):
        root, share = criteria_oracle.random_root(draw), draw.choice([Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)])
        others = [answered_anew(draw, root) for _ in range(draw.choice((0, 0, 1, 2, 3)))]
        made.append(criteria_vector(f"random tree {number}", [root, *others], share))
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
        *criteria(random.Random(27)),
    ]
    target = ROOT / "conformance" / "vectors.jsonl"
    target.parent.mkdir(exist_ok=True)
    target.write_text("".join(json.dumps(vector) + "\n" for vector in vectors), encoding="utf-8")
    print(f"{len(vectors)} vectors")


if __name__ == "__main__":
    main()
