"""A judge's self-test: the built-in outputs and their variants judged, the effects worked out, the card kept.

Every reading is a fresh one: replies of earlier judging are not used. The replies of a test that was interrupted are
kept in a file beside the store, so that the same command goes on where it stopped; a finished test removes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand import clock
from evenhand.core.receipt import canonical_text, names_text, sha256, terms_of
from evenhand.core.rubric import Rubric
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.preference import PairReading, PairResult
from evenhand.errors import DocumentError, InputError, Unavailable
from evenhand.judges.models.budget import Budget
from evenhand.judges.models.call_plan import Plan, add_plans
from evenhand.judges.probing.own_outputs import OWN_PROBES, OwnOutput, own_variants
from evenhand.judges.probing.probes import (
    AGAIN,
    BANDS,
    BASE,
    PAIRS,
    PROBES,
    Item,
    baseline,
    own_family,
    probe_items,
    probes,
    variants,
)
from evenhand.judging.panels.panel import OpenPanel, run_to_the_end
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.panels.preferences import Pair, PairComparison
from evenhand.judging.steps import Steps, read_submissions
from evenhand.options.model_options import ModelOptions
from evenhand.rubrics.library import DEFAULT
from evenhand.rubrics.resolved import resolve
from evenhand.stats.trust.judge_card import (
    JudgeCard,
    ProbeChange,
    card_document,
    card_from,
    compare_cards,
    noise_of,
    scale_use,
)
from evenhand.stats.trust.probe_effects import LEAST_PAIRS, Changes, Probe, accusation_rate, judge_probes
from evenhand.store.tables.judge_cards import StoredCard
from evenhand.work.submission import Submission

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


class OwnMaterial(NamedTuple):
    """A user's outputs to probe a judge with, and the rubric it judges them by."""

    name: str
    items: tuple[OwnOutput, ...]
    rubric: Rubric


OWN_OUTPUTS = 10
"""How many of a user's outputs are judged unless another number is asked for."""


def own_material(
    paths: Sequence[str], *, rubric: str | Path | Rubric | None = None, task: str | None = None, most: int = OWN_OUTPUTS
) -> OwnMaterial:
    """Outputs from files, folders and transcripts, taken by their final message: evenly spread over all there
    are. InputError for what cannot be read, and for fewer than are needed to claim anything."""
    found: list[OwnOutput] = []
    for submission in read_submissions(paths, task=task):
        if isinstance(submission, InputError):
            raise submission
        if submission.output.strip():
            found.append(OwnOutput(f"output-{len(found) + 1}", submission.task, submission.output))
    if len(found) < LEAST_PAIRS:
        raise InputError(f"{', '.join(paths)}: {len(found)} outputs; a probe needs at least {LEAST_PAIRS}")
    step = max(1.0, len(found) / most)
    chosen = [found[int(place * step)] for place in range(min(most, len(found)))]
    name = f"{len(chosen)} of {len(found)} outputs of {', '.join(paths)}"
    return OwnMaterial(name, tuple(chosen), resolve(rubric or DEFAULT).rubric)


