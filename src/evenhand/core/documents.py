"""Scorecards, rankings and rubrics as the JSON documents that are published. Pure.

A scorecard is written as text straight away, each field in canonical form, because the receipt
hashes every field and because there may be a million of them. `shapes` says what the fields are.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from evenhand.core.canonical import canonical_text, number_text, quoted, sha256
from evenhand.core.model import (
    AuditLine,
    Award,
    Deduction,
    Evidence,
    Ranking,
    Receipt,
    Rubric,
    Scorecard,
    ScoredDimension,
)
from evenhand.core.numbers import plain
from evenhand.core.receipt import canonical_rubric


def scorecard_document(card: Scorecard) -> dict[str, Any]:
    """A scorecard in its published shape (`shapes.ScorecardDocument`), receipt and all."""
    document: dict[str, Any] = json.loads(scorecard_json(card))
    return document


def scorecard_json(card: Scorecard) -> str:
    """A scorecard's document as one line of JSON."""
    dimensions = {name: _dimension(line) for name, line in card.dimensions.items()}
    grade = card.grade
    fields = {
        "schema": '"evenhand/scorecard/v1"',
        "id": quoted(card.id),
        "skill": quoted(card.skill),
        "created": quoted(card.created),
        "rubric": f'{{"name":{quoted(card.rubric)},"sha256":{quoted(card.receipt.rubric)}}}',
        "methodology": quoted(card.receipt.methodology),
        "judge": canonical_text(dict(card.judge)),
        "dimensions": "{" + ",".join([f'"{name}":{text}' for name, text in dimensions.items()]) + "}",
        "composite": _maybe(card.composite),
        "red_flags": _list([_flag(flag) for flag in card.red_flags]),
        "deduction": _total(card.deduction),
        "after_deductions": _maybe(card.after_deductions),
        "bonuses": _list([_award(award) for award in card.bonuses]),
        "bonus": _total(card.bonus),
        "final": _maybe(card.final),
        "grade": quoted(grade.letter) if grade else "null",
        "label": quoted(grade.label) if grade else "null",
        "pass_mark": number_text(card.pass_mark),
        "passed": {True: "true", False: "false", None: "null"}[card.passed],
        "next_step": _next_step(card),
        "audit": _list([_audit_line(line) for line in card.audit]),
        "warnings": _list([quoted(each) for each in card.warnings]),
    }
    if card.task is not None:
        fields["task"] = quoted(card.task)
    if card.output is not None:
        fields["output"] = quoted(card.output)
    if card.interval is not None:
        low, high = map(quoted, card.interval.grades)
        ends = f'"high":{number_text(card.interval.high)},"low":{number_text(card.interval.low)}'
        fields["interval"] = f'{{"grades":[{low},{high}],{ends}}}'
    fields["receipt"] = _receipt(card.receipt, fields, dimensions)
    return "{" + ",".join([f'"{name}":{text}' for name, text in fields.items()]) + "}"


def ranking_document(ranking: Ranking) -> dict[str, Any]:
    """A ranking in its published shape (`shapes.RankingDocument`)."""
    return {
        "schema": "evenhand/ranking/v1",
        "entries": [
            {**entry._asdict(), "final": plain(entry.final), "equivalent_to": list(entry.equivalent_to)}
            for entry in ranking.entries
        ],
        "unranked": [each._asdict() for each in ranking.unranked],
        "warnings": list(ranking.warnings),
    }


def rubric_document(rubric: Rubric) -> dict[str, Any]:
    """A rubric in its published shape (`shapes.RubricDocument`)."""
    canonical = canonical_rubric(rubric)
    return {"schema": "evenhand/rubric/v1", **canonical, "sha256": sha256(canonical_text(canonical))}


