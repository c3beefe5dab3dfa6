"""Canonical bytes, and the hashes a scorecard can be recomputed from. Pure.

The canonical form is JSON with sorted keys, no white space, UTF-8, and numbers as `numbers.plain`
writes them, so that a file that was merely re-indented still hashes the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from evenhand.core.methodology import METHODOLOGY_VERSION
from evenhand.core.model import Claim, Evidence, Judgement, Opinion, Receipt, Rubric, Submission, Terms, Unscored
from evenhand.core.numbers import plain
from evenhand.core.scoring import whole_units

_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical_bytes(value: object) -> bytes:
    """The one way a plain JSON value is written for hashing."""
    return _CANONICAL.encode(value).encode()


def sha256(value: object) -> str:
    """The hash of a plain JSON value."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def canonical_submission(submission: Submission) -> dict[str, Any]:
    """What was judged: the task and the output."""
    return {"output": submission.output, "task": submission.task}


def canonical_rubric(rubric: Rubric) -> dict[str, Any]:
    """Everything of a rubric that can shape a judgement or a score."""
    return {
        "name": rubric.name,
        "title": rubric.title,
        "domain": rubric.domain,
        "version": rubric.version,
        "summary": rubric.summary,
        "weights": {name: plain(weight) for name, weight in rubric.weights.items()},
        "pass_mark": plain(rubric.pass_mark),
        "pass_mark_reason": rubric.pass_mark_reason,
        "dimensions": {
            name: {
                "measures": criteria.measures,
                "bands": [{"low": b.low, "high": b.high, "criteria": b.criteria} for b in criteria.bands],
            }
            for name, criteria in rubric.dimensions.items()
        },
        "red_flags": [
            {"id": flag.id, "description": flag.description, "deduction": plain(flag.deduction)}
            for flag in rubric.red_flags
        ],
        "bonuses": [{"id": bonus.id, "description": bonus.description} for bonus in rubric.bonuses],
    }


def canonical_judgement(judgement: Judgement) -> dict[str, Any]:
    """What a judge said of a skill's output; not its id, nor what checking its quotes found."""
    return {
        "skill": judgement.skill,
        "judge": dict(judgement.judge),
        "scores": {name: _opinion(said) for name, said in judgement.opinions.items()},
        "red_flags": [_claim(said) for said in judgement.red_flags],
        "bonuses": [_claim(said) for said in judgement.bonuses],
    }


def terms_of(rubric: Rubric) -> Terms:
    """The part of a rubric that the arithmetic uses, with the hash of all of it."""
    units, scale = whole_units(rubric.weights)
    return Terms(
        rubric=rubric.name,
        sha256=sha256(canonical_rubric(rubric)),
        weights=rubric.weights,
        pass_mark=rubric.pass_mark,
        red_flags={flag.id: flag for flag in rubric.red_flags},
        bonuses={bonus.id: bonus for bonus in rubric.bonuses},
        units=units,
        scale=scale,
    )


def receipt_for(judgement: Judgement, terms: Terms, submission: Submission | None) -> Receipt:
    """The hashes of everything a scorecard depends on. `judgement` must be settled."""
    return Receipt(
        methodology=METHODOLOGY_VERSION,
        rubric=terms.sha256,
        judgement=sha256(canonical_judgement(judgement)),
        submission=None if submission is None else sha256(canonical_submission(submission)),
    )


def field_digests(document: Mapping[str, Any]) -> dict[str, str]:
    """A short hash of every field of a scorecard's document, each dimension apart, so that a change can be named."""
    digests = {}
    for field, value in document.items():
        if field == "receipt":
            continue
        if field == "dimensions":
            digests.update({f"dimensions.{name}": _digest(line) for name, line in value.items()})
        else:
            digests[field] = _digest(value)
    return digests


def _digest(value: object) -> str:
    return hashlib.sha256(canonical_bytes(value)).hexdigest()[:16]


def _opinion(said: Opinion) -> dict[str, Any]:
    verdict = {"unscored": said.score.reason} if isinstance(said.score, Unscored) else {"score": plain(said.score)}
    return {**verdict, "justification": said.justification, "evidence": _quotes(said.evidence)}


def _claim(said: Claim) -> dict[str, Any]:
    return {"id": said.id, "explanation": said.explanation, "evidence": _quotes(said.evidence)}


def _quotes(evidence: tuple[Evidence, ...]) -> list[str]:
    return [each.quote for each in evidence]
