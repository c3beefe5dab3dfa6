"""Read a work again where passages in it may address the judge, and say what counts."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from evenhand.core.panel import add_calls
from evenhand.core.values import NOT_ASKED, Calls, Influence, Opinion, Reading, Rubric, Unscored, Variant
from evenhand.in_words import shortened_line
from evenhand.judges.model.alarm import (
    Alarm,
    Search,
    alarm_in,
    excerpted,
    given_alarms,
    joined,
    odd_in,
    passages_of,
    search_in,
)
from evenhand.judges.model.asking import Asker
from evenhand.judges.model.call_plan import Plan, add_plans
from evenhand.judges.model.influence import (
    Direction,
    Heard,
    Scatter,
    Trial,
    difference,
    is_low,
    is_saturated,
    masked,
    settled,
    shows_an_order,
)
from evenhand.judges.model.neutral_samples import ALL, NeutralSamples, SampleAlone, SampleReading
from evenhand.judges.model.together import every
from evenhand.judges.model.weighing import Claims, Weighing
from evenhand.providers.tokens import estimate_input
from evenhand.questions.layout import NONCE_HERE
from evenhand.questions.shown_work import Shown
from evenhand.screening.suspects import Span
from evenhand.work.submission import Submission

_NO_ROOM: Final = (
    "a passage may address the judge, and the window of {window:,} tokens leaves no room for a reading that would show "
    "whether it has an effect; set a larger window"
)

MOST_FURTHER: Final = 4
"""Calls about a work and its passages after the first reading; those about a sample alone are made once per judge."""
MOST_OF_OBEYING: Final = 6
"""Calls after the first reading by a judge that is known to obey what it reads."""
_GIVEN: Final = 'the {what} may address the judge, such as "{quote}"; it is trusted, because you gave it'


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
        self._further, self._most = 0, MOST_FURTHER
        self._readings: list[Reading] = []
        self._tried: dict[tuple[int, str], SampleReading] = {}

    async def after(self, first: Heard, scatter: Scatter, *, obeys: bool) -> Outcome:
        """What counts after a first reading. It never counts by default once there is an alarm.

        `obeys` says that the judge is known to obey what it reads: then weaker signs of an order are enough.
        """
        outcome = await self._after(first, scatter, obeys=obeys)
        given = [
            _GIVEN.format(what=what, quote=shortened_line(quote.replace(NONCE_HERE, ""), 120))
            for what, quote in given_alarms(self._shown, self._submission)
        ]
        return outcome._replace(warnings=(*outcome.warnings, *given)) if given else outcome

    async def _after(self, first: Heard, scatter: Scatter, *, obeys: bool) -> Outcome:
        alarm = alarm_in(self._shown, self._submission)
        striking = shows_an_order(first, self._names)
        outcome = Outcome(first, agreed=True)
        if alarm.untrusted or (alarm and (alarm.clear or striking or obeys)):
            self._readings.append(first.reading("first"))
            outcome = await self._read_again(first, alarm, scatter)
        self._most = MOST_OF_OBEYING if obeys else MOST_FURTHER
        if outcome.agreed and (obeys or striking):
            thorough = obeys or is_saturated(first.stated) or len(first.stated) < len(self._names)
            search = (search_in if thorough else odd_in)(self._shown, self._submission)
            search = search.without(alarm.masks) if outcome.influence else search
            if search:
                outcome = await self._searched(first, search, scatter, outcome, alarm.masks)
        return outcome

    async def _read_again(self, first: Heard, alarm: Alarm, scatter: Scatter) -> Outcome:
        """After an alarm: read with the words of the order masked, and if that differs, find out why."""
        if alarm.untrusted:
            return self._unscored(alarm, f"{alarm.untrusted} was read from the transcript, and may address the judge")
        pair = await self._pair(first, alarm.masks, "masked")
        if pair is None:
            return self._unscored(alarm, _NO_ROOM.format(window=self._asker.window))
        if not pair.other.stated:
            return self._unscored(alarm, f"{self._judge} gave no usable answer with the words masked")
        if not difference(pair.with_order, pair.other, scatter):
            return self._agreed(alarm, first, pair.other)
        number = self._samples.chosen(pair.nonce)
        alone = await self._alone(number)
        scatter = scatter.at_least(alone.scatter)
        differs = difference(pair.with_order, pair.other, scatter)
        if not differs:
            return self._agreed(alarm, first, pair.other)
        trial = None
        if differs.higher or differs.lower or differs.claims:
            trial = await self._trial(number, alarm.masks, alone.scatter)
            if trial is None:
                return self._unscored(alarm, _NO_ROOM.format(window=self._asker.window))
        return self._settled(alarm, first, pair, scatter, trial)

    async def _searched(
        self, first: Heard, search: Search, scatter: Scatter, before: Outcome, masks: Sequence[Span]
    ) -> Outcome:
        """Try passages that need not be orders in a sample; only if they move it, find the words that do, and read the
        work without them.

        A text in two languages, or with data in it, is not worth less for that. So nothing changes without power.
        """
        number = self._samples.chosen(self._asker.nonce_of(self._shown))
        alone = await self._alone(number)
        known = len(self._readings)
        trial = None
        if not is_low(first):
            trial = await self._moved(number, search, alone)
            if trial is None:  # too long: what may be an order is tried alone
                search = search.likely
                trial = await self._moved(number, search, alone)
        if is_low(first) or (trial is not None and trial.direction(frozenset()) == "downward"):
            search = search.likely
            trial = await self._lowered(number, search, alone)
        if trial is None or not trial.power or trial.lowers_some:
            del self._readings[known:]
            return before._replace(calls=add_calls(self._calls))
        search, trial = await self._narrowed(number, search, trial, alone)
        if not before.influence:
            self._readings.insert(0, first.reading("first"))
        found = search.passages(self._shown.text)
        alarm = Alarm(len(found), found, self._shown.text[slice(*found[0])])
        # With what was masked before: half of an order may stand in each.
        spans = tuple(joined(sorted((*found, *masks)))) if before.influence else found
        pair = await self._pair(first, spans, "masked-further" if before.influence else "masked")
        if pair is None:
            return self._unscored(alarm, _NO_ROOM.format(window=self._asker.window))
        if not pair.other.stated:
            return self._unscored(alarm, f"{self._judge} gave no usable answer with the words masked")
        scatter = scatter.at_least(alone.scatter)
        if difference(pair.with_order, pair.other, scatter):
            # Nothing but an order brings a sample with a mistake in it to an end of the scale.
            known_power = search.shown or is_saturated(trial.as_it_is)
            return self._settled(alarm, first, pair, scatter, trial if known_power else None)
        if trial.direction(frozenset()) == "upward":
            return self._unscored(alarm, "it lifted a sample of ours, but the words that do so were not found")
        outcome = self._agreed(alarm, first, pair.other)
        return before._replace(calls=outcome.calls) if outcome.agreed else outcome

    async def _narrowed(self, number: int, search: Search, trial: Trial, alone: SampleAlone) -> tuple[Search, Trial]:
        """The likeliest part that has power on its own, with its trial; what is left where none was found to."""
        whole = search
        while search and self._further < self._most - 1:
            some, rest = search.parts()
            if not rest and search.shown:
                break
            narrower = await self._moved(number, some, alone)
            if narrower is not None and narrower.power:
                return some, narrower
            search = rest
        return search or whole._replace(shown=False), trial

    async def _moved(self, number: int, search: Search, alone: SampleAlone) -> Trial | None:
        """What some sentences do to a sample, compared with the sample alone; None when there is no room for them."""
        passage = search.cut_out(self._shown.text, self._samples.longest())
        if passage is None:
            return None
        return Trial((await self._in_sample(number, passage)).stated, alone.stated, alone.scatter)

    async def _lowered(self, number: int, search: Search, alone: SampleAlone) -> Trial | None:
        """What some sentences do to a sample, compared with the same ones masked: any text that has no place in a
        sample lowers it, and masked it has none either."""
        passage = search.cut_out(self._shown.text, self._samples.longest())
        if not passage:
            return None
        hidden = masked(passage, [(0, len(passage))])
        as_it_is, without = await every(
            [self._in_sample(number, passage), self._in_sample(number, hidden, masked=True)]
        )
        return Trial(as_it_is.stated, without.stated, alone.scatter)

    async def _pair(self, first: Heard, masks: Sequence[Span], variant: Variant) -> _Pair | None:
        """Two readings to compare: the work as it is, which is known from the first reading, and masked.

        Where the work does not fit beside the question about everything, a shorter excerpt takes its place in both;
        None if that does not fit either.
        """
        shown = self._fitting(masks)
        if shown is None:
            return None
        plain, hidden = shown
        with_order = first
        if plain is not self._shown:
            with_order, _ = await self._heard(plain, "excerpt")
        other, nonce = await self._heard(hidden, variant)
        return _Pair(with_order, other, nonce)

    def _settled(self, alarm: Alarm, first: Heard, pair: _Pair, scatter: Scatter, trial: Trial | None) -> Outcome:
        differs = difference(first, pair.other, scatter) or difference(pair.with_order, pair.other, scatter)
        heard, power = settled(first, pair.other, differs, trial)
        return self._outcome(alarm, heard, _why(self._judge, heard, power), power=power or "none")

    async def _alone(self, number: int) -> SampleAlone:
        """What this judge makes of a sample alone."""
        alone, calls = await self._samples.alone(number)
        self._calls.append(calls)
        return alone

    async def _trial(self, number: int, masks: Sequence[Span], scatter: Scatter) -> Trial | None:
        """What the paragraphs with these words do to a sample, compared with the same ones masked."""
        passage = passages_of(self._shown.text, masks, self._samples.longest())
        if passage is None:
            return None
        as_it_is, without = passage
        plain, hidden = await every([self._in_sample(number, as_it_is), self._in_sample(number, without, masked=True)])
        return Trial(plain.stated, hidden.stated, scatter, _claims_moved(plain, hidden))

    async def _in_sample(self, number: int, passage: str, *, masked: bool = False) -> SampleReading:
        known = self._tried.get((number, passage))
        if known is not None:  # asked already, when it was not known yet which way it moves the sample
            return known
        reading, calls = await self._samples.read(number, passage, masked=masked)
        self._tried[number, passage] = reading
        self._calls.append(calls)
        self._further += 1
        self._readings.append(Reading("sample-masked" if masked else "sample", dict(reading.stated)))
        return reading

    def _fitting(self, masks: Sequence[Span]) -> tuple[Shown, Shown] | None:
        """The work as it is and masked, or excerpts of it, as far as they fit beside the question about everything."""
        if self._asker.window is None:
            return self._shown, self._shown._replace(text=masked(self._shown.text, masks), masked=True)
        frame = estimate_input(self._asker.first_messages(self._rubric, self._shown._replace(text="-"), ALL))
        room = self._asker.window - self._asker.settings.max_tokens - frame
        return excerpted(self._shown, masks, room)

    async def _heard(self, shown: Shown, variant: Variant) -> tuple[Heard, str]:
        """A reading in one question about everything, and its nonce."""
        weighing = Weighing(self._submission, shown, self._judge)
        result = await self._asker.ask(self._rubric, shown, ALL, sample=0, lacking=weighing.lacking)
        self._calls.append(result.calls)
        self._further += variant != "excerpt"
        stated = weighing.stated(self._names, {name: [result] for name in self._names})
        opinions = {name: weighing.opinion(name, [result]) for name in self._names}
        claims = weighing.claims([result]) if self._claims else Claims(abstained=NOT_ASKED)
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

    def plan(self) -> Plan:
        """Estimate the further calls at most, and what the sample takes once per judge.

        They are part of the calls where words of the work may raise an alarm, and apart from them where only its scores
        could, which no one knows beforehand. Apart, too, are those that only a judge takes that is known to obey.
        """
        alarm = alarm_in(self._shown, self._submission)
        if alarm.untrusted:
            return Plan(cost=Decimal(0))
        odd, search = odd_in(self._shown, self._submission), search_in(self._shown, self._submission)
        pair = self._fitting(alarm.masks or odd.spans or search.spans)
        if pair is None or not search:
            return Plan(cost=Decimal(0))
        plain, hidden = pair
        readings = [hidden, hidden, *([plain, plain] if plain is not self._shown else [])]
        plans = [self._asker.plan(self._rubric, shown, [ALL], samples=1) for shown in readings]
        # Without an alarm any sample will do: a nonce would need a secret, and a plan makes none.
        number = self._samples.chosen(self._asker.nonce_of(hidden)) if alarm or odd else 0
        room = self._samples.longest()
        tried = search.cut_out(self._shown.text, room) or search.likely.cut_out(self._shown.text, room)
        plans += [self._samples.plan_trial(number, [(tried, False)] * (MOST_FURTHER - 2))] if tried else []
        plan = add_plans([*plans, self._samples.plan(number)])
        plan = plan if alarm or odd else plan.if_scores_stand_out()
        if not tried:
            return plan
        more = self._samples.plan_trial(number, [(tried, False)] * (MOST_OF_OBEYING - MOST_FURTHER))
        return add_plans([plan, more.if_scores_stand_out()])


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
