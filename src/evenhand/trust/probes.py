"""A judge's self-test: the built-in outputs and their variants judged, the effects worked out, the card kept.

Every reading is a fresh one: replies of earlier judging are not used. The replies of a test that was interrupted are
kept in a file beside the store, so that the same command goes on where it stopped; a finished test removes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evenhand import clock
from evenhand.core.basics.canonical import canonical_text, names_text, sha256
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.documents.judge_card import card_document, card_from
from evenhand.core.documents.receipt import terms_of
from evenhand.core.trust.judge_card import JudgeCard, ProbeChange, compare_cards, noise_of, scale_use
from evenhand.core.trust.probe_effects import Changes, Probe, judge_probes
from evenhand.core.values.model_options import ModelOptions
from evenhand.core.values.preference import PairReading, PairResult
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import DocumentError, InputError, Unavailable
from evenhand.judges.model.budget import Budget
from evenhand.judges.model.call_plan import Plan, add_plans
from evenhand.judges.probing.catalogue import PAIRS, PROBES, baseline, probes
from evenhand.judges.probing.probe_items import probe_items
from evenhand.judges.probing.variants import AGAIN, BANDS, BASE, own_family, variants
from evenhand.judging.panel import OpenPanel, run_to_the_end
from evenhand.judging.panel_judging import PanelJudging
from evenhand.judging.preferences import Pair, PairComparison
from evenhand.judging.steps import Steps
from evenhand.rubrics.library import DEFAULT
from evenhand.rubrics.resolved import resolve
from evenhand.store.judge_cards import StoredCard

if TYPE_CHECKING:
    from evenhand.store.protocol import Store

Key = tuple[str, str]
"""An item and a variant of it."""

CONTINUES = "replies already paid for are kept; run the same command again to continue"


class ProbeOutcome(NamedTuple):
    """A finished test, and how it differs from the last one of the same judge."""

    card: JudgeCard
    since: JudgeCard | None = None
    changes: tuple[ProbeChange, ...] = ()


class ProbeTest:
    """One test of one judge."""

    def __init__(
        self,
        spec: str,
        options: ModelOptions,
        *,
        quick: bool = False,
        notice: Callable[[str], None] | None = None,
        needs_key: bool = True,
    ) -> None:
        if spec == "checks":
            raise InputError("checks calls no model; there is nothing to probe")
        self._rubric = resolve(DEFAULT).rubric
        self.budget = Budget(max_calls=options.max_calls, max_cost=options.max_cost)
        self._panel = OpenPanel((spec,), options, budget=self.budget, notice=notice, needs_key=needs_key)
        self.spec = spec if self._panel.chosen is None else self._panel.chosen.spec
        kept = None if options.replies is None else f"{options.replies}-again"
        # Another panel has other nonces, so that the second reading of an output is a second question.
        self._again = OpenPanel((self.spec,), replace(options, replies=kept), budget=self.budget, needs_key=needs_key)
        self._comparison = PairComparison(self._panel, Steps(self._rubric))
        self._kept = [Path(path) for path in (options.replies, kept) if path is not None]
        self.identity: Mapping[str, str] = self._panel.judge.identity
        self._size = "quick" if quick else "full"
        self._model = self.identity.get("model", self.identity["name"])
        self.skipped = {} if own_family(self._model) else {"own-family": "the judge's name does not show its family"}
        self._probes = tuple(probe for probe in probes(quick=quick) if probe.name not in self.skipped)
        self._made = variants(self._model)
        self._wanted = [(item, variant) for variant in _variants(self._probes) for item in probe_items()]

    @property
    def readings(self) -> int:
        """How many times an output is judged."""
        return len(self._wanted)

    def plan(self) -> Plan:
        """What the test takes, without calling a model."""
        plans = []
        steps = Steps(self._rubric)
        for panel, chosen in (
            (self._panel, self._of(lambda name: name != AGAIN)),
            (self._again, self._of(AGAIN.__eq__)),
        ):
            plans += [plan for _, plan in PanelJudging(panel, steps).plan(chosen.values())[1]]
        plans += [plan for _, plan in self._comparison.plan_pairs(self._pairs())]
        return add_plans(plans)

    async def make(self, tick: Callable[[], None] = lambda: None) -> JudgeCard:
        """Judge everything and work out the card; `tick` is called after every reading.

        Unavailable when the run stops before the end.
        """
        cards: dict[Key, Scorecard | None] = {}
        async with self._panel, self._again:
            for panel, rubric, chosen in (
                (self._panel, self._rubric, self._of(lambda name: name not in (AGAIN, BANDS))),
                (self._panel, reversed_bands(self._rubric), self._of(BANDS.__eq__)),
                (self._again, self._rubric, self._of(AGAIN.__eq__)),
            ):
                read = await PanelJudging(panel, Steps(rubric)).cards(list(chosen.values()), tick)
                cards |= dict(zip(chosen, read, strict=True))
            compared = await self._comparison.compare_here(self._pairs()) if self.budget.stopped is None else ()
        stopped = self.budget.stopped or self._panel.never_answered
        if stopped is not None:
            raise Unavailable(f"{stopped}; {CONTINUES}")
        card = self._card(cards, compared)
        for path in self._kept:
            path.unlink(missing_ok=True)
        return card

    def _card(self, cards: Mapping[Key, Scorecard | None], compared: Sequence[PairResult]) -> JudgeCard:
        leans = {result.item: lean(result.judges[0].readings) for result in compared}
        changes = [
            Changes(probe, leans, {}) if probe.name == PAIRS else _changes(probe, cards) for probe in self._probes
        ]
        again = [value for value in changes[0].final.values() if value is not None]
        given = [card.dimensions[name].score if card else None for card in cards.values() for name in DIMENSIONS]
        return JudgeCard(
            id=clock.new_id(),
            created=clock.now(),
            judge=self.identity,
            served=self._panel.served,
            size=self._size,
            material=material(self._model, self._rubric),
            readings=self.readings,
            calls=self.budget.calls,
            cost=self.budget.cost,
            results=judge_probes(changes),
            skipped=self.skipped,
            noise=noise_of(again),
            scale=scale_use(given),
        )

    def _of(self, chosen: Callable[[str], bool]) -> dict[Key, Submission]:
        return {(item.id, name): self._made[name](item) for item, name in self._wanted if chosen(name)}

    def _pairs(self) -> list[Pair]:
        """Each output next to its twin in a more confident tone: alike enough for the order to decide."""
        probe = next((probe for probe in self._probes if probe.name == PAIRS), None)
        if probe is None:
            return []
        left, right = self._made[probe.first], self._made[probe.second]
        return [Pair(item.id, probe.first, probe.second, left(item), right(item)) for item in probe_items()]


def probe_judge(test: ProbeTest, store: Store | None, tick: Callable[[], None] = lambda: None) -> ProbeOutcome:
    """Make a test, compare it with the last of the same judge, and keep it."""
    return keep_card(run_to_the_end(test.make(tick)), store)


def keep_card(card: JudgeCard, store: Store | None) -> ProbeOutcome:
    """A card stored, with the one before it."""
    if store is None:
        return ProbeOutcome(card)
    identity = names_text(card.judge)
    with store.transaction():
        earlier = store.judge_cards(identity=identity, limit=1)
        text = canonical_text(card_document(card))
        store.add_judge_card(StoredCard(card.id, card.created, card.name, identity, text))
    return _compared(card, earlier)


def stored_outcomes(store: Store, judge: str | None = None) -> list[ProbeOutcome]:
    """The newest card of a judge, or of every judge, each with the one before it."""
    rows = store.newest_judge_cards() if judge is None else store.judge_cards(judge=judge, limit=1)
    if judge is not None and not rows:
        known = ", ".join(row.judge for row in store.newest_judge_cards())
        has = f"; it has cards of {known}" if known else ""
        raise InputError(f'no card of a judge "{judge}" in {store.url}{has}; make one with: evenhand probe {judge}')
    return [_compared(read_card(row), store.judge_cards(identity=row.identity, limit=2)[1:]) for row in rows]


def _compared(card: JudgeCard, earlier: Sequence[StoredCard]) -> ProbeOutcome:
    if not earlier:
        return ProbeOutcome(card)
    since = read_card(earlier[0])
    return ProbeOutcome(card, since, compare_cards(since, card))


def read_card(row: StoredCard) -> JudgeCard:
    """A stored card. Unavailable when its row was damaged."""
    import json

    try:
        return card_from(json.loads(row.document))
    except (ValueError, DocumentError) as error:
        raise Unavailable(f"the stored card {row.id} is damaged: {error}") from None


def reversed_bands(rubric: Rubric) -> Rubric:
    """The rubric with the lowest band first."""
    return rubric._replace(
        dimensions={name: criteria._replace(bands=criteria.bands[::-1]) for name, criteria in rubric.dimensions.items()}
    )


def material(model: str, rubric: Rubric) -> str:
    """The hash of everything a judge is shown in a full test."""
    makers = variants(model)
    shown = [
        [item.id, name, makers[name](item).task, makers[name](item).output]
        for name in _variants(PROBES)
        for item in probe_items()
    ]
    return sha256(canonical_text([terms_of(rubric).sha256, shown]))


def lean(readings: Sequence[PairReading]) -> float | None:
    """How far a judge leans to the output shown first, from -1 to 1, over both orders; None without both verdicts."""
    values = {"first": 1.0, "second": -1.0, "tie": 0.0}
    verdicts = [reading.verdict for reading in readings]
    if not all(verdict in values for verdict in verdicts):
        return None
    return sum(values[str(verdict)] for verdict in verdicts) / len(verdicts)


def _variants(chosen: Sequence[Probe]) -> list[str]:
    scored = [probe for probe in chosen if probe.name != PAIRS]
    return list(dict.fromkeys([BASE, *(name for probe in scored for name in (probe.first, probe.second))]))


def _changes(probe: Probe, cards: Mapping[Key, Scorecard | None]) -> Changes:
    final, dimension = {}, {}
    for item in probe_items():
        second = cards[item.id, probe.second]
        firsts = [cards[item.id, name] for name in baseline(probe)]
        final[item.id] = _change([card and card.raw_final for card in firsts], second and second.raw_final)
        if probe.dimension is not None:
            name = probe.dimension
            before = [card and card.dimensions[name].score for card in firsts]
            dimension[item.id] = _change(before, second and second.dimensions[name].score)
    return Changes(probe, final, dimension)


def _change(firsts: Sequence[Decimal | None], second: Decimal | None) -> float | None:
    """The change from the mean of the first readings that have a score; None without one, or without the second."""
    known = [score for score in firsts if score is not None]
    return float(second - sum(known, Decimal(0)) / len(known)) if known and second is not None else None
