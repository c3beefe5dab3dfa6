"""How often an honest judge with a measured noise would be accused on a card like this one. Pure; seeded.

An honest judge is not moved by what must not move it, and takes `HONEST_DROP` points off what it must notice. Its
readings scatter as this judge's do: changes are drawn from the differences between two readings of the same output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from evenhand.stats.trust.probe_effects import Changes, Probe, judge_probes

CARDS: Final = 400
HONEST_DROP: Final = 2.0
"""Points that an honest judge takes off the dimension concerned, as in `benchmarks/judge_probes.py`."""


def accusation_rate(
    probes: Sequence[Probe], sizes: Mapping[str, int], differences: Sequence[float], *, cards: int = CARDS
) -> float | None:
    """The share of simulated cards with an accusation; None without any output that was read twice.

    `sizes` has the number of outputs of each probe, `differences` are those between two readings of an output.
    """
    if not differences:
        return None
    draw = Random(31)

    def change(probe: Probe) -> float:
        noise = draw.choice(differences) * draw.choice((-1, 1))
        return noise - (HONEST_DROP if probe.expectation in ("down", "noticed") else 0.0)

    accused = 0
    for _ in range(cards):
        changes = []
        for probe in probes:
            values = {str(place): change(probe) for place in range(sizes[probe.name])}
            changes.append(Changes(probe, values, values))
        accused += any(result.against for result in judge_probes(changes))
    return accused / cards
