"""Laws that hold for every judgement, tried on random ones."""

from __future__ import annotations

import copy
import json
from decimal import Decimal

import oracle
import pytest
from conftest import judged, make_rubric, seven
from hypothesis import given
from hypothesis import strategies as st

import evenhand
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.documents.scorecards.receipt import terms_of
from evenhand.errors import DocumentError

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


@given(score_sets, counts, counts, rubrics)
@pytest.mark.slow
def test_the_independent_implementation_agrees(scores, flags, bonuses, rubric):
    """Two implementations that share no code give the same final score and grade."""
    card = judged(scores, flags, bonuses, rubric=rubric)
    expected = oracle.evaluate(
        {name: str(value) for name, value in scores.items()},
        [str(flag.deduction) for flag in rubric.red_flags[:flags]],
        bonuses,
        {name: str(weight) for name, weight in rubric.weights.items()},
    )
    assert (card.final, card.grade.letter) == (
        Decimal(expected["final"].numerator) / expected["final"].denominator,
        expected["grade"],
    )


@given(score_sets, counts, counts, rubrics, st.sampled_from(DIMENSIONS), cents)
@pytest.mark.slow
def test_a_higher_score_never_lowers_the_final(scores, flags, bonuses, rubric, dimension, other):
    """Monotone in every score."""
    low, high = sorted((scores[dimension], other))
    worse = judged(scores | {dimension: low}, flags, bonuses, rubric=rubric)
    better = judged(scores | {dimension: high}, flags, bonuses, rubric=rubric)
    assert worse.final <= better.final


@given(score_sets, st.integers(0, 5), counts, rubrics)
@pytest.mark.slow
def test_a_flag_never_raises_the_final(scores, flags, bonuses, rubric):
    """One flag more is never better."""
    assert (
        judged(scores, flags + 1, bonuses, rubric=rubric).final <= judged(scores, flags, bonuses, rubric=rubric).final
    )


@given(score_sets, counts, st.integers(0, 5), rubrics)
@pytest.mark.slow
def test_a_bonus_never_lowers_the_final(scores, flags, bonuses, rubric):
    """One bonus more is never worse."""
    assert (
        judged(scores, flags, bonuses + 1, rubric=rubric).final >= judged(scores, flags, bonuses, rubric=rubric).final
    )


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
def test_the_next_step_is_the_best_single_point(scores, flags, bonuses, rubric):
    """No other dimension gains more from one more point, and the gain is what it says."""
    card = judged(scores, flags, bonuses, rubric=rubric)
    raised = {
        name: judged(scores | {name: min(Decimal(10), scores[name] + 1)}, flags, bonuses, rubric=rubric).final
        for name in DIMENSIONS
    }
    step = card.next_step
    assert step.final == max(raised.values())
    if step.dimension is not None:
        assert raised[step.dimension] == step.final == card.final + step.gain


small_scores = st.lists(st.sampled_from([7, 8]), min_size=7, max_size=7).map(lambda values: seven(*values))
entries = st.lists(st.tuples(small_scores, st.sampled_from([0, 4, 5]), st.sampled_from([0, 4, 5])), max_size=8)


@given(entries, st.randoms())
@pytest.mark.slow
def test_a_ranking_is_the_total_preorder_of_its_keys(cases, shuffler):
    """Input order is irrelevant, ranks follow the oracle's keys, equals share, the first difference decides."""
    cards = [judged(scores, flags, bonuses, id=f"{n:02}") for n, (scores, flags, bonuses) in enumerate(cases)]
    ranking = evenhand.rank(cards)
    shuffled = list(cards)
    shuffler.shuffle(shuffled)
    assert evenhand.rank(shuffled) == ranking
    keys = {
        f"{n:02}": oracle.rank_key(
            {"scores": {k: str(v) for k, v in scores.items()}, "amounts": ["0.5"] * flags, "bonuses": bonuses}
        )
        for n, (scores, flags, bonuses) in enumerate(cases)
    }
    for entry in ranking.entries:
        assert entry.rank == 1 + sum(key > keys[entry.id] for key in keys.values())
        assert set(entry.equivalent_to) == {id for id, key in keys.items() if key == keys[entry.id]} - {entry.id}
    rules = ["final", *oracle.TIES, "red_flags", "bonuses"]
    for above, below in zip(ranking.entries, ranking.entries[1:], strict=False):
        differing = [rule for rule, a, b in zip(rules, keys[above.id], keys[below.id], strict=True) if a != b]
        assert above.decided_by == (differing[0] if differing else "equivalent")


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


@given(scorecards(), st.data())
@pytest.mark.slow
def test_changing_any_value_fails(made, data):
    """Whatever single value is changed, verify says so or refuses the document."""
    document = evenhand.document(made[0], audit=data.draw(st.booleans()))
    path = data.draw(st.sampled_from(leaves(document)))
    changed = copy.deepcopy(document)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = other(place[path[-1]])
    try:
        found = evenhand.verify(changed).differences
    except DocumentError:
        return
    assert found, path
    names = {name for key in path if not isinstance(key, int) for name in key.split(".")}
    assert any(names & set(difference.field.split(".")) for difference in found), (path, found)


@given(rubrics, rubrics)
@pytest.mark.slow
def test_a_rubric_hash_differs_when_and_only_when_the_rubric_does(one, two):
    """The hash stands for the whole rubric."""
    assert (terms_of(one).sha256 == terms_of(two).sha256) == (one == two)
