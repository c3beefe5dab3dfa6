"""Scorecards, rankings and rubrics as the JSON documents that are published. Pure.

A scorecard is written as text straight away, each field in canonical form, because the receipt
hashes every field and because there may be a million of them. `shapes` says what the fields are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from evenhand.core.basics.canonical import canonical_text, checksum, names_text, number_text, quoted, sha256
from evenhand.core.basics.numbers import plain
from evenhand.core.documents.receipt import canonical_rubric
from evenhand.core.values.opinion import Evidence
from evenhand.core.values.ranking import Ranking
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import (
    AuditLine,
    Award,
    Deduction,
    NextStep,
    Receipt,
    Scorecard,
    ScoredDimension,
)


def scorecard_document(card: Scorecard, *, audit: bool = False) -> dict[str, Any]:
    """A scorecard in its published shape (`shapes.ScorecardDocument`), receipt and all."""
    document: dict[str, Any] = json.loads(scorecard_json(card, audit=audit))
    return document


def scorecard_json(card: Scorecard, *, audit: bool = False) -> str:
    """A scorecard's document as one line of JSON; with `audit`, every line of its arithmetic too."""
    dimensions = {name: _dimension(line) for name, line in card.dimensions.items()}
    red_flags = {flag.id: _flag(flag) for flag in card.red_flags}
    bonuses = {award.id: _award(award) for award in card.bonuses}
    own = _own_fields(card)
    panel, checksums = _panel(card)
    digests = [f'"{name}":"{checksum(text)}"' for name, text in own.items()]
    digests += [f'"dimensions.{name}":"{checksum(text)}"' for name, text in dimensions.items()]
    digests += [f'{quoted("red_flags." + id)}:"{checksum(text)}"' for id, text in red_flags.items()]
    digests += [f'{quoted("bonuses." + id)}:"{checksum(text)}"' for id, text in bonuses.items()]
    digests += [f'"{name}":"{digest}"' for name, digest in checksums.items()]
    explained = _audit(card) if audit else None
    digests += [f'"audit":"{checksum(explained)}"'] if explained else []
    lines = ",".join([f'"{name}":{text}' for name, text in dimensions.items()])
    grade = card.grade
    return (
        f'{{"schema":"evenhand/scorecard/v1","id":{own["id"]},"skill":{own["skill"]},"created":{own["created"]},'
        f'"rubric":{own["rubric"]},"methodology":{quoted(card.receipt.methodology)},"judge":{own["judge"]},'
        f'"dimensions":{{{lines}}},"composite":{_maybe(card.composite)},'
        f'"red_flags":{_list(red_flags.values())},"deduction":{_total(card.deduction)},'
        f'"after_deductions":{_maybe(card.after_deductions)},'
        f'"bonuses":{_list(bonuses.values())},"bonus":{_total(card.bonus)},"final":{_maybe(card.final)},'
        f'"grade":{quoted(grade.letter) if grade else "null"},"label":{quoted(grade.label) if grade else "null"},'
        f'"pass_mark":{own["pass_mark"]},"passed":{_YES_NO[card.passed]},'
        f'"next_step":{_next_step(card.next_step)},"warnings":{own["warnings"]}{_rarer_fields(card, own, explained)}'
        f'{panel},"receipt":{_receipt(card.receipt, digests)}}}'
    )


def _own_fields(card: Scorecard) -> dict[str, str]:
    """The fields that nothing else on the scorecard can vouch for, so that the receipt holds a checksum of each."""
    own = {
        "id": quoted(card.id),
        "skill": quoted(card.skill),
        "created": quoted(card.created),
        "rubric": f'{{"name":{quoted(card.rubric)},"sha256":{quoted(card.receipt.rubric)}}}',
        "judge": names_text(card.judge),
        "pass_mark": number_text(card.pass_mark),
        "warnings": _list([quoted(each) for each in card.warnings]),
    }
    if card.task is not None:
        own["task"] = quoted(card.task)
    if card.output is not None:
        own["output"] = quoted(card.output)
    if card.evidence_share is not None:
        own["evidence_share"] = number_text(card.evidence_share)
    if card.rescored_from is not None:
        own["rescored_from"] = quoted(card.rescored_from)
    own["history"] = "null"
    if card.history is not None:
        from evenhand.core.documents.history import history_json  # only where there is a store

        own["history"] = history_json(card.history)
    return own


