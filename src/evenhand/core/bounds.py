"""What the faults that checks found bound and cap. Pure.

Checks have not read the work, so they never give a score, and notes, the findings of checks that were not measured,
count for nothing here. A fault bounds its dimension from above, by the bands that every rubric has; the lowest bound
applies. Where no one has read the work, every fault sets a bound. When models or the agent itself scored it, only
faults from checks known to be precise cap the scores. A person's scores are never capped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final
from zlib import crc32

from evenhand.core.finding import Bound, Checked, Finding, Severity
from evenhand.core.judgement import Claim, Distribution, Evidence, Judgement, Opinion, Unscored
from evenhand.core.numbers import hundredths, points
from evenhand.core.rubric import Terms
from evenhand.core.scorecard import Scorecard

HIGHEST_WITH: Final[Mapping[Severity, int]] = {"minor": 800, "major": 600, "critical": 400}
"""Hundredths: the most a dimension can reach with a fault of each severity."""

NOT_READ: Final = "no one has read this output"
"""Why a dimension has no score when only checks ran."""

NONE_READ: Final = "no one has read these outputs"
"""The reason for several outputs."""

ONLY_CRITERIA: Final = "only the criteria were asked"
"""Why a dimension has no score where sentences were given and no rubric."""


EXPECTATION: Final = "expectation"
"""What set a bound, when it was not a check."""

CONTRADICTS: Final = 700
"""From this score on, a fault in the same dimension contradicts a person's judgement."""


def says_unread(reason: str) -> bool:
    """Whether the stored reason for a missing score is that no one was asked for one, and not: asked, but unscored."""
    return reason in ("", NOT_READ, ONLY_CRITERIA)


def unread_reason(card: Scorecard) -> str:
    """Why a scorecard without scores has none: only criteria were asked about, or no one has read the output."""
    return ONLY_CRITERIA if any(line.unscored == ONLY_CRITERIA for line in card.dimensions.values()) else NOT_READ


def _checksum(text: str) -> str:
    return crc32(text.encode()).to_bytes(4, "big").hex()


def finding_id(finding: Finding) -> str:
    """A short name that stays the same as long as the fault is the same."""
    return f"{finding.check}-{_checksum(finding.quote or finding.message)}"


def unread(judgement: Judgement) -> bool:
    """Whether checks ran and no one scored anything."""
    return judgement.checked is not None and not any(
        isinstance(opinion.score, Decimal) for opinion in judgement.opinions.values()
    )


def by_person(judgement: Judgement) -> bool:
    """Whether a person judged, whose scores are never capped: neither models nor the agent itself did."""
    return judgement.panel is None and not judgement.judge.get("name", "").startswith(("agent:", "checks"))


def bounds_of(judgement: Judgement) -> dict[str, Bound]:
    """The bound of each dimension that has one."""
    if judgement.checked is None or by_person(judgement):
        return {}
    lowest: dict[str, tuple[int, list[str]]] = {}
    for dimension, severity, check in _limiting(judgement.checked, alone=unread(judgement)):
        limit = HIGHEST_WITH[severity]
        so_far, checks = lowest.get(dimension, (limit + 1, []))
        if limit < so_far:
            lowest[dimension] = (limit, [check])
        elif limit == so_far and check not in checks:
            checks.append(check)
    return {name: Bound(points(limit), tuple(checks)) for name, (limit, checks) in lowest.items()}


def _limiting(checked: Checked, *, alone: bool) -> Iterator[tuple[str, Severity, str]]:
    """Every fault and unmet expectation that bounds a dimension, with the check that found it."""
    for finding in _counting(checked, alone=alone):
        assert finding.severity is not None
        yield finding.dimension, finding.severity, finding.check
    for expected in checked.expectations:
        if expected.result == "unmet" and not expected.by:
            yield expected.dimension, expected.severity, EXPECTATION


def caps_of(bounds: Mapping[str, Bound]) -> dict[str, int]:
    """In hundredths, for arithmetic."""
    return {name: hundredths(bound.at_most) for name, bound in bounds.items()}


def bounded(judgement: Judgement, terms: Terms) -> Judgement:
    """The judgement with its checks taken into account: flags raised by `detect:`, scores capped, conflicts noted."""
    if judgement.checked is None:
        return judgement
    if by_person(judgement):
        return judgement._replace(warnings=(*judgement.warnings, *_contradictions(judgement)))
    judgement = _flagged(judgement, terms)
    caps = caps_of(bounds_of(judgement))
    opinions, uncapped = {}, {}
    for name, opinion in judgement.opinions.items():
        opinions[name] = opinion
        if name in caps and isinstance(opinion.score, Decimal) and hundredths(opinion.score) > caps[name]:
            uncapped[name] = opinion.score
            opinions[name] = _capped(opinion, caps[name])
    if not uncapped:
        return judgement
    assert judgement.checked is not None
    return judgement._replace(opinions=opinions, checked=judgement.checked._replace(uncapped=uncapped))


