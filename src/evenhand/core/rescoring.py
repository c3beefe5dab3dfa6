"""An existing judgement under a changed rubric: new weights, amounts and pass mark, the same words. Pure.

No judge is asked again, so anything the judges were never asked about cannot count, and a warning names whatever
has been reworded since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evenhand.core.bounds import bounded
from evenhand.core.criteria import answered_again
from evenhand.core.judgement import Claim, Discounted, Judgement, Opinion, Panel, Unscored
from evenhand.core.panel import SINGULAR, Kind, official_verdict
from evenhand.core.rubric import Terms
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard


def under(judgement: Judgement, terms: Terms) -> tuple[Judgement, tuple[str, ...]]:
    """The judgement with only the claims these terms list, and a warning that names the others."""
    flags = [claim for claim in judgement.red_flags if claim.id not in terms.red_flags]
    bonuses = [claim for claim in judgement.bonuses if claim.id not in terms.bonuses]
    gone = [f"red flag {claim.id}" for claim in flags] + [f"bonus {claim.id}" for claim in bonuses]
    judgement = _by_criteria(judgement, terms)
    reduced = judgement._replace(
        red_flags=tuple(claim for claim in judgement.red_flags if claim not in flags),
        bonuses=tuple(claim for claim in judgement.bonuses if claim not in bonuses),
        panel=None
        if judgement.panel is None
        else _panel(judgement.panel, terms, {"red_flags": flags, "bonuses": bonuses}),
    )
    return reduced, (f"the rubric no longer lists {_and(gone)}; it does not count",) if gone else ()


def _by_criteria(judgement: Judgement, terms: Terms) -> Judgement:
    """The judgement with the scores that its verdicts give under these criteria, capped as before."""
    if not terms.trees and not any(opinion.verdicts for opinion in judgement.opinions.values()):
        return judgement
    if judgement.checked is not None:
        readers = judgement.checked.uncapped
        opinions = {
            name: opinion._replace(score=readers.get(name, opinion.score))
            for name, opinion in judgement.opinions.items()
        }
        judgement = judgement._replace(opinions=opinions, checked=judgement.checked._replace(uncapped={}))
    judgement = answered_again(judgement, terms.trees)
    if judgement.panel is not None and len(judgement.panel.members) > 1:
        judgement = judgement._replace(opinions=_medians(judgement, judgement.panel))
    return bounded(judgement, terms)


def _medians(judgement: Judgement, panel: Panel) -> dict[str, Opinion]:
    """The opinions with the medians of the judges' scores."""
    official = {name: official_verdict(panel.members, name, panel.quorum) for name in DIMENSIONS}
    return {
        name: opinion._replace(score=official[name] or Unscored("too few judges answered its criteria"))
        for name, opinion in judgement.opinions.items()
    }


def _panel(panel: Panel, terms: Terms, gone: Mapping[Kind, Iterable[Claim]]) -> Panel:
    """Remove votes for claims that are no longer listed from each judge, and record them as unlisted."""
    lost = [
        Discounted(SINGULAR[kind], claim.id, member.judge["name"], "unlisted", claim.explanation, claim.evidence)
        for member in panel.members
        for kind, claims in gone.items()
        for claim in claims
        if claim.id in getattr(member, kind)
    ]
    return panel._replace(
        members=tuple(
            member._replace(
                red_flags=tuple(id for id in member.red_flags if id in terms.red_flags),
                bonuses=tuple(id for id in member.bonuses if id in terms.bonuses),
            )
            for member in panel.members
        ),
        discounted=(*(_still(claim, terms) for claim in panel.discounted), *lost),
    )


def _still(claim: Discounted, terms: Terms) -> Discounted:
    listed = terms.red_flags if claim.kind == "red_flag" else terms.bonuses
    return claim if claim.id in listed else claim._replace(reason="unlisted")  # an observation is unlisted anyway


def changed_since(then: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """Warnings about criteria that differ from those the judges were asked about."""
    changed = [name for name in now if name in then and then[name] != now[name]]
    new = [name for name in now if name not in then]
    warnings = []
    bands = [name for name in DIMENSIONS if name in changed]
    if bands:
        warnings.append(
            f"the criteria for {_and(bands)} have changed since the judging; the scores are for the old criteria"
        )
    words = [_claim(name) for name in changed if "." in name]
    if words:
        warnings.append(f"reworded since the judging: {_and(words)}; the judges answered the old wording")
    if "summary" in changed:
        warnings.append("the rubric's introduction has changed since the judging; the scores are for the old one")
    if new:
        warnings.append(f"the judges were not asked about {_and(map(_claim, new))}; the rubric did not list it then")
    return tuple(warnings)


def rescored_note(card: Scorecard) -> str:
    """The warning on a rescored scorecard that names the original."""
    was = f"{card.final} ({card.grade.letter})" if card.final is not None and card.grade else "without a final score"
    return (
        f"rescored from {card.id}, which was {was} under rubric {card.rubric} "
        f"(sha256 {card.receipt.rubric[:12]}); no judge was asked again"
    )


def _claim(name: str) -> str:
    kind, _, id = name.partition(".")
    return f"{'red flag' if kind == 'red_flags' else 'bonus'} {id}"


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
