"""No rubric loses anything: every odd file of the corpus is read as written or refused, every innocent one loads."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from conftest import SHARED_DATA

from evenhand.core.receipt import terms_of
from evenhand.core.values import Rubric
from evenhand.rubrics.library import BUILTIN
from every_case import every_case
from odd_rubrics import INNOCENT, ODD, Odd
from test_rubric_files import parse, problems, rubric_text

BEFORE = json.loads((Path(__file__).parents[1] / "fixtures" / "rubric_hashes.json").read_text(encoding="utf-8"))
"""The hashes of rubrics as they were read before the rule that everything must be accounted for."""


@every_case("odd", [odd for odd in ODD if odd.refused is None], ids=lambda odd: odd.id)
def test_an_odd_file_is_read_as_written(odd: Odd):
    """Its weights, flags, bonuses and pass mark are those that its author wrote."""
    rubric = parse(odd.text)
    if odd.weights is not None:
        assert [weight * 100 for weight in rubric.weights.values()] == list(odd.weights)
    if odd.flags is not None:
        assert tuple((flag.id, str(flag.deduction)) for flag in rubric.red_flags) == odd.flags
    if odd.bonuses is not None:
        assert tuple(bonus.id for bonus in rubric.bonuses) == odd.bonuses
    assert rubric.pass_mark == Decimal(odd.pass_mark or "7.00")


@every_case("odd", [odd for odd in ODD if odd.refused is not None], ids=lambda odd: odd.id)
def test_an_odd_file_is_refused_at_its_line(odd: Odd):
    """The line that cannot be read is named, and the message says what to do."""
    assert odd.refused is not None
    line = odd.text[: odd.text.index(odd.refused)].count("\n") + 1
    found = problems(odd.text)
    assert line in [at for at, _ in found], found
    assert all(any(mark in said for mark in (";", ": ", "must", "not a")) for at, said in found if at == line), found


@cache
def _plain() -> Rubric:
    return parse(rubric_text())


@every_case("innocent", INNOCENT, ids=lambda odd: odd.id)
def test_an_innocent_file_loads_with_the_scoring_it_had(innocent: Odd):
    """Numbers in prose, measures, bands and descriptions are text."""
    rubric, plain = parse(innocent.text), _plain()
    assert (rubric.weights, rubric.pass_mark) == (plain.weights, plain.pass_mark)
    assert {flag.deduction for flag in rubric.red_flags} == {Decimal("0.50")}
    assert rubric.bonuses == plain.bonuses
    if not innocent.id.startswith("flag: "):
        assert rubric.red_flags == plain.red_flags


def test_the_corpus_is_large_enough():
    """At least 120 odd files and 30 innocent ones, none of them twice."""
    assert len(ODD) >= 120 and len(INNOCENT) >= 30
    texts = [odd.text for odd in (*ODD, *INNOCENT)]
    assert len(set(texts)) == len(texts)


def _loaded(path: Path) -> Rubric:
    from evenhand.rubrics.rubric_file import parse_rubric

    return parse_rubric(path.read_text(encoding="utf-8"), str(path), name=path.stem).rubric


@pytest.mark.parametrize("name", [name for name in BEFORE if name.startswith("built-in/")])
def test_the_built_in_rubrics_are_read_as_before(name):
    """Every value that can shape a judgement or a score is in the hash."""
    assert terms_of(_loaded(BUILTIN / f"{name.partition('/')[2]}.md")).sha256 == BEFORE[name]["rubric"]


@pytest.mark.parametrize("name", [name for name in BEFORE if name.startswith("shared/")])
def test_the_predecessor_s_rubrics_are_read_as_before(name):
    """Prose, weights in headings, and one with settings in its sentences."""
    path = SHARED_DATA / "rubrics" / f"{name.partition('/')[2]}.md"
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != BEFORE[name]["file"]:
        pytest.skip("the shared rubrics are not here, or have changed")
    assert terms_of(_loaded(path)).sha256 == BEFORE[name]["rubric"]
