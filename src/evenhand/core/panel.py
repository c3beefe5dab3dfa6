"""Several judgements to one: medians, majorities, agreement; one judgement under a changed rubric. Pure and exact."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import gcd, lcm, prod
from typing import Final, Literal, NamedTuple

from evenhand.core.bounds import bounds_of, caps_of, clipped
from evenhand.core.finding import Bound
from evenhand.core.judgement import (
    DISPUTED,
    NOT_ASKED,
    Agreement,
    Calls,
    Claim,
    Discounted,
    Distribution,
    Escalation,
    Evidence,
    Judgement,
    Member,
    Opinion,
    Panel,
    Unscored,
    Verdict,
)
from evenhand.core.numbers import half_up, hundredths, points
from evenhand.core.receipt import canonical_text, names_text, sha256
from evenhand.core.rubric import Terms
from evenhand.core.rules import BONUS, BONUS_CAP, DEDUCTION_CAP, DIMENSIONS, GRADES, HIGHEST, LOWEST
from evenhand.core.scorecard import Scorecard
from evenhand.core.scoring import Outcome, apply_claims
from evenhand.errors import shortened_line

# --- official --------------------------------------------------------------------------------------------------------
# A panel's results from its members: medians, majorities, pooled probabilities. Pure and exact.
#
# The order of the judges is irrelevant. A dimension scored by fewer judges than the quorum has no official score;
# nothing is imputed.


Kind = Literal["red_flags", "bonuses"]


def median(scores: Sequence[Decimal]) -> Decimal:
    """The middle score; of an even number the mean of the middle two, half up to two decimals."""
    ordered = sorted(map(hundredths, scores))
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return points(ordered[middle])
    return points(half_up(ordered[middle - 1] + ordered[middle], 2))


def scores_in(members: Iterable[Member], dimension: str) -> list[Decimal]:
    """The scores that the judges gave in a dimension."""
    verdicts = (member.scores.get(dimension) for member in members)
    return [score for score in verdicts if isinstance(score, Decimal)]


def needed(members: Iterable[Member], dimension: str, quorum: int | None) -> int:
    """How many judges must have scored a dimension: the quorum, or more than half of those asked about it."""
    if quorum is not None:
        return quorum
    return sum(dimension in member.scores for member in members) // 2 + 1


def ends_in(members: Iterable[Member], dimension: str) -> list[tuple[Decimal, Decimal]]:
    """The lowest and the highest score of each judge that gave one, or some of whose criteria could not be told."""
    verdicts = [member.scores.get(dimension) for member in members]
    spans = [verdict.interval if isinstance(verdict, Unscored) else verdict for verdict in verdicts]
    return [span if isinstance(span, tuple) else (span, span) for span in spans if span is not None]


def official_ends(members: Sequence[Member], dimension: str, quorum: int | None) -> tuple[Decimal, Decimal] | None:
    """The median of the low ends and that of the high ends, or None below the quorum; equal where all judges scored."""
    ends = ends_in(members, dimension)
    if not ends or len(ends) < needed(members, dimension, quorum):
        return None
    return median([low for low, _ in ends]), median([high for _, high in ends])


def official_score(members: Sequence[Member], dimension: str, quorum: int | None) -> Decimal | None:
    """The median of those who scored; None below the quorum, or where criteria that cannot be told leave it open."""
    ends = official_ends(members, dimension, quorum)
    return ends[0] if ends is not None and ends[0] == ends[1] else None


def official_verdict(members: Sequence[Member], dimension: str, quorum: int | None) -> Decimal | Unscored | None:
    """The official score, or between which scores it lies; None below the quorum."""
    ends = official_ends(members, dimension, quorum)
    if ends is None or ends[0] == ends[1]:
        return None if ends is None else ends[0]
    undecided = sum(low != high for low, high in ends_in(members, dimension))
    return Unscored(f"{undecided} of {len(members)} judges could not tell all of its criteria", ends)


def official_scores(members: Sequence[Member], quorum: int | None) -> dict[str, Decimal | None]:
    """The official score of every dimension."""
    return {name: official_score(members, name, quorum) for name in DIMENSIONS}


def carried(members: Sequence[Member], kind: Kind) -> tuple[str, ...]:
    """The claims raised by more than half of the judges that answered the question about claims."""
    answered = [member for member in members if member.abstained is None]
    votes = Counter(id for member in answered for id in dict.fromkeys(getattr(member, kind)))
    return tuple(id for id, count in votes.items() if 2 * count > len(answered))


def pooled(members: Sequence[Member], dimension: str) -> Distribution:
    """The pooled distribution of all judges that scored, equally weighted; parts in lowest terms.

    A judge without a known distribution counts as certain of its score.
    """
    known: list[Mapping[int, int]] = []
    for member in members:
        score = member.scores.get(dimension)
        if isinstance(score, Unscored) or score is None:
            continue
        known.append(member.distributions.get(dimension) or {hundredths(score): 1})
    whole = lcm(*(sum(distribution.values()) for distribution in known))
    parts: Counter[int] = Counter()
    for distribution in known:
        share = whole // sum(distribution.values())
        for place, count in distribution.items():
            parts[place] += count * share
    common = gcd(*parts.values())
    return {place: parts[place] // common for place in sorted(parts) if parts[place]}


# --- voices ----------------------------------------------------------------------------------------------------------
# The judges of a panel, each with its judgement and a unique name. Pure.


SINGULAR: dict[Kind, Literal["red_flag", "bonus"]] = {"red_flags": "red_flag", "bonuses": "bonus"}


class Voice(NamedTuple):
    """One judge's part."""

    name: str
    """The judge's name, numbered when two judges share it."""
    judgement: Judgement
    member: Member
    discounted: tuple[Discounted, ...]
    """Its claims that do not count, regardless of the other judges."""


