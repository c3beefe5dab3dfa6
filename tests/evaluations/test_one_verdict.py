"""The same data give the same verdict, whichever command asks; a gate never says the opposite."""

from __future__ import annotations

import json
from decimal import Decimal
from random import Random

import pytest
from conftest import judged, seven

import evenhand
from evenhand.decisions.gate import judge_drop, judge_suite
from evenhand.decisions.suites.contrasts import decide
from evenhand.decisions.values.suite import SuiteGate
from evenhand.evaluations.comparisons import compare_sets
from evenhand.judging.files import Named
from suite_cases import scored

CARD = judged(seven(7))


def sets(finals: list[int]) -> list[Named]:
    return [
        Named(
            f"case{place:03}", CARD._replace(id=f"case{place:03}", case=f"case{place:03}", final=Decimal(final) / 100)
        )
        for place, final in enumerate(finals)
    ]


def random_suite(draw: Random) -> tuple[list[int], list[int]]:
    """Final scores of two variants: few or many cases, alike or not, even or skewed."""
    cases, gain = draw.choice([2, 5, 6, 9, 15, 29, 30, 45]), draw.choice([0, 0, 30, 80, 200, -80, -200])
    spread, is_skewed = draw.choice([0, 20, 100, 200]), draw.random() < 0.3
    before = [draw.randrange(300, 800) for _ in range(cases)]
    after = [
        score + gain + round(draw.gauss(0, spread)) - (400 if is_skewed and draw.random() < 0.1 else 0)
        for score in before
    ]
    return before, [min(1000, max(100, score)) for score in after]


@pytest.mark.slow
def test_compare_run_and_gate_agree_on_200_random_suites():
    """`better` is `run`. All four verdicts come up; a gate is red only where it is worse."""
    seen = set()
    for repetition in range(200):
        before, after = random_suite(Random(repetition))
        results = scored({"old": [[final] for final in before], "new": [[final] for final in after]})
        (ran,) = decide(results, ["old", "new"], "old").contrasts
        compared = compare_sets(("old", "new"), sets(before), sets(after))
        assert compared.contrast is not None
        assert ran.verdict == compared.result.verdict == compared.contrast.verdict, (before, after)
        assert ran.more == compared.contrast.more
        against = judge_drop([entry.value for entry in ran.differences], Decimal("0.2"))
        (of_suite,) = judge_suite(decide(results, ["old", "new"], "old"), SuiteGate())
        assert against.colour == of_suite.colour or of_suite.colour == "undecided"
        assert against.colour != "red" or ran.verdict == "worse", (before, after)
        assert ran.verdict != "better" or against.colour != "red"
        seen.add(ran.verdict)
    assert seen == {"better", "worse", "no difference shown", "undecided"}


def test_compare_says_what_run_says(evenhand_command, tmp_path):
    """Five of five better: undecided by both, with the same range and the same fewest cases."""
    scores = [5.0, 6.0, 7.0, 4.0, 5.5]
    for name, gain in (("old", 0.0), ("new", 2.0)):
        lines = [
            json.dumps({"id": f"c{n}", "scores": dict.fromkeys(evenhand.DIMENSIONS, score + gain)})
            for n, score in enumerate(scores)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    document = json.loads(evenhand_command("compare", "old.jsonl", "new.jsonl", "--format", "json").out)
    results = scored({"old": [[round(100 * s)] for s in scores], "new": [[round(100 * s) + 200] for s in scores]})
    (ran,) = decide(results, ["old", "new"], "old").contrasts
    assert (document["verdict"], document["better"], document["needed"]) == ("undecided", 5, 6)
    assert ran.more is not None
    assert document["more"] == {"cases": ran.more.cases, "repeats": None, "most": ran.more.most}
