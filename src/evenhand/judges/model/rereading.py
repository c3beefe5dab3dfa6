"""Read a work again where passages in it may address the judge, and say what counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Final, Literal, NamedTuple

from evenhand.core.panel.consensus import add_calls
from evenhand.core.values.opinion import Opinion, Unscored
from evenhand.core.values.panel import NOT_ASKED, Calls, Influence, Reading, Variant
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.submission import Submission
from evenhand.in_words import shortened_line
from evenhand.judges.model.alarm import Alarm, Strength, alarm_in, excerpted, given_task_alarm, hints_in, passages_of
from evenhand.judges.model.asking import Asker
from evenhand.judges.model.call_plan import Plan, add_plans
from evenhand.judges.model.influence import (
    Direction,
    Heard,
    Scatter,
    Trial,
    difference,
    is_saturated,
    masked,
    settled,
    shows_an_order,
)
from evenhand.judges.model.neutral_samples import ALL, NeutralSamples, SampleReading
from evenhand.judges.model.together import every
from evenhand.judges.model.weighing import Claims, Weighing
from evenhand.providers.tokens import estimate_input
from evenhand.questions.layout import NONCE_HERE
from evenhand.questions.showing import Shown
from evenhand.screening.suspects import Span

_NO_ROOM: Final = (
    "a passage may address the judge, and the window of {window:,} tokens leaves no room for a reading that would show "
    "whether it has an effect; set a larger window"
)

_TASK: Final = 'the task may address the judge, such as "{quote}"; it is trusted, because you gave it'


class Outcome(NamedTuple):
    """What counts after all readings."""

    heard: Heard
    influence: tuple[Influence, ...] = ()
    warnings: tuple[str, ...] = ()
    """The lines on the scorecard."""
    calls: Calls = Calls(cost=Decimal(0))
    agreed: bool = False
    """Whether no reading differs from the first."""


class _Pair(NamedTuple):
    """Two readings of one text that differ in the masks only."""

    shown: Shown
    masks: tuple[Span, ...]
    with_order: Heard
    other: Heard
    nonce: str


class Rereading:
    """The further readings of one submission by one judge."""

    def __init__(
        self,
        asker: Asker,
        samples: NeutralSamples,
        rubric: Rubric,
        submission: Submission,
        shown: Shown,
        names: Sequence[str],
        *,
        claims: bool,
    ) -> None:
        self._asker = asker
        self._samples = samples
        self._rubric = rubric
        self._submission = submission
        self._shown = shown
        self._names = names
        self._claims = claims
        self._judge = asker.identity["name"]
        self._calls: list[Calls] = []
        self._readings: list[Reading] = []

    async def after(self, first: Heard, scatter: Scatter, *, obeys: bool) -> Outcome:
        """What counts after a first reading. It never counts by default once there is an alarm.

        `obeys` says that the judge is known to obey what it reads: then weaker signs of an order are enough.
        """
        outcome = await self._after(first, scatter, obeys=obeys)
        task = given_task_alarm(self._shown, self._submission)
        if not task:
            return outcome
        quote = shortened_line(task.replace(NONCE_HERE, ""), 120)
        return outcome._replace(warnings=(*outcome.warnings, _TASK.format(quote=quote)))

    async def _after(self, first: Heard, scatter: Scatter, *, obeys: bool) -> Outcome:
        alarm = alarm_in(self._shown, self._submission)
        striking = shows_an_order(first, self._names)
        outcome = Outcome(first, agreed=True)
        if alarm.untrusted or (alarm and (alarm.clear or striking or obeys)):
            self._readings.append(first.reading("first"))
            outcome = await self._read_again(first, alarm, scatter)
        strengths: tuple[Strength, ...] = ("ends",) if is_saturated(first) else ("odd",) if striking else ()
        strengths = ("faint", "any", "wide") if obeys else strengths
        tried = {alarm.masks}
        for strength in strengths:
            hints = hints_in(self._shown, self._submission, strength)
            if outcome.agreed and hints and hints.masks not in tried:
                tried.add(hints.masks)
                outcome = await self._hinted(first, hints, strength, scatter, outcome)
        return outcome

    async def _read_again(self, first: Heard, alarm: Alarm, scatter: Scatter) -> Outcome:
        """After an alarm: read with the words of the order masked, and if that differs, find out why."""
        if alarm.untrusted:
            return self._unscored(alarm, f"{alarm.untrusted} was read from the transcript, and may address the judge")
        pair = await self._pair(first, alarm, "masked", again=alarm_in)
        if pair is None:
            return self._unscored(alarm, _NO_ROOM.format(window=self._asker.window))
        if not pair.other.stated:
            return self._unscored(alarm, f"{self._judge} gave no usable answer with the words masked")
        if not difference(pair.with_order, pair.other, scatter):
            return self._agreed(alarm, first, pair.other)
        number = self._samples.chosen(pair.nonce)
        chance = await self._chance(number)
        scatter = scatter.at_least(chance)
        differs = difference(pair.with_order, pair.other, scatter)
        if not differs:
            return self._agreed(alarm, first, pair.other)
        trial = None
        if differs.higher or differs.lower or differs.claims:
            trial = await self._trial(number, pair.shown, pair.masks, chance)
            if trial is None:
                return self._unscored(alarm, _NO_ROOM.format(window=self._asker.window))
        return self._settled(alarm, first, pair, scatter, trial)

    async def _hinted(
        self, first: Heard, hints: Alarm, strength: Strength, scatter: Scatter, before: Outcome
    ) -> Outcome:
        """Try passages that need not be orders in a sample; only if they have power there, read the work without them.

        A text in two languages, or with data in it, is not worth less for that. So nothing changes without power.
        """
        number = self._samples.chosen(self._asker.nonce_of(self._shown))
        chance = await self._chance(number)
        trial = await self._trial(number, self._shown, hints.masks, chance)
        if trial is None and strength == "faint":
            return self._unscored(hints, _NO_ROOM.format(window=self._asker.window))
        if trial is None or not trial.power:
            self._readings = [reading for reading in self._readings if not reading.variant.startswith("sample")]
            return before._replace(calls=add_calls(self._calls))
        if not before.influence:
            self._readings.insert(0, first.reading("first"))
        variant: Variant = "masked-further" if before.influence else "masked"
        pair = await self._pair(first, hints, variant, again=partial(hints_in, strength=strength))
        if pair is None:
            return self._unscored(hints, _NO_ROOM.format(window=self._asker.window))
        if not pair.other.stated:
            return self._unscored(hints, f"{self._judge} gave no usable answer with the words masked")
        scatter = scatter.at_least(chance)
        if not difference(pair.with_order, pair.other, scatter):
            return self._agreed(hints, first, pair.other)
        return self._settled(hints, first, pair, scatter, trial)

    async def _pair(
        self, first: Heard, alarm: Alarm, variant: Variant, again: Callable[[Shown, Submission], Alarm]
    ) -> _Pair | None:
        """Two readings to compare: the work as it is, which is known from the first reading, and masked.

        Where the work does not fit beside the question about everything, a shorter excerpt takes its place in both;
        None if that does not fit either.
        """
        shown = self._fitting(alarm)
        if shown is None:
            return None
        with_order, masks = first, alarm.masks
        if shown is not self._shown:
            masks = again(shown, self._submission).masks
            with_order, _ = await self._heard(shown, "excerpt")
        other, nonce = await self._heard(shown._replace(text=masked(shown.text, masks), masked=True), variant)
        return _Pair(shown, masks, with_order, other, nonce)

    def _settled(self, alarm: Alarm, first: Heard, pair: _Pair, scatter: Scatter, trial: Trial | None) -> Outcome:
        differs = difference(first, pair.other, scatter) or difference(pair.with_order, pair.other, scatter)
        heard, power = settled(first, pair.other, differs, trial)
        return self._outcome(alarm, heard, _why(self._judge, heard, power), power=power or "none")

    async def _chance(self, number: int) -> Scatter:
        """How far this judge's readings of a sample differ by chance."""
        scatter, calls = await self._samples.scatter(number)
        self._calls.append(calls)
        return scatter

    async def _trial(
        self, number: int, shown: Shown, masks: Sequence[tuple[int, int]], scatter: Scatter
    ) -> Trial | None:
        passage = passages_of(shown.text, masks, self._samples.longest())
        if passage is None:
            return None
        as_it_is, without = passage
        (plain, plain_calls), (hidden, hidden_calls) = await every(
            [self._samples.read(number, as_it_is), self._samples.read(number, without, masked=True)]
        )
        self._calls += [plain_calls, hidden_calls]
        variants: tuple[tuple[Variant, SampleReading], ...] = (("sample", plain), ("sample-masked", hidden))
        self._readings += [Reading(variant, dict(reading.stated)) for variant, reading in variants]
        return Trial(plain.stated, hidden.stated, scatter, _claims_moved(plain, hidden))

    def _fitting(self, alarm: Alarm) -> Shown | None:
        """The work, or an excerpt around the passages, as far as it fits beside the question about everything."""
        if self._asker.window is None:
            return self._shown
        frame = estimate_input(self._asker.first_messages(self._rubric, self._shown._replace(text="-"), ALL))
        room = self._asker.window - self._asker.settings.max_tokens - frame
        return excerpted(self._shown, alarm, room)

    async def _heard(self, shown: Shown, variant: Variant) -> tuple[Heard, str]:
        """A reading in one question about everything, and its nonce."""
        weighing = Weighing(self._submission, shown, self._judge)
        result = await self._asker.ask(self._rubric, shown, ALL, sample=0, lacking=weighing.lacking)
        self._calls.append(result.calls)
        stated = weighing.stated(self._names, {name: [result] for name in self._names})
        opinions = {name: weighing.opinion(name, [result]) for name in self._names}
        claims = weighing.claims(self._rubric, [result]) if self._claims else Claims(abstained=NOT_ASKED)
        heard = Heard(opinions, claims, stated)
        self._readings.append(heard.reading(variant))
        return heard, result.nonce

    def _agreed(self, alarm: Alarm, first: Heard, other: Heard) -> Outcome:
        blank = [name for name in self._names if name not in first.stated and name in other.stated]
        why = f"with its words masked, {self._judge} came to the same result, so its first reading counts"
        if not blank and (first.claims.abstained in (None, NOT_ASKED) or other.claims.abstained is not None):
            return self._outcome(alarm, first, why)._replace(agreed=True)
        opinions = {name: other.opinions[name] if name in blank else first.opinions[name] for name in self._names}
        claims = first.claims if first.claims.abstained in (None, NOT_ASKED) else other.claims
        filled = Heard(opinions, claims, {**other.stated, **first.stated})
        return self._outcome(alarm, filled, f"{why}; what it left blank there is taken from the masked one")

    def _unscored(self, alarm: Alarm, why: str) -> Outcome:
        opinions = {name: Opinion(Unscored(why)) for name in self._names}
        heard = Heard(opinions, Claims(abstained=why if self._claims else NOT_ASKED), {})
        return self._outcome(alarm, heard, f"{why}, so none of its scores counts")

    def _outcome(
        self, alarm: Alarm, heard: Heard, why: str, *, power: Literal["upward", "downward", "none"] | None = None
    ) -> Outcome:
        counted = heard.reading("settled")
        same = next((reading.variant for reading in self._readings[:1] if reading.scores == counted.scores), None)
        readings = tuple(self._readings) if same else (*self._readings, counted)
        influence = Influence(self._judge, max(1, alarm.number), readings, same or "settled", why, power)
        quote = shortened_line(alarm.quote.replace(NONCE_HERE, ""), 120)
        several = f"{alarm.number} passages" if alarm.number > 1 else "a passage"
        warning = f'injection-suspected: {several} may address the judge, such as "{quote}"; {why}'
        return Outcome(heard, (influence,), (warning,), add_calls(self._calls))

    def plan(self) -> tuple[Plan, Plan]:
        """Estimate the further readings at most, and what the sample takes once per judge; nothing without an alarm."""
        nothing = Plan(cost=Decimal(0))
        suspected, hints = alarm_in(self._shown, self._submission), hints_in(self._shown, self._submission, "odd")
        alarm = suspected or hints
        shown = self._fitting(alarm) if alarm and not alarm.untrusted else None
        if shown is None:
            return nothing, nothing
        search = alarm_in if suspected else partial(hints_in, strength="odd")
        masks = alarm.masks if shown is self._shown else search(shown, self._submission).masks
        hidden = shown._replace(text=masked(shown.text, masks), masked=True)
        variants = [hidden]
        variants += [shown] if shown is not self._shown else []
        variants += [hidden] if suspected and hints.masks not in ((), suspected.masks) else []
        plans = [self._asker.plan(self._rubric, variant, [ALL], samples=1) for variant in variants]
        number = self._samples.chosen(self._asker.nonce_of(hidden))
        passage = passages_of(shown.text, masks, self._samples.longest())
        if passage is not None:
            plans.append(self._samples.plan_trial(number, [(passage[0], False), (passage[1], True)]))
        return add_plans(plans), self._samples.plan(number)


def _claims_moved(plain: SampleReading, hidden: SampleReading) -> Direction | None:
    if plain.red_flags > hidden.red_flags or plain.bonuses < hidden.bonuses:
        return "downward"
    return "upward" if plain.red_flags < hidden.red_flags or plain.bonuses > hidden.bonuses else None


def _why(judge: str, heard: Heard, power: Direction | None) -> str:
    if power is None:
        return f"masked, {judge} came to another result, but in a sample of ours the words had no power over it"
    which = "lower" if power == "upward" else "higher"
    moved = "lifted" if power == "upward" else "lowered"
    return f"it {moved} a sample of ours, so the {which} of its readings with and without these words counts"
