"""Whole rubrics by their hash, where the store or this machine has the text, and how two of them differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from evenhand.core.numbers import plain
from evenhand.core.receipt import sha256, terms_of
from evenhand.core.rubric import Bonus, RedFlag, Rubric
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.judging.kept.rubric_versions import Difference, KnownVersion, percent
from evenhand.rubrics import library
from evenhand.rubrics.resolved import installed, rubric_used
from evenhand.store.protocol import Store

ABSENT: Final = "not there"
EMPTY: Final = "empty"


def whole_rubric(store: Store, name: str, digest: str) -> Rubric | None:
    """The rubric with this hash: kept for a round of review or an anchor, or the one of this name on this machine."""
    text = store.kept_rubric(digest)
    if text is not None and sha256(text) == digest:  # one that was changed is not the rubric of any scorecard
        return library.rubric_from(json.loads(text, parse_float=Decimal, parse_int=Decimal))
    return installed(name, digest)


def rubric_of_card(card: Scorecard, store: Store | None = None) -> Rubric | None:
    """The whole rubric that a scorecard was made with, where its text is at hand."""
    rubric = rubric_used(card)
    return rubric if rubric or store is None else whole_rubric(store, card.rubric, card.receipt.rubric)


def known_whole(rubric: Rubric) -> KnownVersion:
    """A whole rubric in place of what scorecards show of one."""
    terms = terms_of(rubric)
    return KnownVersion(
        terms.sha256,
        rubric.pass_mark,
        rubric.weights,
        {flag.id: (flag.description, flag.deduction) for flag in rubric.red_flags},
        {bonus.id: (bonus.description, None) for bonus in rubric.bonuses},
        {},
    )


def rubric_differences(before: Rubric, after: Rubric) -> list[Difference]:
    """Everything that differs between two versions of a rubric, in the order of a rubric file."""
    old, new = _facts(before), _facts(after)
    changes = [
        Difference(what, old.get(what, ABSENT) or EMPTY, new.get(what, ABSENT) or EMPTY)
        for what in dict.fromkeys((*old, *new))
        if old.get(what, ABSENT) != new.get(what, ABSENT)
    ]
    changes += _claim_differences("red flag", before.red_flags, after.red_flags)
    changes += _claim_differences("bonus", before.bonuses, after.bonuses)
    return changes


def _facts(rubric: Rubric) -> dict[str, str]:
    """What a rubric says about itself and its dimensions, by kind."""
    facts = {
        "title": rubric.title,
        "version": rubric.version,
        "domain": rubric.domain,
        "introduction": rubric.summary,
        "pass mark": f"{plain(rubric.pass_mark)}",
        "reason for the pass mark": rubric.pass_mark_reason,
        "official score": rubric.official,
    }
    facts |= {f"weight of {name}": percent(rubric.weights[name]) for name in DIMENSIONS}
    for name in DIMENSIONS:
        criteria = rubric.dimensions[name]
        facts[f"what {name} measures"] = criteria.measures
        facts |= {f"{name}, {band.low} to {band.high}": band.criteria for band in criteria.bands}
    return facts


def _claim_differences(
    kind: str, before: Sequence[RedFlag | Bonus], after: Sequence[RedFlag | Bonus]
) -> Iterator[Difference]:
    old, new = ({claim.id: _claim_facts(claim) for claim in claims} for claims in (before, after))
    for id in dict.fromkeys((*old, *new)):
        if id not in old or id not in new:
            yield Difference(f"{kind} {id}", *(facts.get(id, {}).get("description", ABSENT) for facts in (old, new)))
            continue
        for what in dict.fromkeys((*old[id], *new[id])):
            was, now = old[id].get(what, ABSENT), new[id].get(what, ABSENT)
            if was != now:
                yield Difference(f"{what} of {kind} {id}", was, now)


def _claim_facts(claim: RedFlag | Bonus) -> Mapping[str, str]:
    facts = {"amount": f"{plain(claim.deduction)}"} if isinstance(claim, RedFlag) else {}
    facts["description"] = claim.description
    if claim.detect:
        facts["check"] = claim.detect
    return facts
