"""Scorecards of one skill in the exchange format Every Eval Ever, version 0.3.0: means and their uncertainty. Pure.

One document describes one skill under one rubric by one judge: the final score first, then each dimension. What has no
score is counted and left out. Nothing is claimed that is not known: who evaluates for whom is "other", the model behind
the skill "unknown".
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from evenhand._version import __version__
from evenhand.core.basics.methodology import DIMENSIONS, HIGHEST, LOWEST
from evenhand.core.values.scorecard import Scorecard
from evenhand.errors import InputError
from evenhand.reports.exchange.evaluator import evaluator

SCHEMA_VERSION: Final = "0.3.0"


def every_eval_ever_document(cards: Iterable[Scorecard], *, moment: int) -> dict[str, Any]:
    """The document of some scorecards; `moment` is now, in seconds since 1970. InputError if they do not belong
    together."""
    every = list(cards)
    scored = [card for card in every if card.final is not None]
    if not scored:
        raise InputError("there is nothing to export: no output has a score, and one without a score is not a zero")
    kinds = {(card.skill, card.rubric, card.receipt.rubric, tuple(sorted(card.judge.items()))) for card in scored}
    if len(kinds) > 1:
        raise InputError(
            "a document of Every Eval Ever is about one skill under one rubric by one judge, and these differ; "
            "export them one after another"
        )
    first = scored[0]
    model_info = {"name": first.skill, "id": first.skill, "additional_details": _UNKNOWN}
    finals = [card.final for card in scored if card.final is not None]
    results = [_result(first, "final", "The final score", finals, len(every) - len(scored))]
    for name in DIMENSIONS:
        scores = [score for card in scored if (score := card.dimensions[name].score) is not None]
        results.append(_result(first, name, f"The dimension {name}", scores, len(every) - len(scores)))
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{first.rubric}/{first.skill}/{moment}",
        "evaluation_timestamp": max(card.created for card in scored),
        "retrieved_timestamp": str(moment),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "evenhand",
            "version": __version__,
            "additional_details": {"methodology": first.receipt.methodology},
        },
        "model_info": model_info,
        "evaluation_results": results,
    }


_UNKNOWN: Final = {"deployment_type": "unknown", "model_availability": "unknown"}


def _result(card: Scorecard, name: str, says: str, scores: Sequence[Decimal], left_out: int) -> dict[str, Any]:
    metric: dict[str, Any] = {
        "evaluation_description": f"{says}, under the rubric {card.rubric}",
        "metric_id": f"evenhand.{name}",
        "metric_name": name,
        "metric_kind": "rubric_score",
        "metric_unit": "points",
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": LOWEST // 100,
        "max_score": HIGHEST // 100,
        "additional_details": {
            "rubric": card.rubric,
            "rubric_sha256": card.receipt.rubric,
            "evaluator_id": evaluator(card.judge).id,
            "evaluator_type": evaluator(card.judge).kind,
            "evaluator_version": evaluator(card.judge).version,
        },
    }
    if evaluator(card.judge).kind in ("model", "panel"):
        metric["llm_scoring"] = _llm_scoring(card.judge)
    return {
        "evaluation_result_id": f"{card.rubric}.{name}",
        "evaluation_name": card.rubric,
        "source_data": {"dataset_name": f"outputs of {card.skill}", "source_type": "other"},
        "metric_config": metric,
        "score_details": _score_details(scores, left_out),
    }


def _llm_scoring(judge: Mapping[str, str]) -> dict[str, Any]:
    names = judge.get("judges", judge.get("name", "")).split(" + ")
    scoring: dict[str, Any] = {
        "judges": [{"model_info": {"name": name, "id": name, "additional_details": _UNKNOWN}} for name in names],
        "input_prompt": f"sha256 {evaluator(judge).version}",
        "additional_details": {"identity": json.dumps(dict(judge), sort_keys=True)},
    }
    return scoring | ({"aggregation_method": "median"} if len(names) > 1 else {})


def _score_details(scores: Sequence[Decimal], left_out: int) -> dict[str, Any]:
    """The mean, and how sure it is from two scores on; means are exact until they are written."""
    exact = [Fraction(score) for score in scores]
    mean = sum(exact, Fraction()) / len(exact)
    uncertainty: dict[str, Any] = {"num_samples": len(exact)}
    if len(exact) > 1:
        deviation = math.sqrt(sum((score - mean) ** 2 for score in exact) / (len(exact) - 1))
        error = {"value": deviation / math.sqrt(len(exact)), "method": "analytic"}
        uncertainty |= {"standard_deviation": deviation, "standard_error": error}
    return {"score": float(mean), "details": {"without_a_score": str(left_out)}, "uncertainty": uncertainty}