class ProbeTest:
    """One test of one judge."""

    def __init__(
        self,
        spec: str,
        options: ModelOptions,
        *,
        quick: bool = False,
        on: OwnMaterial | None = None,
        notice: Callable[[str], None] | None = None,
        needs_key: bool = True,
    ) -> None:
        """With `on`, the outputs are a user's own, and so are the probes."""
        if spec == "checks":
            raise InputError("checks calls no model; there is nothing to probe")
        self._on = on
        self._rubric = resolve(DEFAULT).rubric if on is None else on.rubric
        self.budget = Budget(max_calls=options.max_calls, max_cost=options.max_cost)
        self._panel = OpenPanel((spec,), options, budget=self.budget, notice=notice, needs_key=needs_key)
        self.spec = spec if self._panel.chosen is None else self._panel.chosen.spec
        kept = None if options.replies is None else f"{options.replies}-again"
        # Another panel has other nonces, so that the second reading of an output is a second question.
        self._again = OpenPanel((self.spec,), replace(options, replies=kept), budget=self.budget, needs_key=needs_key)
        self._comparison = PairComparison(self._panel, Steps(self._rubric))
        self._kept = [Path(path) for path in (options.replies, kept) if path is not None]
        self.identity: Mapping[str, str] = self._panel.judge.identity
        self._model = self.identity.get("model", self.identity["name"])
        self.skipped: dict[str, str] = {}
        self._items: Sequence[Item | OwnOutput] = probe_items() if on is None else on.items
        if on is None:
            self._size = "quick" if quick else "full"
            if not own_family(self._model):
                self.skipped["own-family"] = "the judge's name does not show its family"
            self._probes = tuple(probe for probe in probes(quick=quick) if probe.name not in self.skipped)
            self._variants: Mapping[str, Callable[[Any], Submission | None]] = variants(self._model)
        else:
            self._size, self._variants = "own", own_variants()
            self._probes = OWN_PROBES
        made = {(item.id, name): self._variants[name](item) for name in _variants(self._probes) for item in self._items}
        self._made: dict[Key, Submission] = {key: shown for key, shown in made.items() if shown is not None}

    @property
    def readings(self) -> int:
        """How many times an output is judged."""
        return len(self._made)

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
            Changes(probe, leans, {}) if probe.name == PAIRS else self._changes(probe, cards) for probe in self._probes
        ]
        again = [value for value in changes[0].final.values() if value is not None]
        given = [card.dimensions[name].score if card else None for card in cards.values() for name in DIMENSIONS]
        return JudgeCard(
            id=clock.new_id(),
            created=clock.now(),
            judge=self.identity,
            served=self._panel.served,
            size=self._size,
            material=material(self._model, self._rubric) if self._on is None else self._own_material(),
            readings=self.readings,
            calls=self.budget.calls,
            cost=self.budget.cost,
            results=judge_probes(changes),
            skipped=self.skipped,
            noise=noise_of(again),
            scale=scale_use(given),
            outputs=None if self._on is None else self._on.name,
            false_accusations=None if self._on is None else self._false_accusations(changes, again),
        )

    def _false_accusations(self, changes: Sequence[Changes], again: Sequence[float]) -> float | None:
        sizes = {entry.probe.name: sum(value is not None for value in entry.final.values()) for entry in changes}
        return accusation_rate(self._probes, sizes, again)

    def _own_material(self) -> str:
        """The hash of everything the judge is shown."""
        shown = [[*key, item.task, item.output] for key, item in self._made.items()]
        return sha256(canonical_text([terms_of(self._rubric).sha256, shown]))

    def _changes(self, probe: Probe, cards: Mapping[Key, Scorecard | None]) -> Changes:
        """What a probe changed, output by output; of every dimension where outputs are a user's own."""
        items = [item.id for item in self._items if (item.id, probe.second) in self._made]

        def of(score: Callable[[Scorecard], Decimal | None]) -> dict[str, float | None]:
            changes = {}
            for item in items:
                read = [cards[item, name] for name in (*baseline(probe), probe.second)]
                *firsts, second = [None if card is None else score(card) for card in read]
                changes[item] = _change(firsts, second)
            return changes

        named = DIMENSIONS if self._on is not None else () if probe.dimension is None else (probe.dimension,)
        by_name = {name: of(partial(_dimension_score, name)) for name in named}
        concerned = {} if probe.dimension is None else by_name[probe.dimension]
        return Changes(probe, of(lambda card: card.raw_final), concerned, by_name if self._on is not None else {})

    def _of(self, chosen: Callable[[str], bool]) -> dict[Key, Submission]:
        return {key: shown for key, shown in self._made.items() if chosen(key[1])}

    def _pairs(self) -> list[Pair]:
        """Each output next to its twin in a more confident tone: alike enough for the order to decide."""
        probe = next((probe for probe in self._probes if probe.name == PAIRS), None)
        if probe is None:
            return []
        shown = {
            (item.id, name): self._variants[name](item) for item in self._items for name in (probe.first, probe.second)
        }
        return [
            Pair(item.id, probe.first, probe.second, left, right)
            for item in self._items
            if (left := shown[item.id, probe.first]) is not None and (right := shown[item.id, probe.second]) is not None
        ]


def probe_judge(test: ProbeTest, store: Store | None, tick: Callable[[], None] = lambda: None) -> ProbeOutcome:
    """Make a test, compare it with the last of the same judge, and keep it."""
    return keep_card(run_to_the_end(test.make(tick)), store)


_EARLIER = 20
"""Cards among which the one before is looked for: those on a user's outputs and the others take turns."""


def keep_card(card: JudgeCard, store: Store | None) -> ProbeOutcome:
    """A card stored, with the one before it of the same kind."""
    if store is None:
        return ProbeOutcome(card)
    identity = names_text(card.judge)
    with store.transaction():
        earlier = store.judge_cards(identity=identity, limit=_EARLIER)
        text = canonical_text(card_document(card))
        store.add_judge_card(StoredCard(card.id, card.created, card.name, identity, text))
    return _compared(card, earlier)


def stored_outcomes(store: Store, judge: str | None = None) -> list[ProbeOutcome]:
    """The newest card of a judge, or of every judge, each with the one before it."""
    rows = store.newest_judge_cards() if judge is None else store.judge_cards(judge=judge, limit=1)
    if judge is not None and not rows:
        known = ", ".join(row.judge for row in store.newest_judge_cards())
        has = f"; it has cards of {known}" if known else ""
        raise InputError(
            f'no card of a judge "{judge}" in {store.url}{has}; make one with: evenhand trust probe {judge}'
        )
    return [_compared(read_card(row), store.judge_cards(identity=row.identity, limit=_EARLIER)[1:]) for row in rows]


def _compared(card: JudgeCard, earlier: Sequence[StoredCard]) -> ProbeOutcome:
    cards = map(read_card, earlier)
    since = next((before for before in cards if (before.outputs is None) == (card.outputs is None)), None)
    return ProbeOutcome(card) if since is None else ProbeOutcome(card, since, compare_cards(since, card))


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


def _dimension_score(name: str, card: Scorecard) -> Decimal | None:
    return card.dimensions[name].score


def _change(firsts: Sequence[Decimal | None], second: Decimal | None) -> float | None:
    """The change from the mean of the first readings that have a score; None without one, or without the second."""
    known = [score for score in firsts if score is not None]
    return float(second - sum(known, Decimal(0)) / len(known)) if known and second is not None else None
