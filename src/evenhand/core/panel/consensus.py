"""Combine the judgements of several judges into one. Pure and exact.

The order of the judges is irrelevant for every score and every claim; it is only the order in which
they are named. The official score of a dimension is the median of those who scored it; below the
quorum it is `Unscored`. A red flag or bonus counts when more than half of the judges that answered
for claims raised it, each with a quote that was verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from evenhand.core.basics.canonical import canonical_text, names_text, sha256
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.panel.official import Kind, carried, given, needed, official_score, pooled
from evenhand.core.panel.voices import SINGULAR, Voice, voices_of
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim, Evidence, Opinion, Unscored
from evenhand.core.values.panel import NOT_ASKED, Calls, Discounted, Escalation, Panel

SHORT = 100
"""How many characters of a judge's reason are repeated where several reasons stand together."""


def consensus(
    judgements: Sequence[Judgement],
    *,
    quorum: int | None = None,
    identity: Mapping[str, str] | None = None,
    escalation: Escalation | None = None,
) -> Judgement:
    """One judgement of several, with everything it was made from in its panel.

    Quotes must have been verified. `quorum` is how many must have scored a dimension, or more than
    half of those asked about it. `identity` is who judged as `panel_identity` writes it; without it,
    it is made from the judgements. One judgement alone stays as it is.
    """
    if len(judgements) == 1 and escalation is None and (quorum is None or quorum <= 1):
        return judgements[0]
    voices = voices_of(judgements)
    members = [voice.member for voice in voices]
    first = judgements[0]
    red_flags, outvoted_flags = _claims(voices, "red_flags")
    bonuses, outvoted_bonuses = _claims(voices, "bonuses")
    panels = [said.panel for said in judgements if said.panel is not None]
    return Judgement(
        opinions={name: _opinion(voices, name, quorum) for name in DIMENSIONS},
        judge=identity or panel_identity([said.judge for said in judgements], quorum=quorum),
        skill=first.skill,
        red_flags=red_flags,
        bonuses=bonuses,
        id=first.id,
        rubric=first.rubric,
        output=first.output,
        task=first.task,
        panel=Panel(
            members=tuple(members),
            quorum=quorum,
            discounted=(*(each for voice in voices for each in voice.discounted), *outvoted_flags, *outvoted_bonuses),
            escalation=escalation or next((panel.escalation for panel in panels if panel.escalation), None),
            condensed=tuple(
                each._replace(judge=voice.name)
                for voice in voices
                if voice.said.panel is not None
                for each in voice.said.panel.condensed
            ),
            calls=add_calls([panel.calls for panel in panels]),
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
    every = [dict(each) for each in known] + ([dict(escalate_to)] if escalate_to else [])
    return {
        "name": "panel",
        "judges": " + ".join(each["name"] for each in known),
        **({"escalate_to": escalate_to["name"]} if escalate_to else {}),
        "quorum": "more than half" if quorum is None else str(quorum),
        "identities": sha256(canonical_text(every))[:16],
    }


def add_calls(calls: Iterable[Calls]) -> Calls:
    """What asking took in all. The cost is unknown when that of any calls that were made is."""
    every = list(calls)
    known = [each.cost for each in every if each.cost is not None]
    unknown = any(each.cost is None and each.asked for each in every)
    return Calls(
        asked=sum(each.asked for each in every),
        stored=sum(each.stored for each in every),
        repairs=sum(each.repairs for each in every),
        input_tokens=sum(each.input_tokens for each in every),
        output_tokens=sum(each.output_tokens for each in every),
        cost=None if unknown else sum(known, Decimal(0)),
    )


def _opinion(voices: Sequence[Voice], name: str, quorum: int | None) -> Opinion:
    members = [voice.member for voice in voices]
    asked = [voice for voice in voices if name in voice.member.scores]
    score = official_score(members, name, quorum)
    return Opinion(
        score=Unscored(_why_unscored(asked, name, quorum)) if score is None else score,
        justification=_justification(asked, name, alone=len(voices) == 1),
        evidence=_union(voice.said.opinions[name].evidence for voice in asked if name in voice.said.opinions),
        distribution={} if score is None else pooled(members, name),
    )


def _justification(asked: Sequence[Voice], name: str, *, alone: bool) -> str:
    """What each judge says, behind its name and score."""
    lines = []
    for voice in asked:
        score = voice.member.scores[name]
        opinion = voice.said.opinions.get(name)
        words = "" if opinion is None else opinion.justification
        if isinstance(score, Unscored):
            lines.append(f"{voice.name} no score: {_short(score.reason)}")
        elif alone:
            lines.append(words)
        else:
            lines.append(f"{voice.name} {score}: {words}" if words else f"{voice.name} {score}")
    return "\n".join(lines)


def _why_unscored(asked: Sequence[Voice], name: str, quorum: int | None) -> str:
    """How many scored, how many are needed, and what kept the others, each reason once."""
    members = [voice.member for voice in asked]
    scored, least = len(given(members, name)), needed(members, name, quorum)
    reasons: dict[str, list[str]] = {}
    for voice in asked:
        score = voice.member.scores[name]
        if isinstance(score, Unscored):
            reasons.setdefault(_short(score.reason), []).append(voice.name)
    told = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    counts = f"{scored} of {len(asked)} judges scored it, {least} must"
    return f"{counts} ({told})" if told else counts


def _short(reason: str) -> str:
    words = " ".join(reason.split())
    return words if len(words) <= SHORT else words[: SHORT - 3] + "..."


def _union(lists: Iterable[tuple[Evidence, ...]]) -> tuple[Evidence, ...]:
    """Every quote once, those that were verified first."""
    known: dict[str, Evidence] = {}
    for each in (each for evidence in lists for each in evidence):
        if each.quote not in known or (each.verified and not known[each.quote].verified):
            known[each.quote] = each
    return tuple(sorted(known.values(), key=lambda each: not each.verified))


def _claims(voices: Sequence[Voice], kind: Kind) -> tuple[tuple[Claim, ...], list[Discounted]]:
    """The claims that carried the vote, and those that did not, judge by judge."""
    won = carried([voice.member for voice in voices], kind)
    said: dict[str, list[tuple[str, Claim]]] = {}
    for voice in voices:
        claims = {claim.id: claim for claim in reversed(getattr(voice.said, kind))}
        for id in getattr(voice.member, kind):
            said.setdefault(id, []).append((voice.name, claims[id]))
    merged = tuple(
        Claim(
            id=id,
            explanation="\n".join(_led(name, claim, len(voices)) for name, claim in said[id] if claim.explanation),
            evidence=_union(claim.evidence for _, claim in said[id]),
        )
        for id in won
    )
    outvoted = [
        Discounted(SINGULAR[kind], id, name, "outvoted", claim.explanation, claim.evidence)
        for id, raised in said.items()
        if id not in won
        for name, claim in raised
    ]
    return merged, outvoted


def _led(name: str, claim: Claim, judges: int) -> str:
    return claim.explanation if judges == 1 else f"{name}: {claim.explanation}"


def _warnings(voices: Sequence[Voice]) -> tuple[str, ...]:
    """Every warning once, and who kept out of the vote on red flags and bonuses."""
    warnings = [warning for voice in voices for warning in voice.said.warnings]
    for voice in voices:
        if voice.member.abstained not in (None, NOT_ASKED):
            warnings.append(f"{voice.name} did not vote on red flags and bonuses: {_short(voice.member.abstained)}")
    if all(voice.member.abstained is not None for voice in voices):
        warnings.append("no judge answered for red flags and bonuses; none was counted")
    return tuple(dict.fromkeys(warnings))