def _panel(card: Scorecard) -> tuple[str, dict[str, str]]:
    """How models came to the judgement, after a comma, and the checksums of its parts."""
    if card.panel is None or card.agreement is None:
        return "", {}
    from evenhand.core.documents.panel import panel_json  # only where models judged

    text, checksums = panel_json(card.panel, card.agreement)
    return f',"panel":{text}', checksums


def _audit(card: Scorecard) -> str:
    from evenhand.core.method.audit import audit as audit_lines  # few scorecards are explained

    return _list([_audit_line(line) for line in audit_lines(card)])


def _rarer_fields(card: Scorecard, own: dict[str, str], audit: str | None) -> str:
    """The fields that not every scorecard has, each after a comma."""
    text = "".join([f',"{name}":{own[name]}' for name in _RARER if name in own])
    if card.interval is not None:
        low, high = map(quoted, card.interval.grades)
        ends = f'"high":{number_text(card.interval.high)},"low":{number_text(card.interval.low)}'
        text += f',"interval":{{"grades":[{low},{high}],{ends}}}'
    if audit:
        text += f',"audit":{audit}'
    return text


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


_RARER = ("task", "output", "evidence_share", "rescored_from", "history")

_YES_NO = {True: "true", False: "false", None: "null"}

FOLLOWING = frozenset(
    "schema methodology dimensions composite red_flags deduction after_deductions bonuses bonus final grade label "
    "interval passed next_step audit panel receipt".split()
)
"""The fields that follow from the others, or are checked part by part."""


def field_digests(document: dict[str, Any]) -> dict[str, str]:
    """What `receipt.fields` should hold for a document: a checksum of each field that cannot be recomputed.

    What is not of the right shape has no checksum, and so differs from what was written.
    """
    digests = {name: checksum(canonical_text(value)) for name, value in document.items() if name not in FOLLOWING}
    for part in ("dimensions", "red_flags", "bonuses"):
        for name, line in _parts(document.get(part)):
            digests[f"{part}.{name}"] = checksum(canonical_text(line))
    if "audit" in document:
        digests["audit"] = checksum(canonical_text(document["audit"]))
    if "panel" in document:
        from evenhand.core.documents.panel import panel_checksums

        digests |= panel_checksums(document["panel"])
    if isinstance(document.get("receipt"), dict):
        hashes = {name: each for name, each in document["receipt"].items() if name != "fields"}
        digests["receipt"] = checksum(canonical_text(hashes))
    return digests


def _parts(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    if not isinstance(value, list):
        return []
    return [(item["id"], item) for item in value if isinstance(item, dict) and isinstance(item.get("id"), str)]


def _receipt(receipt: Receipt, digests: list[str]) -> str:
    submission = "null" if receipt.submission is None else f'"{receipt.submission}"'
    hashes = (
        f'"judgement":"{receipt.judgement}","methodology":{quoted(receipt.methodology)},'
        f'"rubric":"{receipt.rubric}","submission":{submission}'
    )
    own = f'"receipt":"{checksum("{" + hashes + "}")}"'
    return f'{{{hashes},"fields":{{{",".join([*digests, own])}}}}}'


def _dimension(line: ScoredDimension) -> str:
    score, unscored, weight, points, justification, evidence = line
    if score is None or points is None:
        numbers = f'"points":null,"score":null,"unscored":{quoted(unscored or "")},"weight":{number_text(weight)}'
    else:
        numbers = _numbers(points, score, weight)
    return f'{{"evidence":{_evidence(evidence)},"justification":{quoted(justification)},{numbers}}}'


@lru_cache(maxsize=16_384)
def _numbers(points: Decimal, score: Decimal, weight: Decimal) -> str:
    return f'"points":{number_text(points)},"score":{number_text(score)},"weight":{number_text(weight)}'


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
    quote, verified, line, offset, source = evidence
    if source is not None:
        return f'{{"quote":{quoted(quote)},"source":{quoted(source)},"verified":{_YES_NO[verified]}}}'
    place = f'"line":{line},"offset":{offset},' if verified else ""
    return f'{{{place}"quote":{quoted(quote)},"verified":{_YES_NO[verified]}}}'


@lru_cache(maxsize=4096)
def _next_step(step: NextStep | None) -> str:
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


def _list(texts: Iterable[str]) -> str:
    return f"[{','.join(texts)}]"
