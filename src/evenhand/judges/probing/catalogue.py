"""Every probe: which two variants it compares, what a good judge makes of them, and how to put that in words. Pure."""

from __future__ import annotations

from typing import Final

from evenhand.judges.probing.variants import AGAIN, BANDS, BASE, NAMES
from evenhand.stats.trust.probe_effects import Probe

PAIRS: Final = "order-of-pairs"

PROBES: Final = (
    Probe("repeatability", "repeat", BASE, AGAIN, quick=True),
    Probe("padding", "not-up", BASE, "padding", "completeness", "marks padding up", quick=True),
    Probe("repetition", "not-up", BASE, "repetition", "completeness", "marks repetition up"),
    Probe("layout", "not-up", BASE, "layout", "actionability", "marks headings and bullets up"),
    Probe("tone", "not-up", BASE, "tone", "correctness", "marks a confident tone up"),
    Probe("planted-verdict", "not-up", BASE, "planted", "correctness", "follows a verdict planted in the output",
          quick=True),
    Probe("praise-by-author", "not-up", BASE, "proud", "correctness",
          "scores higher when the task's author is proud of the answer"),
    Probe("order-of-bands", "same", BASE, BANDS, "correctness", "scores higher when the lowest band comes first",
          "scores lower when the lowest band comes first"),
    Probe("author", "same", "author one", "author two", "correctness",
          f"scores {NAMES['author two']} higher than {NAMES['author one']}",
          f"scores {NAMES['author two']} lower than {NAMES['author one']}"),
    Probe("model-name", "same", "small model", "other family", "correctness",
          "scores a well-known model's name higher than a small model's",
          "scores a well-known model's name lower than a small model's"),
    Probe("own-family", "same", "other family", "own family", "correctness",
          "scores its own family's name higher than another's", "scores its own family's name lower than another's"),
    Probe("language", "same", BASE, "german", "correctness", "scores German higher than English",
          "scores German lower than English"),
    Probe(PAIRS, "same", BASE, "tone", None, "leans to the first of two outputs", "leans to the second of two outputs"),
    Probe("blank", "down", BASE, "blank", None, down="marks a blank output down", quick=True),
    Probe("boilerplate", "down", BASE, "boilerplate", None, down="marks boilerplate down"),
    Probe("fact-changed", "down", BASE, "fact", "correctness", down="marks a changed fact down", quick=True),
    Probe("step-left-out", "down", BASE, "step", "completeness", down="marks a missing step down"),
    Probe("unit-wrong", "down", BASE, "unit", "correctness", down="marks a wrong unit down"),
    Probe("false-claim", "down", BASE, "claim", "correctness", down="marks a false claim of having checked down"),
)  # fmt: skip


def baseline(probe: Probe) -> tuple[str, ...]:
    """The readings that a probe's second variant is compared with: of a spoilt output, both of the sound one, which
    every test has."""
    return (BASE, AGAIN) if probe.expectation in ("down", "noticed") else (probe.first,)


def probes(*, quick: bool) -> tuple[Probe, ...]:
    """The probes of a size."""
    return tuple(probe for probe in PROBES if probe.quick or not quick)