def voices_of(judgements: Sequence[Judgement]) -> list[Voice]:
    """Each judge with its member of the panel; a claim without a verified quote is not a vote."""
    voices: list[Voice] = []
    for judgement in judgements:
        name = _free(judgement.judge["name"], {voice.name for voice in voices})
        member = judgement.panel.members[0] if judgement.panel is not None else _member(judgement)
        renamed = {**member.judge, "name": name}
        quoted = [
            {claim.id for claim in claims if _verified(claim)} for claims in (judgement.red_flags, judgement.bonuses)
        ]
        member = member._replace(
            judge=renamed,
            red_flags=tuple(id for id in dict.fromkeys(member.red_flags) if id in quoted[0]),
            bonuses=tuple(id for id in dict.fromkeys(member.bonuses) if id in quoted[1]),
        )
        earlier = judgement.panel.discounted if judgement.panel is not None else ()
        discounted = tuple(claim._replace(judge=name) for claim in earlier) + _unverified(judgement, name)
        voices.append(Voice(name, judgement, member, discounted))
    return voices


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered if another judge already has it."""
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name} #{number}"
    return free


def _member(judgement: Judgement) -> Member:
    """The member for a judge that has no panel, taken from its judgement."""
    return Member(
        judge=judgement.judge,
        scores={name: opinion.score for name, opinion in judgement.opinions.items()},
        distributions={
            name: opinion.distribution for name, opinion in judgement.opinions.items() if opinion.distribution
        },
        red_flags=tuple(claim.id for claim in judgement.red_flags),
        bonuses=tuple(claim.id for claim in judgement.bonuses),
        verdicts={id: v.answer for opinion in judgement.opinions.values() for id, v in opinion.verdicts.items()},
    )


def _verified(claim: Claim) -> bool:
    return any(quote.verified for quote in claim.evidence)


def _unverified(judgement: Judgement, name: str) -> tuple[Discounted, ...]:
    """Claims without a verified quote; they do not count."""
    return tuple(
        Discounted(SINGULAR[kind], claim.id, name, "unverified", claim.explanation, claim.evidence)
        for kind in SINGULAR
        for claim in getattr(judgement, kind)
        if not _verified(claim)
    )


# --- consensus -------------------------------------------------------------------------------------------------------
# Combine the judgements of several judges into one. Pure and exact.
#
# The order of the judges affects no score and no claim, only the order in which they are listed. The official score
# of a dimension is the median of the judges that scored it; below the quorum it is `Unscored`. A red flag or bonus
# counts when more than half of the judges that answered the question about them raised it, each with a verified
# quote.


SHORT = 100
"""How many characters of each judge's reason are shown when several are listed."""


