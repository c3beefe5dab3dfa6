"""What a judge's self-test found, as one card, and how it differs from the card before. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import sqrt
from typing import Annotated, Any, Final, NamedTuple

from evenhand.core.curve import UseVerdict
from evenhand.core.history import two_sided
from evenhand.errors import DocumentError
from evenhand.files import codec
from evenhand.stats.trust.probe_effects import LEAST_PAIRS, LEVEL, Effect, Probe, ProbeResult, effect_of, holm
from evenhand.stats.trust.use_verdicts import probe_uses

WORTHLESS: Final = ("blank", "boilerplate")
"""Probes whose second variant says nothing at all. They are not faults of content: a judge that praises an empty output
can quote nothing, and has no score, so that what is left looks as if it had been marked down."""


class Noise(NamedTuple):
    """How far two readings of the same output by the same judge lie apart."""

    n: int
    mean_difference: float
    """Without its sign, in points of the final score."""
    largest: float
    same: int
    """How many outputs got the same final score twice."""
    deviation: float
    """The deviation of one reading: that of the differences, divided by the root of two."""


class ScaleUse(NamedTuple):
    """Which scores the judge gave, over all dimensions of all readings."""

    counts: Mapping[str, int]
    """How often each score was given, lowest first; rounded to whole points."""
    highest: Annotated[Decimal | None, {"point": True, "places": 4}]
    lowest: Annotated[Decimal | None, {"point": True, "places": 4}]
    unscored: int
    """Dimensions without a score. They are not part of any effect."""


class ProbeChange(NamedTuple):
    """How a probe's effect differs from the one on the card before."""

    name: str
    effect: Effect
    p_value: float
    """Adjusted by Holm's method."""

    @property
    def shown(self) -> bool:
        """Whether the difference is more than chance."""
        return self.p_value <= LEVEL


class JudgeCard(NamedTuple):
    """A judge's self-test."""

    id: str
    created: str
    judge: Mapping[str, str]
    """The judge's identity, as its scorecards have it."""
    served: tuple[str, ...]
    """The models that answered, as the server names them."""
    size: Annotated[str, {"enum": ("quick", "full", "own")}]
    """`quick` or `full`, or `own` for a user's outputs."""
    material: str
    """The hash of the outputs, variants and rubric: cards with another one are not compared."""
    readings: int
    calls: int
    cost: Annotated[Decimal | None, {"places": 9, "point": True}]
    results: Annotated[tuple[ProbeResult, ...], {"hidden": True}]
    skipped: Mapping[str, str]
    """Probes that were not made, and why."""
    noise: Noise | None
    scale: ScaleUse
    outputs: str | None = None
    """What was judged, where it was a user's own: "10 outputs of runs/"; None for the built-in outputs."""
    false_accusations: Annotated[float | None, {"places": 6}] = None
    """How often an honest judge with this noise would be accused on such a card; None where it was not simulated."""

    @property
    def uses(self) -> tuple[UseVerdict, ...]:
        """What the judge can be used for, as far as a self-test can tell."""
        faults: dict[str, list[float]] = {}
        for result in self.results:
            if result.probe.expectation == "down" and result.probe.name not in WORTHLESS:
                for item, change in result.changes.items():
                    faults.setdefault(item, []).extend([] if change is None else [change])
        return probe_uses(faults)

    @property
    def name(self) -> str:
        """The judge's name."""
        return self.judge["name"]

    @property
    def against(self) -> tuple[ProbeResult, ...]:
        """What speaks against the judge."""
        return tuple(result for result in self.results if result.against)


def noise_of(differences: Sequence[float]) -> Noise | None:
    """The noise, from the differences between two readings of each output; None without any."""
    if not differences:
        return None
    n = len(differences)
    deviation = sqrt(sum(value**2 for value in differences) / n / 2)
    apart = [abs(value) for value in differences]
    return Noise(n, sum(apart) / n, max(apart), apart.count(0.0), deviation)


def scale_use(scores: Sequence[Decimal | None]) -> ScaleUse:
    """Which scores were given; None stands for a dimension without one."""
    given = [score for score in scores if score is not None]
    rounded = [int(score + Decimal("0.5")) for score in given]
    counts = {str(value): rounded.count(value) for value in range(1, 11)}
    return ScaleUse(counts, max(given, default=None), min(given, default=None), len(scores) - len(given))


def compare_cards(before: JudgeCard, after: JudgeCard) -> tuple[ProbeChange, ...]:
    """How each effect changed, output by output; the same material only."""
    if before.material != after.material:
        return ()
    earlier = {result.probe.name: result for result in before.results}
    named, effects = [], []
    for result in after.results:
        old = earlier.get(result.probe.name)
        effect = None if old is None else effect_of(_differences(old.changes, result.changes))
        if effect is not None and effect.n >= LEAST_PAIRS:
            named.append(result.probe.name)
            effects.append(effect)
    adjusted = holm([two_sided(effect.mean / (effect.deviation / sqrt(effect.n)), effect.n - 1) for effect in effects])
    return tuple(
        ProbeChange(name, effect, 1.0 if p is None else p)
        for name, effect, p in zip(named, effects, adjusted, strict=True)
    )


def _differences(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> list[float]:
    return [new - old for item, new in after.items() if new is not None and (old := before.get(item)) is not None]


SCHEMA = "evenhand/judge-card/v1"


def card_document(
    card: JudgeCard, since: JudgeCard | None = None, changes: Sequence[ProbeChange] = ()
) -> dict[str, Any]:
    """A card in its published shape; `since` is the card before, `changes` how the effects differ from it."""
    return {
        **codec.document(card, SCHEMA),
        "probes": [_result(result) for result in card.results],
        "since": None if since is None else {"id": since.id, "created": since.created, "served": list(since.served)},
        "uses": [codec.document(verdict) for verdict in card.uses],
        "changes": [
            {
                "probe": change.name,
                **codec.document(change.effect),
                "p_value": round(change.p_value, 6),
                "shown": change.shown,
            }
            for change in changes
        ],
    }


def _result(result: ProbeResult) -> dict[str, Any]:
    probe, effect = result.probe, result.dimension
    return {
        "name": probe.name,
        "expectation": probe.expectation,
        "variants": [probe.first, probe.second],
        "says": {"up": probe.up, "down": probe.down},
        "dimension": None if effect is None else {"name": probe.dimension, **codec.document(effect)},
        **codec.document(result),
    }


def card_from(document: Any) -> JudgeCard:
    """The card in a document. DocumentError when it is none, or not whole."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise DocumentError(f'not a judge\'s card: "schema" must be "{SCHEMA}"; make one with: evenhand trust probe')
    try:
        results = tuple(_result_from(row, f"probes.{place}") for place, row in enumerate(document["probes"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DocumentError(f"not a whole judge's card: {error!r} is missing or of the wrong kind") from None
    return codec.read(JudgeCard, document, part_of="judge's card", results=results)


def _result_from(document: Mapping[str, Any], where: str) -> ProbeResult:
    (first, second), says, dimension = document["variants"], document["says"], document["dimension"]
    named, effect = None, None
    if dimension is not None:
        named, effect = (
            dimension["name"],
            codec.read(Effect, dimension, part_of="judge's card", where=f"{where}.dimension"),
        )
    probe = Probe(document["name"], document["expectation"], first, second, named, says["up"], says["down"])
    return codec.read(ProbeResult, document, part_of="judge's card", where=where, probe=probe, dimension=effect)
