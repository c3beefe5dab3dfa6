"""The published vectors, and the laws of scoring, against an implementation that shares no code with the package."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand
from contract.core.making import SHARED, listing, made_rubric, seven

VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "conformance" / "vectors.jsonl").read_text(encoding="utf-8").splitlines()
]


def scored(case: dict[str, Any], id: str = "x") -> evenhand.Scorecard:
    """A case of the vectors as a judgement under a rubric of its own."""
    rubric, raised = listing(case)
    judgement = {
        "scores": case["scores"],
        "red_flags": raised,
        "bonuses": [f"b{n}" for n in range(case["bonuses"])],
    }
    return evenhand.score(judgement, rubric=rubric, id=id)


def numbers(card: evenhand.Scorecard) -> dict[str, str]:
    return {
        "composite": str(card.composite),
        "deduction": str(card.deduction.applied),
        "after_deductions": str(card.after_deductions),
        "bonus": str(card.bonus.applied),
        "final": str(card.final),
        "grade": card.grade.letter,
        "label": card.grade.label,
    }


def test_every_score_of_the_vectors():
    cases = [vector for vector in VECTORS if vector["kind"] == "score"]
    assert len(cases) > 1000
    for vector in cases:
        assert numbers(scored(vector["input"])) == vector["expected"], vector


def test_every_ranking_of_the_vectors():
    cases = [vector for vector in VECTORS if vector["kind"] == "rank"]
    assert len(cases) == 150
    for vector in cases:
        entries = evenhand.rank([scored(entry, id=entry["id"]) for entry in vector["input"]]).entries
        found = [{"id": entry.id, "rank": entry.rank, "decided_by": entry.decided_by} for entry in entries]
        assert found == vector["expected"], vector


def test_every_refusal_of_the_vectors():
    for vector in VECTORS:
        if vector["kind"] == "refuse":
            with pytest.raises(evenhand.JudgementError):
                evenhand.score({"scores": vector["input"]["scores"]}, rubric=made_rubric())


cents = st.integers(100, 1000).map(lambda hundredths: str(Decimal(hundredths).scaleb(-2)))
score_sets = st.lists(cents, min_size=7, max_size=7).map(lambda values: seven(*values))
amount_sets = st.lists(st.sampled_from(["0.5", "0.25", "1", "2", "0.05", "1.37"]), max_size=6)
MANY = [
    {
        "correctness": "0.30",
        "completeness": "0.20",
        "adherence": "0.15",
        "actionability": "0.15",
        "efficiency": "0.1",
        "safety": "0.10",
        "consistency": "0",
    },
    {
        "correctness": "0.142857",
        "completeness": "0.142857",
        "adherence": "0.142857",
        "actionability": "0.142857",
        "efficiency": "0.142857",
        "safety": "0.142857",
        "consistency": "0.142858",
    },
    None,
]


@given(score_sets, amount_sets, st.integers(0, 6), st.sampled_from(MANY))
@settings(max_examples=60)
def test_the_independent_implementation_agrees(scores, amounts, bonuses, weights):
    """Every number of the scorecard, in fractions."""
    expected = oracle.evaluate(scores, amounts, bonuses, weights)
    found = numbers(scored({"scores": scores, "amounts": amounts, "bonuses": bonuses, "weights": weights}))
    assert {
        name: Fraction(text) if name not in ("grade", "label") else text for name, text in found.items()
    } == expected


@given(score_sets, st.integers(0, 5), st.integers(0, 5), st.sampled_from(evenhand.DIMENSIONS), cents)
@settings(max_examples=40)
def test_better_is_never_worth_less(scores, flags, bonuses, dimension, other):
    """A higher score, one flag fewer and one bonus more never lower the final score."""
    case = {"scores": scores, "amounts": ["0.5"] * flags, "bonuses": bonuses}
    low, high = sorted((scores[dimension], other), key=Decimal)
    worse = scored(case | {"scores": scores | {dimension: low}})
    better = scored(case | {"scores": scores | {dimension: high}})
    assert worse.final <= better.final
    assert scored(case | {"amounts": ["0.5"] * (flags + 1)}).final <= scored(case).final
    assert scored(case | {"bonuses": bonuses + 1}).final >= scored(case).final


def test_every_final_score_has_its_grade():
    """R3: no gap between 1.00 and 10.00, with the letter and label of the specification."""
    edges = {edge + step for edge in range(100, 1001, 50) for step in (-1, 0, 1)} | set(range(100, 1001, 17))
    for hundredths in sorted(edges - {99, 1001}):
        text = str(Decimal(hundredths).scaleb(-2))
        card = evenhand.score({"scores": seven(text)}, rubric=made_rubric())
        expected = oracle.evaluate(seven(text), [], 0)
        assert (str(card.final), card.grade.letter, card.grade.label) == (text, expected["grade"], expected["label"])


def test_a_callers_decimal_context_does_not_reach_a_score():
    """Three digits of precision and rounding down, set by somebody else, change nothing (R1)."""
    case: dict[str, Any] = {
        "scores": seven("9.3751", "8.2149", "7.775", "6.6651", "5.4349", "4.995", "3.3349"),
        "amounts": ["1.37"],
        "bonuses": 1,
    }
    expected = numbers(scored(case))
    with localcontext() as context:
        context.prec, context.rounding = 3, "ROUND_DOWN"
        other = case | {"scores": {name: f"{text}0" for name, text in case["scores"].items()}}
        assert numbers(scored(other)) == expected


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (7.1, "7.10"),
        (2.675, "2.68"),
        (8, "8.00"),
        ("8.005", "8.01"),
        (Decimal("8.0049"), "8.00"),
        (" 7 ", "7.00"),
        ("1e1", "10.00"),
    ],
)
def test_a_score_is_read_by_its_digits_and_rounded_half_up(given, kept):
    """R1, R4: a float by its shortest form, text as it is written."""
    assert str(evenhand.score({"scores": seven(given)}, rubric=made_rubric()).dimensions["safety"].score) == kept


def test_numbers_of_numpy_are_read_like_python_s():
    numpy = pytest.importorskip("numpy")
    for number, kept in ((numpy.int64(8), "8.00"), (numpy.float32(7.1), "7.10"), (numpy.float64(2.675), "2.68")):
        assert str(evenhand.score({"scores": seven(number)}, rubric=made_rubric()).dimensions["safety"].score) == kept


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (0, "0 is outside 1 to 10"),
        ("0.999", "0.999 is outside 1 to 10"),
        (10.01, "10.01 is outside 1 to 10"),
        (True, "true is not a number"),
        (False, "false is not a number"),
        ("eight", '"eight" is not a number'),
        ("", '"" is not a number'),
        (float("nan"), "NaN is not a finite number"),
        (float("inf"), "Infinity is not a finite number"),
        ("NaN", '"NaN" is not a number'),
        (Decimal("NaN"), "NaN is not a finite"),
        ("1e400", "1E+400 is outside"),
        ("1e999999999999999999", "1E+999999999999999999 is outside"),
        ("1e9999999999999999999", "is not a finite number"),
        (b"8", "a bytes is not a number"),
        (Fraction(8), "a Fraction is not a number"),
        ([8], "a list is not a number"),
        (8j, "a complex is not a number"),
    ],
)
def test_rejects_what_is_not_a_score_by_name(wrong, why):
    """R4: never clamped; the dimension, what is wrong and what is allowed."""
    with pytest.raises(evenhand.JudgementError) as refused:
        evenhand.score({"scores": seven(5) | {"safety": wrong}}, rubric=made_rubric())
    message = str(refused.value)
    assert message.startswith("safety: ")
    assert why in message
    assert "; a score is a number from 1 to 10" in message


def test_random_rankings_follow_the_oracle_s_key():
    """R11, R12: any order in gives the same ranking, that of the specification's list."""
    draw = random.Random(11)
    for _ in range(25):
        cases = [
            {
                "scores": {name: str(draw.choice((7, 8))) for name in evenhand.DIMENSIONS},
                "amounts": ["0.5"] * draw.randint(0, 5),
                "bonuses": draw.randint(0, 5),
            }
            for _ in range(12)
        ]
        cards = [scored(case, id=f"c{place:02}") for place, case in enumerate(cases)]
        keys = {card.id: oracle.rank_key(case) for card, case in zip(cards, cases, strict=True)}
        draw.shuffle(cards)
        entries = evenhand.rank(cards).entries
        assert [e.id for e in entries] == sorted(keys, key=lambda id: ([-part for part in keys[id]], id))
        for place, entry in enumerate(entries):
            assert entry.rank == 1 + sum(keys[other] > keys[entry.id] for other in keys)
            assert set(entry.equivalent_to) == {id for id in keys if keys[id] == keys[entry.id] and id != entry.id}
            if place + 1 < len(entries):
                below = keys[entries[place + 1].id]
                rules = ["final", *oracle.TIES, "red_flags", "bonuses"]
                pairs = zip(rules, keys[entry.id], below, strict=True)
                assert entry.decided_by == next((rule for rule, a, b in pairs if a != b), "equivalent")


