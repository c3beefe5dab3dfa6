"""Canonical text, and the hashes from which a scorecard can be recomputed. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from typing import Any
from zlib import crc32

from evenhand.core.bounds import finding_id
from evenhand.core.finding import Checked, Ended, Expected, Finding, Lifted, Place
from evenhand.core.judgement import (
    Claim,
    Evidence,
    Judgement,
    Member,
    Opinion,
    Panel,
    Unscored,
    Verdict,
    distributions_document,
    verdicts_document,
)
from evenhand.core.numbers import plain
from evenhand.core.rubric import RAW, Bonus, Criteria, RedFlag, Rubric, Terms
from evenhand.core.rules import DIMENSIONS, METHODOLOGY_VERSION
from evenhand.core.scorecard import Receipt
from evenhand.core.scoring import make_terms

# --- canonical -------------------------------------------------------------------------------------------------------
# Canonical JSON text, from which everything is hashed. Pure.
#
# Sorted keys, no white space, UTF-8, strings escaped only where JSON demands it, numbers in their shortest decimal
# form (8, 7.5). A file that was merely re-indented therefore hashes the same.


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


_NOTHING = {type(None): "null", list: "[]", dict: "{}"}
"""Common empty values, written without the encoder."""


def canonical_text(value: object) -> str:
    """A plain JSON value as the text that is hashed."""
    return _ENCODER.encode(value) if value or type(value) not in _NOTHING else _NOTHING[type(value)]


def sha256(text: str) -> str:
    """The hash of a canonical text."""
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_of(parts: Iterable[str]) -> str:
    """The hash of a canonical text that is given in parts, and is never whole in memory."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
    return digest.hexdigest()


def checksum(text: str) -> str:
    """A short checksum that shows what changed. Like any unkeyed hash, it guards against accidents, not tampering."""
    return crc32(text.encode()).to_bytes(4, "big").hex()  # half the time of formatting the number


@lru_cache(maxsize=4096)
def number_text(number: Decimal) -> str:
    """A number in canonical form."""
    return repr(plain(number))


def names_text(names: Mapping[str, str]) -> str:
    """An object of texts in canonical form. Cached: the same few, such as a judge's identity, recur."""
    return _names_text(tuple(names.items()))


@lru_cache(maxsize=256)
def _names_text(items: tuple[tuple[str, str], ...]) -> str:
    return canonical_text(dict(items))


__all__ = ["canonical_text", "checksum", "names_text", "number_text", "quoted", "sha256"]


# --- receipt ---------------------------------------------------------------------------------------------------------
# What of a submission, a rubric and a judgement is hashed, and the receipt made of it. Pure.


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
                **_tree(criteria),
            }
            for name, criteria in rubric.dimensions.items()
        },
        "red_flags": [
            {"id": flag.id, "description": flag.description, "deduction": plain(flag.deduction), **_detect(flag)}
            for flag in rubric.red_flags
        ],
        "bonuses": [{"id": bonus.id, "description": bonus.description, **_detect(bonus)} for bonus in rubric.bonuses],
        **({} if rubric.official == RAW else {"official": rubric.official}),
    }


def _tree(criteria: Criteria) -> dict[str, Any]:
    if criteria.tree is None:  # left out, so that the hashes of rubrics without criteria still hold
        return {}
    from evenhand.core.criteria import tree_document  # few rubrics have any

    return {"criteria": tree_document(criteria.tree)}


def _detect(listed: RedFlag | Bonus) -> dict[str, str]:
    return {"detect": listed.detect} if listed.detect else {}


def canonical_judgement(judgement: Judgement) -> str:
    """A judgement as canonical text, without its id and without the results of checking its quotes."""
    scores = [f'"{name}":{_opinion(judgement.opinions[name])}' for name in _SORTED]
    return (
        f'{{"bonuses":{_claims(judgement.bonuses)},{_checked(judgement.checked)}"judge":{names_text(judgement.judge)},{_panel(judgement.panel)}'
        f'"red_flags":{_claims(judgement.red_flags)},"scores":{{{",".join(scores)}}},"skill":{quoted(judgement.skill)}}}'
    )


def terms_of(rubric: Rubric) -> Terms:
    """The part of a rubric that the arithmetic uses, with the hash of all of it."""
    return make_terms(
        rubric=rubric.name,
        sha256=sha256(canonical_text(canonical_rubric(rubric))),
        weights=rubric.weights,
        pass_mark=rubric.pass_mark,
        red_flags=rubric.red_flags,
        bonuses=rubric.bonuses,
        criteria=criteria_of(rubric),
        official=rubric.official,
        trees={name: criteria.tree for name, criteria in rubric.dimensions.items() if criteria.tree is not None},
    )


def criteria_of(rubric: Rubric) -> dict[str, str]:
    """A checksum of each thing a judge is asked about, to detect later what has changed."""
    criteria_texts: dict[str, Any] = {"summary": [rubric.title, rubric.domain, rubric.summary]}
    criteria_texts |= {
        name: [criteria.measures, criteria.bands, *_tree(criteria).values()]
        for name, criteria in rubric.dimensions.items()
    }
    criteria_texts |= {f"red_flags.{flag.id}": flag.description for flag in rubric.red_flags}
    criteria_texts |= {f"bonuses.{bonus.id}": bonus.description for bonus in rubric.bonuses}
    return {name: checksum(canonical_text(value)) for name, value in criteria_texts.items()}


