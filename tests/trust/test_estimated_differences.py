"""Two skills by one judge: which items are paired, and what is subtracted from what."""

from __future__ import annotations

import pytest
from conftest import judged, seven

from evenhand.errors import InputError
from evenhand.stats.trust.estimated import Estimated
from evenhand.store.record import record_of
from evenhand.trust import estimates
from evenhand.trust.estimates import EstimateRequest
from evenhand.trust.labels.judged_items import JudgedItem, JudgeKey, key_of

REQUEST = EstimateRequest("difference")


def item(case: str, score: float, people: float | None = None, *, skill: str = "old") -> JudgedItem:
    card = judged(seven(score), id=f"{skill}-{case}", skill=skill, judge="model:a")._replace(case=case)
    record = record_of(card, completed=0, submission=None, keep_text=True)
    return JudgedItem(case, record, {} if people is None else {"final": people}, frozenset())


KEY = key_of(judged(seven(8), judge="model:a"))


def difference(
    first: list[JudgedItem], second: list[JudgedItem], keys: tuple[JudgeKey, JudgeKey] = (KEY, KEY)
) -> Estimated:
    return estimates._difference(["old", "new"], list(zip(keys, (first, second), strict=True)), REQUEST)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """What is estimated from, in place of an estimate."""
    seen: list[tuple] = []
    monkeypatch.setattr(estimates, "estimate_difference", lambda *given: seen.append(given))
    return seen


def test_items_of_a_case_are_paired_whatever_their_order(rows: list[tuple]):
    """What has no partner is left out, and so is what the judge could not score."""
    first = [item("a", 6, 5), item("b", 7), item("c", 8)]
    second = [item("b", 9, 8, skill="new"), item("a", 8, 4, skill="new"), item("d", 5, skill="new")]
    blank = item("c", 8, skill="new")
    second.append(blank._replace(record=blank.record._replace(final=None)))
    difference(first, second)
    ((before, after, subject, request, drawn),) = rows
    assert sorted(zip(before, after, strict=True)) == [((6.0, 5), (8.0, 4)), ((7.0, None), (9.0, 8))]
    assert subject == f"final of new minus old, by {KEY}"
    assert (request, drawn.clusters) == (REQUEST, None)


def test_a_difference_needs_one_judge_with_one_rubric():
    """Under whatever name the rubric goes."""
    first, second = [item("a", 6)], [item("a", 8, skill="new")]
    other = KEY._replace(rubric_sha256="1" * 64, rubric="other")
    with pytest.raises(InputError) as caught:
        difference(first, second, (KEY, other))
    assert str(caught.value) == f"old was judged by {KEY}, new by {other}; a difference needs one judge"
    with pytest.raises(InputError, match="no estimate: "):
        difference(first, second, (KEY, KEY._replace(rubric="renamed")))


def test_skills_without_a_case_in_common_have_no_difference():
    with pytest.raises(InputError, match="no item of old could be paired with one of new by id, file name or task"):
        difference([item("a", 6)], [item("b", 8, skill="new")])


def test_the_second_is_compared_with_the_first():
    """Forty cases, two points better by the judge and one by people, give or take a quarter."""
    first = [item(f"c{n}", 5 + n % 3, 5 + n % 3) for n in range(40)]
    second = [item(f"c{n}", 7 + n % 3, 6 + n % 3 + (n % 2 - 0.5) / 2, skill="new") for n in range(40)]
    made = difference(first, second).result
    assert made.value == pytest.approx(1.0, abs=0.01)
    assert made.low < 1 < made.high
