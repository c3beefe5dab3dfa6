"""What a table of evaluations must come to, by `core`, one row at a time; and tables to try it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from conftest import make_rubric
from hypothesis import strategies as st

import evenhand
from evenhand.core.comparison import DimensionComparison
from evenhand.core.history import compare_dimension
from evenhand.core.numbers import hundredths
from evenhand.core.rubric import Rubric
from evenhand.core.rules import TIE_BREAKS, WINDOW

Row = dict[str, Any]
START = datetime(2026, 1, 1, tzinfo=UTC)


def compared_with(score: int, window: Sequence[int]) -> DimensionComparison:
    """A score against the scores of a window."""
    return compare_dimension(score, len(window), sum(window), sum(past * past for past in window))


def expected(rows: Sequence[Row], rubric: Rubric, rank_by: str | None = None) -> dict[str, Row]:
    """The results by id. Ids are unique, and every row can be scored."""
    cards = {row["id"]: _card(row, rubric) for row in rows}
    results = {id: _scored(card) for id, card in cards.items()}
    keys = {id: _key(card) for id, card in cards.items()}
    for row in rows:
        others = [other["id"] for other in rows if rank_by is None or other[rank_by] == row[rank_by]]
        results[row["id"]]["rank"] = 1 + sum(keys[other] > keys[row["id"]] for other in others)
    for skill in {row["skill"] for row in rows}:
        line = sorted((row for row in rows if row["skill"] == skill), key=lambda row: (row["created"], row["id"]))
        for place, row in enumerate(line):
            window = [cards[each["id"]] for each in line[max(0, place - WINDOW) : place]]
            results[row["id"]] |= _compared(cards[row["id"]], window)
    return results


def _card(row: Row, rubric: Rubric) -> evenhand.Scorecard:
    judgement = {
        "scores": {name: row[name] for name in evenhand.DIMENSIONS},
        "red_flags": list(dict.fromkeys(row["red_flags"])),
        "bonuses": list(dict.fromkeys(row["bonuses"])),
    }
    return evenhand.score(judgement, rubric=rubric, id=row["id"], created="2026-01-01T00:00:00Z")


def _scored(card: evenhand.Scorecard) -> Row:
    assert card.grade is not None
    return {
        "composite": card.composite,
        "deduction": card.deduction.applied,
        "bonus": card.bonus.applied,
        "final": card.final,
        "grade": card.grade.letter,
        "label": card.grade.label,
    }


def _key(card: evenhand.Scorecard) -> tuple[Any, ...]:
    scores = [card.dimensions[name].score for name in TIE_BREAKS]
    return (card.final, *scores, -len(card.red_flags), len(card.bonuses))


def _compared(card: evenhand.Scorecard, window: Sequence[evenhand.Scorecard]) -> Row:
    result: Row = {"history": len(window), "provisional": 2 <= len(window) < WINDOW}
    for name in evenhand.DIMENSIONS:
        values = [hundredths(each.dimensions[name].score or Decimal(0)) for each in window]
        line = compared_with(hundredths(card.dimensions[name].score or Decimal(0)), values) if values else None
        result[f"{name}_mean"] = line.mean if line else None
        result[f"{name}_deviation"] = line.deviation if line else None
        result[f"{name}_flagged"] = line.flagged if line else None
    return result


def same(found: Sequence[Mapping[str, Any]], rows: Sequence[Row], rubric: Rubric, rank_by: str | None = None) -> bool:
    """Assert that an engine's rows are what `core` says, bit for bit, the floats for show included."""
    wanted = expected(rows, rubric, rank_by)
    assert sorted(row["id"] for row in found) == sorted(wanted)
    for row in found:
        result = {name: row[name] for name in wanted[row["id"]]}
        assert result == wanted[row["id"]], f"row {row['id']}"
    return True


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    """Rubrics with weights of up to twelve decimals, and flags of every amount."""
    places = draw(st.sampled_from([2, 3, 12]))
    cuts = sorted(draw(st.lists(st.integers(0, 10**places), min_size=6, max_size=6)))
    shares = [high - low for low, high in pairwise([0, *cuts, 10**places])]
    weights = {
        name: f"{Decimal(share).scaleb(-places):f}" for name, share in zip(evenhand.DIMENSIONS, shares, strict=True)
    }
    amounts = draw(st.lists(st.integers(1, 200).map(lambda amount: f"{amount / 100:.2f}"), min_size=0, max_size=6))
    return make_rubric(weights=weights, amounts=amounts, bonuses=draw(st.integers(0, 6)))


@st.composite
def tables(draw: st.DrawFn, rubric: Rubric, scores: st.SearchStrategy[Any], most: int = 30) -> list[Row]:
    """Tables with ties, skills and times in common, and ids whose order as text is not that of any language."""
    few = draw(st.lists(scores, min_size=1, max_size=4))
    ids = st.text("aAzZé0ß-", min_size=1, max_size=4)
    return [
        {
            "id": id,
            "skill": draw(st.sampled_from(["alpha", "beta"])),
            "created": START + timedelta(seconds=draw(st.integers(0, 8))),
            **{name: draw(st.sampled_from(few)) for name in evenhand.DIMENSIONS},
            "red_flags": draw(_some([flag.id for flag in rubric.red_flags])),
            "bonuses": draw(_some([bonus.id for bonus in rubric.bonuses])),
        }
        for id in draw(st.lists(ids, unique=True, max_size=most))
    ]


def _some(ids: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(ids), max_size=6) if ids else st.just([])