def decisive_findings(judgement: Judgement, terms: Terms) -> list[Finding]:
    """The faults that would change a reader's judgement: they cap a score, or raise a flag that no one else raised."""
    if judgement.checked is None or unread(judgement) or by_person(judgement):
        return []
    detected = {flag.detect for flag in terms.red_flags.values() if flag.detect}
    decisive = []
    for finding in _counting(judgement.checked, alone=False):
        assert finding.severity is not None
        score = judgement.opinions[finding.dimension].score
        above = isinstance(score, Decimal) and hundredths(score) > HIGHEST_WITH[finding.severity]
        if finding.check in detected or above:
            decisive.append(finding)
    return decisive


def faults_of(checked: Checked, least: Severity = "minor") -> list[Finding]:
    """The faults of at least a severity, waived and refuted ones left out."""
    severities = list(HIGHEST_WITH)
    counted = set(severities[severities.index(least) :])
    lifted = {entry.finding for entry in checked.lifted}
    return [f for f in checked.findings if f.is_fault and f.severity in counted and finding_id(f) not in lifted]


CLOSES_GATES: Final = frozenset({"destructive-command"})
"""Checks whose notes close a gate by severity as well: too few are labelled to bound a score by them, but the command
stands in the transcript, and what it did cannot be taken back."""


def gated_findings(checked: Checked, least: Severity = "minor") -> list[Finding]:
    """What closes a gate by severity: the faults, and what agents destroyed."""
    noted = [finding._replace(note=False) if finding.check in CLOSES_GATES else finding for finding in checked.findings]
    return faults_of(checked._replace(findings=tuple(noted)), least)


def failures(checked: Checked, least: Severity = "minor") -> list[str]:
    """Faults and unmet expectations of at least a severity, in words; what concerns several dimensions once."""
    severities = list(HIGHEST_WITH)
    unmet = [
        f"{expected.severity}: {expected.line}"
        for expected in checked.expectations
        if expected.result == "unmet" and severities.index(expected.severity) >= severities.index(least)
    ]
    faults = [f"{finding.severity}: {finding.message}" for finding in gated_findings(checked, least)]
    return [*dict.fromkeys(faults), *unmet]


def clipped(distribution: Distribution, cap: int | None) -> Distribution:
    """A distribution with everything above a cap moved to it."""
    if cap is None or not distribution or max(distribution) <= cap:
        return distribution
    kept = {place: parts for place, parts in distribution.items() if place < cap}
    return {**kept, cap: sum(parts for place, parts in distribution.items() if place >= cap)}


def _counting(checked: Checked, *, alone: bool) -> list[Finding]:
    """The faults that bound a dimension."""
    lifted = {entry.finding for entry in checked.lifted}
    return [
        finding
        for finding in checked.findings
        if finding.is_fault and not finding.flag and (alone or finding.precise) and finding_id(finding) not in lifted
    ]


def _flagged(judgement: Judgement, terms: Terms) -> Judgement:
    """Raise the red flags whose rubric names a check that saw a fault; the fault is charged there, and only once."""
    assert judgement.checked is not None
    raised = {claim.id for claim in judgement.red_flags}
    counting = _counting(judgement.checked, alone=unread(judgement))
    flag_of = {flag.detect: flag.id for flag in terms.red_flags.values() if flag.detect}
    charged = [finding for finding in counting if finding.check in flag_of]
    if not charged:
        return judgement
    new = dict.fromkeys(flag_of[finding.check] for finding in charged)
    claims = tuple(
        _claim(id, [finding for finding in charged if flag_of[finding.check] == id]) for id in new if id not in raised
    )
    findings = tuple(
        finding._replace(flag=flag_of[finding.check]) if finding in charged else finding
        for finding in judgement.checked.findings
    )
    return judgement._replace(
        red_flags=(*judgement.red_flags, *claims), checked=judgement.checked._replace(findings=findings)
    )


def _claim(id: str, findings: list[Finding]) -> Claim:
    return Claim(
        id=id,
        explanation=" ".join(finding.message for finding in findings),
        evidence=tuple(evidence_of(finding) for finding in findings if finding.quote),
    )


def evidence_of(finding: Finding) -> Evidence:
    """A finding's quote as evidence, with the very place it is about."""
    if finding.place is None:
        return Evidence(finding.quote, finding.verified, finding.line, finding.offset)
    place = finding.place
    return Evidence(
        finding.quote, finding.verified, source=place.file if place.line is None else f"{place.file}:{place.line}"
    )


def _capped(opinion: Opinion, cap: int) -> Opinion:
    return opinion._replace(score=points(cap), distribution=clipped(opinion.distribution, cap))


def _contradictions(judgement: Judgement) -> list[str]:
    """Faults in a dimension to which a person gave a high score."""
    assert judgement.checked is not None
    notes = []
    for finding in _counting(judgement.checked, alone=True):
        score = judgement.opinions[finding.dimension].score
        if not isinstance(score, Unscored) and hundredths(score) >= CONTRADICTS:
            notes.append(f"{finding.dimension} has {score}, but a check found a fault: {finding.message}")
    return notes