def bullets(node: dict[str, Any], indent: str, path: str) -> str:
    """A node of a vector's tree as a rubric file writes it."""
    if "criteria" in node:
        inner = "".join(bullets(child, indent + "  ", f"{path}-{n}") for n, child in enumerate(node["criteria"]))
        return f"{indent}- `group{path}` (weight {node['weight']}): Group.\n{inner}"
    lines = [f"{indent}- `{node['id']}` ({node['points']} points): {node['id']} holds.\n"]
    if node.get("requires"):
        lines.append(f"{indent}  - requires: {', '.join(node['requires'])}\n")
    if node.get("unmet", "no") != "no":
        lines.append(f"{indent}  - otherwise: {node['unmet']}\n")
    return "".join(lines)


def answers(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What each criterion counts as, in a scorecard's tree."""
    if "verdict" in node:
        yield node["id"], node["verdict"]
    for child in node.get("criteria", ()):
        yield from answers(child)


def span(value: Any) -> list[str] | None:
    """The two ends of a tree's value; one number is both."""
    return [value["low"], value["high"]] if isinstance(value, dict) else None if value is None else [value, value]


def test_criteria_of_the_vectors(tmp_path: Path):
    """What the answers of one judge give: which count, the score or its two ends. Every fifth tree."""
    text = (SHARED / "small.md").read_text(encoding="utf-8")
    cases = [vector for vector in VECTORS if vector["kind"] == "criteria"]
    assert len(cases) == 270
    for number, vector in enumerate(cases[::5]):
        tree = "".join(bullets(node, "", f"-{n}") for n, node in enumerate(vector["input"]["criteria"]))
        path = tmp_path / f"tree-{number}.md"
        section = f"\n### Criteria\n\nPartly counts {vector['input']['partly']}.\n\n{tree}\n## Completeness"
        path.write_text(text.replace("## Completeness", section).replace("name: small", f"name: {path.stem}"))
        rubric = evenhand.load_rubric(path)
        for verdicts, expected in zip(vector["input"]["verdicts"], vector["expected"]["judges"], strict=True):
            card = evenhand.score({"scores": seven(8) | {"correctness": {"criteria": verdicts}}}, rubric=rubric)
            line = evenhand.document(card)["dimensions"]["correctness"]
            assert dict(answers(line["criteria"])) == expected["counted"], vector["name"]
            assert span(line["criteria"]["value"]) == expected["value"], vector["name"]
            score, ends = line["score"], line.get("interval")
            found = (
                [f"{score:.2f}"] * 2 if score is not None else ends and [f"{ends[end]:.2f}" for end in ("low", "high")]
            )
            assert found == expected["score"], vector["name"]
