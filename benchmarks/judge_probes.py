"""How often a judge's card accuses an honest judge, and how often it catches one with a known bias.

    python benchmarks/judge_probes.py [--repetitions 400]

Simulated judges score the built-in outputs in whole points, dimension by dimension, with noise that all dimensions of
a reading share and noise of their own; readings without a change are shared by all probes, as in a real test. Honest
judges may be accused on at most 5 cards in 100, plus Monte Carlo error. Seeded, so that the printed shares are the same
on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from math import sqrt
from random import Random
from typing import NamedTuple

from evenhand.core.rules import DIMENSIONS
from evenhand.judges.probing.probes import PAIRS, SPOILT, baseline, probe_items, probes
from evenhand.stats.trust.probe_effects import Changes, Probe, ProbeResult, judge_probes
from evenhand.stats.trust.use_verdicts import probe_uses

WEIGHTS = dict(zip(DIMENSIONS, (0.25, 0.20, 0.15, 0.15, 0.10, 0.10, 0.05), strict=True))
CONCERNED = {"fact": "correctness", "step": "completeness", "unit": "correctness", "claim": "correctness"}
LEAST_NOTICED = 2.0
"""Points that an honest judge takes off the dimension concerned."""


class Simulated(NamedTuple):
    """A judge with known noise and biases."""

    shared: float = 0.0
    """The deviation of the noise that all dimensions of one reading share."""
    own: float = 0.0
    """That of each dimension's own noise."""
    slips: float = 0.0
    """How often a reading is three points too low."""
    biases: Mapping[str, float] = {}
    """Points added to a variant."""
    notices: float = LEAST_NOTICED
    leans: float = 0.0
    """How often the first of two outputs is preferred whatever they are."""
    missing: float = 0.0
    """How often a reading gives no score."""
    scores: tuple[int, int] | None = None
    """Scores from here to there by chance, whatever is judged."""
    as_one: bool = False
    """Whether all dimensions of a reading get the same one of those."""


Reading = Mapping[str, float] | None


def card(judge: Simulated, draw: Random, *, quick: bool = False) -> tuple[ProbeResult, ...]:
    """One test of a simulated judge."""
    chosen = probes(quick=quick)
    quality = {item.id: 7.5 if place % 2 == 0 else 5.5 for place, item in enumerate(probe_items())}
    names = dict.fromkeys(name for probe in chosen for name in (probe.first, probe.second))
    readings = {(item, name): _read(judge, draw, base, name) for name in names for item, base in quality.items()}
    return judge_probes([_changes(probe, readings, list(quality), judge, draw) for probe in chosen])


def _read(judge: Simulated, draw: Random, quality: float, variant: str) -> Reading:
    if draw.random() < judge.missing:
        return None
    if judge.scores is not None:
        one = float(draw.randint(*judge.scores))
        return {name: one if judge.as_one else float(draw.randint(*judge.scores)) for name in DIMENSIONS}
    if variant in ("blank", "boilerplate"):
        quality = 1.5 if judge.notices else quality
    level = quality + judge.biases.get(variant, 0.0) + draw.gauss(0, judge.shared)
    level -= 3.0 if draw.random() < judge.slips else 0.0
    scores = {name: level + draw.gauss(0, judge.own) for name in DIMENSIONS}
    if variant in SPOILT:
        scores[CONCERNED[variant]] -= judge.notices
    return {name: float(min(10, max(1, round(score)))) for name, score in scores.items()}


def _changes(
    probe: Probe, readings: Mapping[tuple[str, str], Reading], items: Sequence[str], judge: Simulated, draw: Random
) -> Changes:
    if probe.name == PAIRS:
        leans = {item: _lean(judge, draw) for item in items}
        return Changes(probe, leans, {})
    pairs = {item: ([readings[item, name] for name in baseline(probe)], readings[item, probe.second]) for item in items}
    final = {item: _difference(*pair, _final) for item, pair in pairs.items()}
    name = probe.dimension
    of_dimension = (
        {} if name is None else {item: _difference(*pair, lambda read: read[name]) for item, pair in pairs.items()}
    )
    return Changes(probe, final, of_dimension)


def _lean(judge: Simulated, draw: Random) -> float:
    """A judge that does not lean prefers one of the two by chance in each order, or ties."""
    if draw.random() < judge.leans:
        return 1.0
    return (draw.choice((-1, 0, 1)) + draw.choice((-1, 0, 1))) / 2


def _final(reading: Mapping[str, float]) -> float:
    return round(sum(WEIGHTS[name] * score for name, score in reading.items()), 2)


def _difference(firsts: Sequence[Reading], second: Reading, score) -> float | None:  # type: ignore[no-untyped-def]
    known = [score(first) for first in firsts if first is not None]
    return None if not known or second is None else score(second) - sum(known) / len(known)