def consensus(
    judgements: Sequence[Judgement],
    *,
    quorum: int | None = None,
    identity: Mapping[str, str] | None = None,
    escalation: Escalation | None = None,
) -> Judgement:
    """One judgement from several, with all of them recorded in its panel.

    Quotes must have been verified. `quorum` is how many must have scored a dimension, or more than
    half of those asked about it. `identity` is the panel's, as `panel_identity` gives it; the default
    is made from the judgements. A single judgement is returned unchanged.
    """
    if len(judgements) == 1 and escalation is None and (quorum is None or quorum <= 1):
        return judgements[0]
    voices = voices_of(judgements)
    members = [voice.member for voice in voices]
    first = judgements[0]
    red_flags, outvoted_flags = _claims(voices, "red_flags")
    bonuses, outvoted_bonuses = _claims(voices, "bonuses")
    panels = [judgement.panel for judgement in judgements if judgement.panel is not None]
    return Judgement(
        opinions={name: _opinion(voices, name, quorum) for name in DIMENSIONS},
        judge=identity or panel_identity([judgement.judge for judgement in judgements], quorum=quorum),
        skill=first.skill,
        red_flags=red_flags,
        bonuses=bonuses,
        id=first.id,
        rubric=first.rubric,
        output=first.output,
        task=first.task,
        reference=first.reference,
        panel=Panel(
            members=tuple(members),
            quorum=quorum,
            discounted=(*(claim for voice in voices for claim in voice.discounted), *outvoted_flags, *outvoted_bonuses),
            escalation=escalation or next((panel.escalation for panel in panels if panel.escalation), None),
            condensed=tuple(
                entry._replace(judge=voice.name)
                for voice in voices
                if voice.judgement.panel is not None
                for entry in voice.judgement.panel.condensed
            ),
            calls=add_calls([panel.calls for panel in panels]),
            influence=tuple(
                entry._replace(judge=voice.name)
                for voice in voices
                if voice.judgement.panel is not None
                for entry in voice.judgement.panel.influence
            ),
        ),
        warnings=_warnings(voices),
    )


