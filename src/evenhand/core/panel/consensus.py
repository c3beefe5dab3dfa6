"""Combine the judgements of several judges into one. Pure and exact.

The order of the judges affects no score and no claim, only the order in which they are listed. The
official score of a dimension is the median of the judges that scored it; below the quorum it is
`Unscored`. A red flag or bonus counts when more than half of the judges that answered the question
about them raised it, each with a verified quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from evenhand.core.basics.canonical import canonical_text, names_text, sha256
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.panel.official import Kind, carried, needed, official_verdict, pooled, scores_in
from evenhand.core.panel.voices import SINGULAR, Voice, voices_of
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim, Evidence, Opinion, Unscored, Verdict
from evenhand.core.values.panel import NOT_ASKED, Calls, Discounted, Escalation, Panel
from evenhand.in_words import shortened_line

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
    from evenhand.core.criteria.votes import merged_verdicts  # few rubrics have criteria

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