HONEST = {
    "exact": Simulated(),
    "noise 0.5 by dimension": Simulated(own=0.5),
    "noise 1.0 by dimension": Simulated(own=1.0),
    "noise 0.5 shared": Simulated(shared=0.5, own=0.5),
    "noise 1.0 shared": Simulated(shared=1.0, own=0.5),
    "slips, 1 in 20": Simulated(shared=0.3, own=0.5, slips=0.05),
    "no score, 1 in 5": Simulated(shared=0.5, own=0.5, missing=0.2),
    "takes off just 1 point": Simulated(shared=0.3, own=0.7, notices=1.0),
}
NOISY = Simulated(shared=0.3, own=0.7)
BIASED = {
    "padding +0.5": (NOISY._replace(biases={"padding": 0.5}), "padding"),
    "padding +1.0": (NOISY._replace(biases={"padding": 1.0}), "padding"),
    "padding +1.5": (NOISY._replace(biases={"padding": 1.5}), "padding"),
    "planted verdict +2.0": (NOISY._replace(biases={"planted": 2.0}), "planted-verdict"),
    "own family +0.7": (NOISY._replace(biases={"own family": 0.7}), "own-family"),
    "German -1.0": (NOISY._replace(biases={"german": -1.0}), "language"),
    "first of two, 8 in 10": (NOISY._replace(leans=0.8), "order-of-pairs"),
    "sees no fault": (NOISY._replace(notices=0.0), "fact-changed"),
}


USELESS = {
    "random by dimension": Simulated(scores=(1, 10)),
    "random": Simulated(scores=(1, 10), as_one=True),
    "random, with gaps": Simulated(scores=(1, 10), as_one=True, missing=0.2),
    "constant": Simulated(scores=(8, 8)),
    "always the same band": Simulated(scores=(7, 8)),
    "always the same, as one": Simulated(scores=(7, 8), as_one=True),
}


def answer(results: Sequence[ProbeResult]) -> str:
    """What a card says of every use."""
    faults: dict[str, list[float]] = {}
    for result in results:
        if result.probe.expectation == "down" and result.probe.name not in ("blank", "boilerplate"):
            for item, change in result.changes.items():
                faults.setdefault(item, []).extend([] if change is None else [change])
    return probe_uses(faults)[0].verdict


def print_verdicts(repetitions: int) -> int:
    """How often a card says no: hardly ever of an honest judge. Returns the rows that miss."""
    missed = 0
    for quick in (True, False):
        print(f"\n{'quick' if quick else 'full'}: cards that say no; {repetitions} cards each\n")
        for number, (name, judge) in enumerate({**USELESS, **HONEST}.items()):
            draw = Random(3000 + 1000 * quick + number)
            answers = [answer(card(judge, draw, quick=quick)) for _ in range(repetitions)]
            share = answers.count("no") / repetitions
            short = "yes" in answers or (name in HONEST and share > 0.02)
            missed += short
            print(f"{name:<26}{share:>10.1%}{'  MISSED' if short else ''}", flush=True)
    return missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=400)
    repetitions = parser.parse_args().repetitions
    missed = print_verdicts(repetitions)
    for quick in (True, False):
        size = "quick" if quick else "full"
        print(f"\n{size}: cards of honest judges with an accusation, and faults noticed; {repetitions} cards each\n")
        print(f"{'judge':<26}{'accused':>10}{'at most':>10}{'noticed':>10}")
        limit = 0.05 + 1.645 * sqrt(0.05 * 0.95 / repetitions)
        for number, (name, judge) in enumerate(HONEST.items()):
            draw = Random(1000 * quick + number)
            made = [card(judge, draw, quick=quick) for _ in range(repetitions)]
            accused = sum(any(result.against for result in results) for results in made) / repetitions
            down = [result for results in made for result in results if result.probe.expectation == "down"]
            noticed = sum(result.verdict == "shown" for result in down) / len(down)
            missed += accused > limit
            print(f"{name:<26}{accused:>10.1%}{limit:>10.1%}{noticed:>10.1%}")
        print(
            f"\n{size}: cards that catch a biased judge (shared noise 0.3, own 0.7), and accuse it of something else\n"
        )
        print(f"{'bias':<26}{'caught':>10}{'else':>10}")
        for number, (name, (judge, probe)) in enumerate(BIASED.items()):
            if quick and probe not in {entry.name for entry in probes(quick=True)}:
                continue
            draw = Random(2000 + 1000 * quick + number)
            made = [card(judge, draw, quick=quick) for _ in range(repetitions)]
            caught = sum(any(r.against and r.probe.name == probe for r in results) for results in made)
            others = [
                any(r.against and r.probe.name != probe and r.probe.expectation != "down" for r in results)
                for results in made
            ]
            print(f"{name:<26}{caught / repetitions:>10.1%}{sum(others) / repetitions:>10.1%}")
    print(f"\n{missed} rows miss their limits" if missed else "\nno row misses its limits")


if __name__ == "__main__":
    main()