def receipt_for(judgement: Judgement, terms: Terms, submission: str | None) -> Receipt:
    """The hashes of all that a scorecard depends on: of the judgement, which must be settled, of the rubric behind the
    terms, and the one given of what was judged."""
    return Receipt(
        methodology=METHODOLOGY_VERSION,
        rubric=terms.sha256,
        judgement=sha256(canonical_judgement(judgement)),
        submission=submission,
    )


_SORTED = sorted(DIMENSIONS)


def _checked(checked: Checked | None) -> str:
    """The results of checks and expectations, as published: a score may depend on any of them."""
    if checked is None:
        return ""
    whole: dict[str, Any] = {
        "checks": checked.checks,
        "coverage": list(checked.coverage),
        "findings": [finding_document(finding) for finding in checked.findings],
        "uncapped": {name: plain(score) for name, score in checked.uncapped.items()},
    }
    if checked.endings:
        whole["endings"] = [ended_document(ended) for ended in checked.endings]
    if checked.expectations:
        whole["expectations"] = [expected_document(expected) for expected in checked.expectations]
    if checked.lifted:
        whole["lifted"] = [lifted_document(lifted) for lifted in checked.lifted]
    return f'"checked":{canonical_text(whole)},'


def finding_document(finding: Finding) -> dict[str, Any]:
    """A finding as published, with its id."""
    document: dict[str, Any] = {
        "id": finding_id(finding),
        "check": finding.check,
        "dimension": finding.dimension,
        "severity": finding.severity,
        "message": finding.message,
        **_quoted_at(finding.quote, finding.place, finding.offset, finding.line),
    }
    if finding.quote:
        document["verified"] = finding.verified
    document["precise"] = finding.precise
    if finding.flag:
        document["red_flag"] = finding.flag
    if finding.note:
        document["note"] = True
    if finding.shown:
        document["event"] = finding.shown
    if finding.shown_at is not None:
        parts = {"event_source": finding.shown_at.file, "event_line": finding.shown_at.line}
        document |= {key: part for key, part in parts.items() if part is not None}
    return document


def expected_document(expected: Expected) -> dict[str, Any]:
    """An expectation with its result, as published."""
    document: dict[str, Any] = {
        "expectation": expected.words,
        "result": expected.result,
        "dimension": expected.dimension,
        "severity": expected.severity,
        "message": expected.message,
        **_quoted_at(expected.quote, expected.place, expected.offset, expected.line_of_quote),
    }
    if expected.by:
        document["by"] = expected.by
    return document | ({"votes": dict(expected.votes)} if expected.votes else {})


def ended_document(ended: Ended) -> dict[str, Any]:
    """How a thing ended, as published."""
    document: dict[str, Any] = {"thing": ended.thing, "what": ended.what, "outcome": ended.outcome}
    document |= _quoted_at(ended.quote, ended.place, None, None)
    return document | ({"open": True} if ended.open else {})


def lifted_document(lifted: Lifted) -> dict[str, Any]:
    """A fault that no longer counts, as published."""
    return {"finding": lifted.finding, "by": lifted.by, "reason": lifted.reason}


def _quoted_at(quote: str, place: Place | None, offset: int | None, line: int | None) -> dict[str, Any]:
    """A quote, and where it is: in the transcript's file, or in the output."""
    parts: dict[str, Any] = {"quote": quote or None}
    if place is not None:
        parts |= {"source": place.file, "source_line": place.line}
    else:
        parts |= {"offset": offset, "line": line}
    return {name: part for name, part in parts.items() if part is not None}


def _panel(panel: Panel | None) -> str:
    """The part of a panel that belongs to the judgement: the judges' scores and claims, and the quorum."""
    if panel is None:
        return ""
    members = [member_document(member) for member in panel.members]
    return f'"panel":{canonical_text({"members": members, "quorum": panel.quorum})},'


def member_document(member: Member) -> dict[str, Any]:
    """One judge of a panel, as published."""
    document = {
        "judge": dict(member.judge),
        **verdicts_document(member.scores),
        "distributions": distributions_document(member.distributions),
        "red_flags": list(member.red_flags),
        "bonuses": list(member.bonuses),
        "abstained": member.abstained,
    }
    return document | ({"verdicts": dict(member.verdicts)} if member.verdicts else {})


def _opinion(opinion: Opinion) -> str:
    score, justification, evidence, _, verdicts = opinion
    if isinstance(score, Unscored):
        verdict = f'"unscored":{quoted(score.reason)}'
    else:
        verdict = f'"score":{number_text(score)}'
    if verdicts:
        verdict += f',"verdicts":{_verdicts(verdicts)}'
    return f'{{"evidence":{_quotes(evidence)},"justification":{quoted(justification)},{verdict}}}'


def _verdicts(verdicts: Mapping[str, Verdict]) -> str:
    """The answers, reasons and quotes; whether the quotes were found is not part of a judgement."""
    return canonical_text(
        {
            id: [verdict.answer, verdict.reason, [quote.quote for quote in verdict.evidence], verdict.by, verdict.votes]
            for id, verdict in verdicts.items()
        }
    )


def _claims(claims: tuple[Claim, ...]) -> str:
    return f"[{','.join(map(_claim, claims))}]" if claims else "[]"


def _claim(claim: Claim) -> str:
    return f'{{"evidence":{_quotes(claim.evidence)},"explanation":{quoted(claim.explanation)},"id":{quoted(claim.id)}}}'


def _quotes(evidence: tuple[Evidence, ...]) -> str:
    return f"[{','.join([quoted(item.quote) for item in evidence])}]" if evidence else "[]"