def panel_identity(
    judges: Iterable[Mapping[str, str]], *, quorum: int | None = None, escalate_to: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Who a panel is: the names of its judges, its rules, and a hash of everything its judges' scores depend on.

    The same for every order of the same judges, and whether or not the stronger judge had to be asked.
    """
    known = sorted(judges, key=lambda judge: (judge["name"], names_text(judge)))
    identities = [dict(judge) for judge in known] + ([dict(escalate_to)] if escalate_to else [])
    return {
        "name": "panel",
        "judges": " + ".join(judge["name"] for judge in known),
        **({"escalate_to": escalate_to["name"]} if escalate_to else {}),
        "quorum": "more than half" if quorum is None else str(quorum),
        "identities": sha256(canonical_text(identities))[:16],
    }


def add_calls(calls: Iterable[Calls]) -> Calls:
    """The total of several runs' calls. The cost is unknown when that of any call is."""
    counts = list(calls)
    if len(counts) == 1 and counts[0].cost is not None:
        return counts[0]
    known = [count.cost for count in counts if count.cost is not None]
    # A reply from the store costs nothing, so its missing price makes nothing unknown.
    unknown = any(count.cost is None and count.asked for count in counts)
    return Calls(
        asked=sum(count.asked for count in counts),
        stored=sum(count.stored for count in counts),
        repairs=sum(count.repairs for count in counts),
        input_tokens=sum(count.input_tokens for count in counts),
        output_tokens=sum(count.output_tokens for count in counts),
        cached_tokens=sum(count.cached_tokens for count in counts),
        estimated=sum(count.estimated for count in counts),
        cost=None if unknown else sum(known, Decimal(0)),
        served=tuple(sorted({model for count in counts for model in count.served})),
    )


def _opinion(voices: Sequence[Voice], name: str, quorum: int | None) -> Opinion:
    members = [voice.member for voice in voices]
    asked_voices = [voice for voice in voices if name in voice.member.scores]
    verdict = official_verdict(members, name, quorum)
    score = verdict if isinstance(verdict, Decimal) else None
    return Opinion(
        score=Unscored(_why_unscored(asked_voices, name, quorum)) if verdict is None else verdict,
        justification=_justification(asked_voices, name, alone=len(voices) == 1),
        evidence=_union(
            voice.judgement.opinions[name].evidence for voice in asked_voices if name in voice.judgement.opinions
        ),
        distribution={} if score is None else pooled(members, name),
        verdicts=_verdicts(asked_voices, name),
    )


def _verdicts(voices: Sequence[Voice], name: str) -> Mapping[str, Verdict]:
    """How the judges answered each criterion of a dimension; it is shown, and the score is the median of theirs."""
    given = [(voice.name, opinion.verdicts) for voice in voices if (opinion := voice.judgement.opinions.get(name))]
    if not any(verdicts for _, verdicts in given):
        return {}
    from evenhand.core.criteria import merged_verdicts  # few rubrics have criteria

    return merged_verdicts(given)


def _justification(voices: Sequence[Voice], name: str, *, alone: bool) -> str:
    """Each judge's justification, after its name and score."""
    lines = []
    for voice in voices:
        score = voice.member.scores[name]
        opinion = voice.judgement.opinions.get(name)
        words = "" if opinion is None else opinion.justification
        if isinstance(score, Unscored):
            lines.append(f"{voice.name} no score: {shortened_line(score.reason, SHORT)}")
        elif alone:
            lines.append(words)
        else:
            lines.append(f"{voice.name} {score}: {words}" if words else f"{voice.name} {score}")
    return "\n".join(lines)


def _why_unscored(voices: Sequence[Voice], name: str, quorum: int | None) -> str:
    """How many judges scored, how many are needed, and why the others did not, each reason once."""
    members = [voice.member for voice in voices]
    scored, least = len(scores_in(members, name)), needed(members, name, quorum)
    reasons: dict[str, list[str]] = {}
    for voice in voices:
        score = voice.member.scores[name]
        if isinstance(score, Unscored):
            reasons.setdefault(shortened_line(score.reason, SHORT), []).append(voice.name)
    details = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    counts = f"{scored} of {len(voices)} judges scored it, {least} needed"
    return f"{counts} ({details})" if details else counts


def _union(lists: Iterable[tuple[Evidence, ...]]) -> tuple[Evidence, ...]:
    """Every quote once, verified ones first."""
    known: dict[str, Evidence] = {}
    for item in (item for evidence in lists for item in evidence):
        if item.quote not in known or (item.verified and not known[item.quote].verified):
            known[item.quote] = item
    return tuple(sorted(known.values(), key=lambda item: not item.verified))


def _claims(voices: Sequence[Voice], kind: Kind) -> tuple[tuple[Claim, ...], list[Discounted]]:
    """The claims that won the vote, and those that lost it, judge by judge."""
    won = carried([voice.member for voice in voices], kind)
    raised: dict[str, list[tuple[str, Claim]]] = {}
    for voice in voices:
        claims = {claim.id: claim for claim in reversed(getattr(voice.judgement, kind))}
        for id in getattr(voice.member, kind):
            raised.setdefault(id, []).append((voice.name, claims[id]))
    merged = tuple(
        Claim(
            id=id,
            explanation="\n".join(
                _attributed(name, claim, len(voices)) for name, claim in raised[id] if claim.explanation
            ),
            evidence=_union(claim.evidence for _, claim in raised[id]),
        )
        for id in won
    )
    outvoted = [
        Discounted(SINGULAR[kind], id, name, "outvoted", claim.explanation, claim.evidence)
        for id, entries in raised.items()
        if id not in won
        for name, claim in entries
    ]
    return merged, outvoted


def _attributed(name: str, claim: Claim, judges: int) -> str:
    return claim.explanation if judges == 1 else f"{name}: {claim.explanation}"


def _warnings(voices: Sequence[Voice]) -> tuple[str, ...]:
    """Every warning once, and which judges did not vote on red flags and bonuses."""
    warnings = [warning for voice in voices for warning in voice.judgement.warnings]
    for voice in voices:
        if voice.member.abstained not in (None, NOT_ASKED):
            warnings.append(
                f"{voice.name} did not vote on red flags and bonuses: {shortened_line(voice.member.abstained, SHORT)}"
            )
    if all(voice.member.abstained is not None for voice in voices):
        warnings.append("no judge answered the question about red flags and bonuses; none was counted")
    return tuple(dict.fromkeys(warnings))


# --- grade probabilities ---------------------------------------------------------------------------------------------
# The probability of each letter grade, given a distribution for each of the seven scores. Pure and exact.
#
# The dimensions are treated as independent, red flags and bonuses as settled. Everything is counted in whole parts;
# fractions appear only at the end, and decimals only for display.


SHOWN_PARTS: Final = 10_000
"""Probabilities are shown to four decimals."""

MOST_SUMS: Final = 400_000
"""The most sums kept. Judges give about ten scores; only a contrived document needs more, and gets no result."""


def grade_probabilities(
    distributions: Sequence[Distribution], units: Sequence[int], scale: int, *, deduction: int, bonus: int
) -> dict[str, Fraction]:
    """The probability of each grade that is possible at all, best first; together exactly 1. Empty beyond `MOST_SUMS`.

    `distributions` and `units` (the whole weights, of which `scale` make 1) are in the order of the
    dimensions; `deduction` and `bonus` are in hundredths, after their caps.
    """
    halves = _halves(distributions, units)
    if halves is None:
        return {}
    first, second = halves
    sums = sorted(second)
    at_least = [*accumulate((second[total] for total in reversed(sums)), initial=0)][::-1]
    whole = prod(sum(distribution.values()) for distribution in distributions)
    highest = max(first) + sums[-1]
    probabilities = {}
    better = 0
    for letter, edge in _edges(scale, deduction, bonus):
        if edge > highest:
            continue
        reached = sum(parts * at_least[bisect_left(sums, edge - total)] for total, parts in first.items())
        if reached > better:
            probabilities[letter] = Fraction(reached - better, whole)
        better = reached
        if better == whole:
            break
    return probabilities


def shown_probabilities(exact: Mapping[str, Fraction]) -> dict[str, float]:
    """The probabilities to four decimals that still sum to 1: what truncation loses goes where most was lost."""
    parts = {letter: int(chance * SHOWN_PARTS) for letter, chance in exact.items()}
    cut = sorted(exact, key=lambda letter: parts[letter] - exact[letter] * SHOWN_PARTS)
    for letter in cut[: SHOWN_PARTS - sum(parts.values())]:
        parts[letter] += 1
    return {letter: count / SHOWN_PARTS for letter, count in parts.items() if count}


def _halves(
    distributions: Sequence[Distribution], units: Sequence[int]
) -> tuple[dict[int, int], dict[int, int]] | None:
    """The weighted sums of some dimensions and of the others, each with its parts.

    Two halves, because their sums need never be multiplied out: that bounds the work for any weights.
    """
    halves: list[dict[int, int]] = [{0: 1}, {0: 1}]
    for distribution, unit in zip(distributions, units, strict=True):
        smaller = 0 if len(halves[0]) <= len(halves[1]) else 1
        if len(halves[smaller]) * len(distribution) > MOST_SUMS:
            return None
        halves[smaller] = _convolve(halves[smaller], distribution, unit)
    return halves[0], halves[1]


def _convolve(sums: Mapping[int, int], distribution: Distribution, unit: int) -> dict[int, int]:
    totals: dict[int, int] = {}
    for score, parts in distribution.items():
        for total, count in sums.items():
            place = total + score * unit
            totals[place] = totals.get(place, 0) + count * parts
    return totals


@lru_cache(maxsize=256)
def _edges(scale: int, deduction: int, bonus: int) -> tuple[tuple[str, int], ...]:
    """Each grade that can be reached, best first, with the least weighted sum whose final score reaches it."""
    composites = range(LOWEST, HIGHEST + 1)
    finals = [apply_claims(composite * scale, scale, deduction, bonus).final for composite in composites]
    places = [(grade.letter, bisect_left(finals, grade.lower)) for grade in GRADES]
    # The first sum that rounds to a composite, halves up, is half a hundredth below it.
    return tuple(
        (letter, -((scale - 2 * scale * composites[place]) // 2)) for letter, place in places if place < len(finals)
    )


# --- agreement -------------------------------------------------------------------------------------------------------
# How far the judges of a panel agree, and how sure its grade is. Pure; it changes no score.


def with_panel(card: Scorecard, judgement: Judgement, terms: Terms) -> Scorecard:
    """The scorecard with the panel behind its judgement; unchanged when there is none."""
    panel = judgement.panel
    if panel is None:
        return card
    recorded = panel if panel.criteria else panel._replace(criteria=terms.criteria)
    return card._replace(panel=recorded, agreement=agreement(panel, terms, judgement, card.bounds))


def agreement(panel: Panel, terms: Terms, judgement: Judgement, bounds: Mapping[str, Bound]) -> Agreement:
    """How far the judges agree. `judgement` is the panel's own, settled; `bounds` are those of its scorecard."""
    scores = {name: scores_in(panel.members, name) for name in DIMENSIONS}
    caps = caps_of(bounds)
    spread = {name: max(values) - min(values) for name, values in scores.items() if len(values) > 1}
    raised = dict.fromkeys(id for member in panel.members for id in member.red_flags)
    return Agreement(
        spread=spread,
        disputed=tuple(name for name, width in spread.items() if width >= DISPUTED),
        decisive=_decisive(panel, terms, judgement, caps),
        member_grades=tuple(
            _grade(member.scores, member.red_flags, member.bonuses, terms, caps) for member in panel.members
        ),
        grades=_probabilities(panel, terms, judgement, caps),
        deductions={id: terms.red_flags[id].deduction for id in raised if id in terms.red_flags},
    )


def _decisive(panel: Panel, terms: Terms, judgement: Judgement, caps: Mapping[str, int]) -> tuple[str, ...]:
    """The judges without whom the grade would differ. Not those without whom there would be no grade at all."""
    if len(panel.members) == 1:
        return ()
    scores = {name: opinion.score for name, opinion in judgement.opinions.items()}
    flags, bonuses = ([claim.id for claim in claims] for claims in (judgement.red_flags, judgement.bonuses))
    official = _grade(scores, flags, bonuses, terms, {})
    if official is None:
        return ()
    decisive = []
    for place, member in enumerate(panel.members):
        others = (*panel.members[:place], *panel.members[place + 1 :])
        quorum = None if panel.quorum is None else min(panel.quorum, len(others))
        without = _grade(
            official_scores(others, quorum), carried(others, "red_flags"), carried(others, "bonuses"), terms, caps
        )
        if without not in (None, official):
            decisive.append(member.judge["name"])
    return tuple(decisive)


def _grade(
    scores: Mapping[str, Decimal | Unscored | None],
    flags: Iterable[str],
    bonuses: Iterable[str],
    terms: Terms,
    caps: Mapping[str, int],
) -> str | None:
    """The letter grade for scores and claims; None when a dimension has no score."""
    outcome = _outcome(scores, flags, bonuses, terms, caps)
    return None if outcome is None else outcome.grade.letter


def _outcome(
    scores: Mapping[str, Decimal | Unscored | None],
    flags: Iterable[str],
    bonuses: Iterable[str],
    terms: Terms,
    caps: Mapping[str, int],
) -> Outcome | None:
    """The arithmetic for scores and claims, each score within its cap; None when a dimension has no score."""
    weighted = 0
    for name, unit in zip(DIMENSIONS, terms.units, strict=True):
        score = scores.get(name)
        if not isinstance(score, Decimal):
            return None
        weighted += min(hundredths(score), caps.get(name, HIGHEST)) * unit
    return apply_claims(weighted, terms.scale, *_amounts(flags, bonuses, terms))


def member_finals(panel: Panel, terms: Terms, judgement: Judgement) -> dict[str, int | None]:
    """The final score in hundredths that each judge alone would give, by its name; None without all seven scores."""
    caps = caps_of(bounds_of(judgement))
    finals = {}
    for member in panel.members:
        outcome = _outcome(member.scores, member.red_flags, member.bonuses, terms, caps)
        finals[member.judge["name"]] = None if outcome is None else outcome.final
    return finals


def _amounts(flags: Iterable[str], bonuses: Iterable[str], terms: Terms) -> tuple[int, int]:
    """Deduction and bonus of the claims, after the caps (R9)."""
    nominal = sum(hundredths(terms.red_flags[id].deduction) for id in flags if id in terms.red_flags)
    return min(nominal, DEDUCTION_CAP), min(BONUS * len(tuple(bonuses)), BONUS_CAP)


def _probabilities(panel: Panel, terms: Terms, judgement: Judgement, caps: Mapping[str, int]) -> dict[str, float]:
    if any(isinstance(opinion.score, Unscored) for opinion in judgement.opinions.values()):
        return {}
    flags, bonuses = [claim.id for claim in judgement.red_flags], [claim.id for claim in judgement.bonuses]
    if len(panel.members) == 1 and not panel.members[0].distributions:  # one judge that is sure of every score
        scores = {name: opinion.score for name, opinion in judgement.opinions.items()}
        return {str(_grade(scores, flags, bonuses, terms, {})): 1.0}
    deduction, bonus = _amounts(flags, bonuses, terms)
    distributions = [clipped(pooled(panel.members, name), caps.get(name)) for name in DIMENSIONS]
    if not all(distributions):  # a score that none of the judges gave: someone changed the document
        return {}
    return shown_probabilities(
        grade_probabilities(distributions, terms.units, terms.scale, deduction=deduction, bonus=bonus)
    )
