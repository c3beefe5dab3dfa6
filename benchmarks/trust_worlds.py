"""Made-up judges and people for the simulations of `trust.py`: outputs of known quality, scored with bias and noise."""

from __future__ import annotations

from random import Random

POPULATION = 40_000
"""How many outputs a world has; its mean is the truth that intervals are to cover."""

SHAPES = ("middle", "ceiling", "rare failures")


def world(draw: Random, shape: str, bias: float, noise: float) -> list[tuple[float, float]]:
    """Pairs of a judge's and people's score. People give whole points; the judge is off by `bias`, more at the top."""
    pairs = []
    for _ in range(POPULATION):
        quality = _quality(draw, shape)
        judge = quality + bias * (0.5 + quality / 12) + draw.gauss(0, noise)
        pairs.append((round(_on_scale(judge), 2), float(round(_on_scale(quality + draw.gauss(0, 0.5))))))
    return pairs


def _quality(draw: Random, shape: str) -> float:
    if shape == "middle":
        return draw.gauss(6, 1.5)
    if shape == "ceiling":
        return 10 - draw.expovariate(1)
    return draw.gauss(3, 0.8) if draw.random() < 0.1 else draw.gauss(8.5, 0.5)


def _on_scale(score: float) -> float:
    return min(10.0, max(1.0, score))
