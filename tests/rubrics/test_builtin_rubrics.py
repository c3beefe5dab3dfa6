"""The built-in rubrics: twelve, sound, and of the form the design asks for."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

import evenhand
from evenhand.core.receipt import canonical_rubric, terms_of
from evenhand.rubrics.check import parsed_rubric, weaknesses
from evenhand.rubrics.library import BUILTIN, compiled_path, load_file, places
from evenhand.work.names import is_id

NAMES = (
    "agent-run",
    "code-change",
    "code-review",
    "data-analysis",
    "default",
    "devops",
    "documentation",
    "frontend-design",
    "research",
    "security-review",
    "testing",
    "writing",
)


@pytest.fixture(autouse=True)
def _no_project(tmp_path, monkeypatch):
    """Built-in rubrics as a project without its own sees them."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


def test_these_twelve_are_built_in():
    """No more, no fewer, and all of them can be named."""
    assert tuple(sorted(path.stem for path in BUILTIN.glob("*.md"))) == NAMES
    assert tuple(place.name for place in places() if place.origin == "built-in") == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_rubric_is_its_own_text(name):
    """The compiled form that scoring uses is what the Markdown says, hash and all."""
    source = BUILTIN / f"{name}.md"
    document = json.loads(compiled_path(source).read_text(encoding="utf-8"))
    from_text = load_file(str(source))
    assert document["rubric"] == canonical_rubric(from_text)
    assert evenhand.load_rubric(name) == from_text
    assert terms_of(evenhand.load_rubric(name)) == terms_of(from_text)
    assert from_text.name == name


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_rubric_has_no_weakness(name):
    """We keep the rules we check others by."""
    assert weaknesses(parsed_rubric(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_rubric_is_complete(name):
    """Five bands for each dimension, 6 to 10 red flags, 5 to 8 bonuses, a pass mark with its reason."""
    rubric = evenhand.load_rubric(name)
    assert tuple(rubric.dimensions) == evenhand.DIMENSIONS
    for criteria in rubric.dimensions.values():
        assert len(criteria.measures.split()) >= 5
        assert [(band.low, band.high) for band in criteria.bands] == [(9, 10), (7, 8), (5, 6), (3, 4), (1, 2)]
        assert all(len(band.criteria.split()) >= 5 for band in criteria.bands)
    assert 6 <= len(rubric.red_flags) <= 10
    assert 5 <= len(rubric.bonuses) <= 8
    assert 1 <= rubric.pass_mark <= 10
    assert len(rubric.pass_mark_reason.split()) >= 8
    assert rubric.title and rubric.domain and rubric.summary


@pytest.mark.parametrize("name", NAMES)
def test_R6_the_weights_of_a_built_in_rubric_sum_to_exactly_1(name):
    """Seven of them, none negative."""
    weights = evenhand.load_rubric(name).weights
    assert tuple(weights) == evenhand.DIMENSIONS
    assert all(weight > 0 for weight in weights.values())
    assert sum(weights.values()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_R7_R8_the_ids_of_a_built_in_rubric_are_unique_and_its_amounts_allowed(name):
    """A flag and a bonus never share an id either."""
    rubric = evenhand.load_rubric(name)
    ids = [each.id for each in (*rubric.red_flags, *rubric.bonuses)]  # type: ignore[attr-defined]
    assert len(set(ids)) == len(ids)
    assert all(map(is_id, ids))
    assert all(Decimal("0.01") <= flag.deduction <= 2 for flag in rubric.red_flags)
    assert all(each.description for each in (*rubric.red_flags, *rubric.bonuses))  # type: ignore[attr-defined]


def test_a_built_in_rubric_fits_its_domain():
    """Each has criteria of its own; none is another one with a new title."""
    bands = [
        band.criteria
        for name in NAMES
        for criteria in evenhand.load_rubric(name).dimensions.values()
        for band in criteria.bands
    ]
    assert len(bands) == 12 * 7 * 5
    assert len(set(bands)) == len(bands)


def test_a_stale_compiled_form_is_not_used(tmp_path):
    """When the Markdown was edited, the Markdown counts."""
    from evenhand.rubrics.library import Place, load_place

    source = tmp_path / "default.md"
    text = (BUILTIN / "default.md").read_text(encoding="utf-8")
    source.write_text(text.replace("pass_mark: 7.0\n", "pass_mark: 6.5\n"), encoding="utf-8")
    compiled_path(source).parent.mkdir()
    compiled_path(source).write_bytes(compiled_path(BUILTIN / "default.md").read_bytes())
    assert load_place(Place("default", "built-in", source)).pass_mark == Decimal("6.5")
