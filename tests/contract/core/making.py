"""Judgements and rubrics for the contract of the core, made of what a user writes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import evenhand

SHARED = Path(__file__).parent / "shared"
CREATED = "2026-01-02T03:04:05.678Z"
_USUAL = tuple(amount for amount in ("0.5", "0.25", "1", "2", "0.05", "1.37", "0.75", "1.5") for _ in range(6))
_WEIGHTS = (25, 20, 15, 15, 10, 10, 5)
_BANDS = "".join(f"- {low}-{low + 1}: Band {low}.\n" for low in (9, 7, 5, 3, 1))


def seven(*scores: Any) -> dict[str, Any]:
    """Seven scores by dimension, in the order of the specification; one score stands for all."""
    return dict(zip(evenhand.DIMENSIONS, scores if len(scores) == 7 else scores * 7, strict=True))


@cache
def shared_rubric(name: str) -> evenhand.Rubric:
    return evenhand.load_rubric(SHARED / f"{name}.md")


@cache
def made_rubric(
    weights: tuple[tuple[str, str], ...] | None = None, amounts: tuple[str, ...] = ("0.5",) * 6, bonuses: int = 6
) -> evenhand.Rubric:
    """A rubric with flags f0, f1, ... of the given amounts and bonuses b0, b1, ...; its weights may differ."""
    if weights is not None:
        plain = made_rubric(None, amounts, bonuses)
        same = {name: getattr(plain, name) for name in signature(evenhand.Rubric).parameters}
        return evenhand.Rubric(**same | {"weights": {name: Decimal(text) for name, text in weights}})
    parts = "".join(f"## {name.capitalize()}\nWhat it measures.\n\n{_BANDS}\n" for name in evenhand.DIMENSIONS)
    flags = "".join(f"- `f{n}` (-{amount}): Flag {n}.\n" for n, amount in enumerate(amounts))
    earned = "".join(f"- `b{n}` (+0.25): Bonus {n}.\n" for n in range(bonuses))
    usual = ", ".join(f"{name}: {weight}" for name, weight in zip(evenhand.DIMENSIONS, _WEIGHTS, strict=True))
    text = f"---\nname: made\nweights: {{{usual}}}\npass_mark: 7\n---\n# Made\n\n{parts}"
    text += f"## Red flags\n\n{flags or 'None.'}\n\n## Bonuses\n\n{earned or 'None.'}\n"
    with TemporaryDirectory() as folder:
        path = Path(folder, "made.md")
        path.write_text(text, encoding="utf-8")
        return evenhand.load_rubric(path)


def listing(case: Mapping[str, Any]) -> tuple[evenhand.Rubric, list[str]]:
    """A rubric with every amount of a case, shared by all cases with usual ones, and the flags that the case raises."""
    amounts = _USUAL if set(case["amounts"]) <= set(_USUAL) else tuple(case["amounts"])
    left = [(amount, f"f{place}") for place, amount in enumerate(amounts)]
    raised = []
    for amount in case["amounts"]:
        found = next(entry for entry in left if entry[0] == amount)
        left.remove(found)
        raised.append(found[1])
    weights = case.get("weights")
    return made_rubric(None if weights is None else tuple(weights.items()), amounts), raised
