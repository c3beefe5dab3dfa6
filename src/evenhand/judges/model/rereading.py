"""Read a work again where passages in it may address the judge, and say which reading counts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.core.panel.consensus import add_calls
from evenhand.core.values.opinion import Opinion, Unscored
from evenhand.core.values.panel import NOT_ASKED, Calls, Influence, Variant
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.submission import Submission
from evenhand.in_words import shortened_line
from evenhand.judges.model.asking import Asker
from evenhand.judges.model.influence import (
    DOWNWARD,
    UPWARD,
    Heard,
    agree,
    anything_left,
    led,
    like_an_order,
    moved_as_led,
    neutralised,
    planted,
    share,
    tolerance,
)
from evenhand.judges.model.together import every
from evenhand.judges.model.weighing import NOT_ANSWERED, Claims, Weighing
from evenhand.providers.tokens import estimate_input
from evenhand.questions.layout import FINAL, NONCE_HERE
from evenhand.questions.questions import Question
from evenhand.questions.showing import Shown
from evenhand.replies.answers import Answer
from evenhand.screening.suspects import Suspects, pointed, suspects

ALL: Final = Question("all")

_NO_ROOM: Final = (
    "injection-suspected: passages may address the judge, and the window of {window:,} tokens "
    "leaves no room for the question that would show whether they have an effect; set a larger window"
)
_NOTE = re.compile(rf"\[{NONCE_HERE}[^\]\n]*\]")
_HEADING = re.compile(r"^\[\d+\] .*$", re.M)


class Outcome(NamedTuple):
    """What counts after all readings."""

    heard: Heard
    influence: tuple[Influence, ...] = ()
    warnings: tuple[str, ...] = ()
    """The lines on the scorecard."""
    calls: Calls = Calls(cost=Decimal(0))


def suspects_in(shown: Shown, *, transcript: bool, thorough: bool = False) -> Suspects:
    """The passages of a shown work that may address a judge; our own notes and headings are not among them.

    `thorough` is for a judge that is known to obey: passages in an unknown code are among them then.
    """
    return _suspects(shown.text, transcript, thorough)


@lru_cache(maxsize=32)
def _suspects(text: str, transcript: bool, thorough: bool) -> Suspects:
    """Cached, because the judges of a panel see the same text."""
    return suspects(_submitted(text, transcript), thorough=thorough)


@lru_cache(maxsize=32)
def _pointed(text: str, transcript: bool) -> bool:
    return pointed(_submitted(text, transcript))


def _submitted(text: str, transcript: bool) -> str:
    """What was submitted of a shown text: our own notes and headings blanked, every other place unchanged."""
    # Blanked with as many spaces, not cut out: spans that are found here are used in the text as it was shown.
    text = _NOTE.sub(_blanked, text)
    if transcript:
        events, heading, output = text.partition(f"\n{FINAL}\n")
        text = f"{_HEADING.sub(_blanked, events)}{' ' * len(heading)}{output}"
    return text


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0])


def has_room(asker: Asker, rubric: Rubric, shown: Shown) -> bool:
    """Whether the judge's window holds the work beside the question about everything."""
    if asker.window is None:
        return True
    messages = asker.first_messages(rubric, shown, ALL)
    return estimate_input(messages) + asker.settings.max_tokens <= asker.window