def field_digests(document: dict[str, Any]) -> dict[str, str]:
    """What `receipt.fields` should hold for a document: a short hash of every field, each dimension apart."""
    digests = {}
    for field, value in document.items():
        if field == "receipt":
            digests[field] = _digest(canonical_text({name: each for name, each in value.items() if name != "fields"}))
        elif field == "dimensions":
            digests.update({f"dimensions.{name}": _digest(canonical_text(line)) for name, line in value.items()})
        else:
            digests[field] = _digest(canonical_text(value))
    return digests


def _receipt(receipt: Receipt, fields: dict[str, str], dimensions: dict[str, str]) -> str:
    submission = "null" if receipt.submission is None else quoted(receipt.submission)
    hashes = (
        f'"judgement":{quoted(receipt.judgement)},"methodology":{quoted(receipt.methodology)},'
        f'"rubric":{quoted(receipt.rubric)},"submission":{submission}'
    )
    digests = [f'"{name}":"{_digest(text)}"' for name, text in fields.items() if name != "dimensions"]
    digests += [f'"dimensions.{name}":"{_digest(text)}"' for name, text in dimensions.items()]
    digests.append(f'"receipt":"{_digest("{" + hashes + "}")}"')
    return f'{{{hashes},"fields":{{{",".join(digests)}}}}}'


def _digest(text: str) -> str:
    return _short_digest(text) if len(text) < 100 else sha256(text)[:16]


@lru_cache(maxsize=4096)
def _short_digest(text: str) -> str:
    """Most fields of most scorecards of a run are the same few short texts."""
    return sha256(text)[:16]


def _dimension(line: ScoredDimension) -> str:
    unscored = "" if line.unscored is None else f'"unscored":{quoted(line.unscored)},'
    return (
        f'{{"evidence":{_evidence(line.evidence)},"justification":{quoted(line.justification)},'
        f'"points":{_maybe(line.points)},"score":{_maybe(line.score)},{unscored}"weight":{number_text(line.weight)}}}'
    )


def _flag(flag: Deduction) -> str:
    return (
        f'{{"deduction":{number_text(flag.deduction)},"description":{quoted(flag.description)},'
        f'"evidence":{_evidence(flag.evidence)},"explanation":{quoted(flag.explanation)},"id":{quoted(flag.id)}}}'
    )


def _award(award: Award) -> str:
    return (
        f'{{"bonus":{number_text(award.bonus)},"description":{quoted(award.description)},'
        f'"evidence":{_evidence(award.evidence)},"explanation":{quoted(award.explanation)},"id":{quoted(award.id)}}}'
    )


def _evidence(evidence: tuple[Evidence, ...]) -> str:
    return _list([_quote(each) for each in evidence]) if evidence else "[]"


def _quote(evidence: Evidence) -> str:
    if evidence.verified:
        place = f'"line":{evidence.line},"offset":{evidence.offset}'
        return f'{{{place},"quote":{quoted(evidence.quote)},"verified":true}}'
    return f'{{"quote":{quoted(evidence.quote)},"verified":{"null" if evidence.verified is None else "false"}}}'


def _next_step(card: Scorecard) -> str:
    step = card.next_step
    if step is None:
        return "null"
    dimension = "null" if step.dimension is None else quoted(step.dimension)
    next_grade = "null" if step.next_grade is None else quoted(step.next_grade)
    return (
        f'{{"dimension":{dimension},"distance":{number_text(step.distance)},"final":{number_text(step.final)},'
        f'"gain":{number_text(step.gain)},"grade":{quoted(step.grade)},"next_grade":{next_grade}}}'
    )


def _audit_line(line: AuditLine) -> str:
    return f'{{"rule":"{line.rule}","text":{quoted(line.text)}}}'


def _total(total: Any) -> str:
    return f'{{"applied":{number_text(total.applied)},"nominal":{number_text(total.nominal)}}}'


def _maybe(number: Any) -> str:
    return "null" if number is None else number_text(number)


def _list(texts: list[str]) -> str:
    return f"[{','.join(texts)}]"
