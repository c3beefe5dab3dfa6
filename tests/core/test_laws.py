"""Laws that hold for every judgement, tried on random ones."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from conftest import judged, make_rubric, seven
from hypothesis import given
from hypothesis import strategies as st

import evenhand
from evenhand.core.receipt import terms_of
from evenhand.core.rules import DIMENSIONS, GRADES, grade_of

cents = st.integers(100, 1000).map(lambda hundredths: Decimal(hundredths).scaleb(-2))
score_sets = st.lists(cents, min_size=7, max_size=7).map(lambda values: seven(*values))
counts = st.integers(0, 6)


@st.composite
def weight_sets(draw):
    cuts = sorted(draw(st.lists(st.integers(0, 1000), min_size=6, max_size=6)))
    parts = [high - low for low, high in zip([0, *cuts], [*cuts, 1000], strict=True)]
    return seven(*(str(Decimal(part).scaleb(-3)) for part in parts))


amount_sets = st.lists(st.integers(1, 200).map(lambda cents: str(Decimal(cents).scaleb(-2))), min_size=6, max_size=6)
rubrics = st.builds(make_rubric, weight_sets(), amount_sets)


@given(score_sets, counts, counts, rubrics, st.randoms())
@pytest.mark.slow
def test_the_order_in_which_a_judgement_is_written_does_not_matter(scores, flags, bonuses, rubric, shuffler):
    """Dimensions, flags and bonuses in any order give the same numbers."""
    names, raised, earned = list(scores), [f"f{n}" for n in range(flags)], [f"b{n}" for n in range(bonuses)]
    for listed in (names, raised, earned):
        shuffler.shuffle(listed)
    shuffled = evenhand.score(
        {"scores": {name: scores[name] for name in names}, "red_flags": raised, "bonuses": earned}, rubric=rubric
    )
    card = judged(scores, flags, bonuses, rubric=rubric)
    assert (shuffled.composite, shuffled.final, shuffled.grade) == (card.composite, card.final, card.grade)
    assert list(shuffled.dimensions) == list(DIMENSIONS)


@given(score_sets, counts, counts, rubrics)
@pytest.mark.slow
def test_the_next_step_leads_exactly_to_the_next_grade(scores, flags, bonuses, rubric):
    """A hundredth less would not reach it; at the best grade there is nowhere to go."""
    card = judged(scores, flags, bonuses, rubric=rubric)
    step = card.next_step
    if card.grade.letter == GRADES[0].letter:
        assert (step.next_grade, step.distance) == (None, 0)
        return
    reached = card.final + step.distance
    assert grade_of(int(reached * 100)).letter == step.next_grade != card.grade.letter
    assert grade_of(int(reached * 100) - 1).letter == card.grade.letter


words = st.text(max_size=30)
quotes = st.lists(st.text(min_size=1, max_size=20).filter(str.strip), max_size=2)
said = st.fixed_dictionaries({"score": cents, "justification": words, "evidence": quotes})
unscored = st.fixed_dictionaries({"unscored": st.text(min_size=1, max_size=20).filter(str.strip)})


@st.composite
def scorecards(draw):
    opinions = seven(*(draw(st.one_of(cents, said, said, unscored)) for _ in range(7)))
    judgement = {
        "scores": opinions,
        "skill": draw(st.text(min_size=1, max_size=10)).replace("\0", "0"),
        "judge": draw(st.text(min_size=1, max_size=10).filter(str.strip)),
        "red_flags": [
            {"id": f"f{n}", "explanation": draw(words), "evidence": draw(quotes)} for n in range(draw(counts))
        ],
        "bonuses": [{"id": f"b{n}", "explanation": draw(words)} for n in range(draw(counts))],
    }
    output = draw(st.one_of(st.none(), st.text(max_size=60)))
    return evenhand.score(judgement, rubric=draw(rubrics), output=output, task=draw(st.none() | words)), output


@given(scorecards(), st.booleans())
@pytest.mark.slow
def test_verify_holds_for_whatever_score_makes(made, audited):
    """verify(score(x)) always holds, after a trip through JSON text and any re-indenting."""
    card, output = made
    document = evenhand.document(card, audit=audited)
    again = json.loads(json.dumps(document, indent=3, sort_keys=True), parse_float=Decimal)
    assert evenhand.verify(again, output=output).differences == ()


def leaves(value, path=()):
    """Every place of a document that holds a plain value."""
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves(item, (*path, key))]
    if isinstance(value, list):
        return [leaf for key, item in enumerate(value) for leaf in leaves(item, (*path, key))]
    return [path]


def other(value):
    """A different value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "x" if len(value) < 64 else ("0" if value[0] != "0" else "1") + value[1:]
    if value is None:
        return 7
    return round(value + 0.01, 2) if value < 9 else round(value - 0.01, 2)


@given(rubrics, rubrics)
@pytest.mark.slow
def test_a_rubric_hash_differs_when_and_only_when_the_rubric_does(one, two):
    """The hash stands for the whole rubric."""
    assert (terms_of(one).sha256 == terms_of(two).sha256) == (one == two)