class Rereading:
    """The further readings of one submission by one judge."""

    def __init__(
        self, asker: Asker, rubric: Rubric, submission: Submission, shown: Shown, names: Sequence[str], *, claims: bool
    ) -> None:
        self._asker = asker
        self._rubric = rubric
        self._submission = submission
        self._shown = shown
        self._names = names
        self._claims = claims
        self._judge = asker.identity["name"]
        self._calls: list[Calls] = []

    async def after(self, first: Heard, within: Decimal, *, obeys: bool) -> Outcome:
        """What counts after a first reading: that one, unless passages that may address the judge could have led it.

        `obeys` says that the judge is known to obey what it reads: then even cues that are spread out are looked into.
        """
        shown, transcript = self._shown, bool(self._submission.events)
        if not obeys and not _pointed(shown.text, transcript):
            return Outcome(first)
        suspect = suspects_in(shown, transcript=transcript, thorough=obeys)
        if not suspect.spans:
            return Outcome(first)
        if not has_room(self._asker, self._rubric, shown):
            return Outcome(first, warnings=(_NO_ROOM.format(window=self._asker.window),))
        return await self._decide(first, suspect, within, obeys=obeys)

    async def _decide(self, first: Heard, suspect: Suspects, within: Decimal, *, obeys: bool) -> Outcome:
        """Ask for up to three more readings; each is one question about everything."""
        # The reading without the passages is asked for first, and alone: in most cases it agrees, and the two with
        # orders of our own are not needed. Where nothing is left to read, there is no such reading to compare with.
        text, spans = self._shown.text, suspect.spans
        without = await self._heard(neutralised(text, spans), counts=True) if anything_left(text, spans) else None
        heard: dict[Variant, Heard] = {"first": first}
        if without is not None:
            heard["withheld"] = without
        within = tolerance(within, share(text, spans))
        if without is not None and agree(first, without, within):
            return self._outcome(
                "first",
                f"without that, {self._judge} came to the same result, so its first reading counts",
                heard,
                suspect,
            )
        up, down = await every([self._heard(planted(text, spans, order)) for order in (UPWARD, DOWNWARD)])
        heard["upward"], heard["downward"] = up, down
        return self._outcome(*_verdict(self._judge, first, without, up, down, obeys=obeys), heard, suspect)

    async def _heard(self, text: str, *, counts: bool = False) -> Heard:
        """A reading. One that cannot count needs no quotes, and is not asked for again for lack of them."""
        shown = self._shown._replace(text=text)
        weighing = Weighing(self._submission, shown, self._judge)
        lacking = weighing.lacking if counts else _nothing
        result = await self._asker.ask(self._rubric, shown, ALL, sample=0, lacking=lacking)
        self._calls.append(result.calls)
        stated = weighing.stated(self._names, {name: [result] for name in self._names})
        if not counts:
            opinions = {
                name: Opinion(stated.get(name, Unscored(result.problem or NOT_ANSWERED))) for name in self._names
            }
            return Heard(opinions, Claims(), stated)
        opinions = {name: weighing.opinion(name, [result]) for name in self._names}
        claims = weighing.claims(self._rubric, [result]) if self._claims else Claims(abstained=NOT_ASKED)
        return Heard(opinions, claims, stated)

    def _outcome(self, counts: Variant | None, why: str, heard: Mapping[Variant, Heard], suspect: Suspects) -> Outcome:
        counted = heard[counts] if counts is not None else _unscored(self._names, why, claims=self._claims)
        readings = tuple(one.reading(variant) for variant, one in heard.items())
        influence = Influence(self._judge, len(suspect.spans), readings, counts, why)
        quote = shortened_line(self._shown.text[slice(*suspect.spans[0])].replace(NONCE_HERE, ""), 120)
        several = f"{len(suspect.spans)} passages" if len(suspect.spans) > 1 else "a passage"
        warning = f'injection-suspected: {several} may address the judge, such as "{quote}"; {why}'
        return Outcome(counted, (influence,), (warning,), add_calls(self._calls))


def _verdict(
    judge: str, first: Heard, without: Heard | None, up: Heard, down: Heard, *, obeys: bool
) -> tuple[Variant | None, str]:
    """The variant that counts, if any, and why."""
    # From the weakest suspicion to the strongest. The first reading counts unless the judge can be led, it moved in the
    # way in which it can be led, and there is a reading without the passages to put in its place.
    here = led(up, down, without)
    if here is None:
        return None, f"inconclusive: {judge} gave no usable answer when it read the work with other orders"
    if not here and not obeys:
        return "first", f"orders planted there did not lead {judge}, so its first reading counts"
    can = f"{judge} can be led by orders" + (" planted there" if here else ", as a sample of ours showed")
    if without is None:
        if like_an_order(first):
            return None, f"{can}, and nothing else is left to judge"
        return "first", f"{can}, but its first reading is not one that an order would give"
    if not without.stated:
        return None, f"inconclusive: {can}, and gave no usable answer without the passages"
    if here and not moved_as_led(first, without, up, down):
        return "first", f"orders planted there do not lead {judge} that way, so its first reading counts"
    return "withheld", f"{can}, so its reading without what may address it counts"


def _unscored(names: Sequence[str], why: str, *, claims: bool) -> Heard:
    opinions = {name: Opinion(Unscored(why)) for name in names}
    return Heard(opinions, Claims(abstained=why if claims else NOT_ASKED), {})


def _nothing(answer: Answer) -> str:
    return ""
